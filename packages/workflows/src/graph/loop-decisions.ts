// The seam between loops and what decides about their next turn. All calls happen inside journaled steps, so each decision
// is made once.
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import type { ErrorRecord } from "../run/step-errors.ts";
import type { CriteriaLoopJson, TaskLoopJson } from "./graph-json.ts";
import type { LoopTask } from "./node-definition.ts";

/** Why a loop ended. `complete` only if all of its work is done. */
export type LoopStop = { readonly do: "stop"; readonly reason: string; readonly complete: boolean };

export interface TaskLoopDecisions {
  /** What is worked on next, already marked so; several tasks only up to `loop.limit`. */
  pick(request: PickRequest, info: StepInfo): Promise<TaskPick> | TaskPick;
  /** Marks how a task ended. Comes again after a crash. */
  settle(request: SettleRequest, info: StepInfo): Promise<void> | void;
}

export interface PickRequest {
  readonly loop: TaskLoopJson;
  readonly tasksPath: string;
  /** From 1. */
  readonly iteration: number;
  /** False after the last iteration: only whether all is done is of interest, and nothing is marked. */
  readonly mayRun: boolean;
  readonly until?: (tasks: readonly LoopTask[]) => boolean;
  readonly select?: (tasks: readonly LoopTask[]) => LoopTask | undefined;
}

export type TaskPick = { readonly do: "run"; readonly tasks: readonly LoopTask[] } | LoopStop;

interface SettleRequest {
  readonly loop: TaskLoopJson;
  readonly tasksPath: string;
  readonly task: LoopTask;
  readonly outcome: TaskOutcome;
}

export type TaskOutcome =
  | { readonly ok: true; readonly text?: string }
  | { readonly ok: false; readonly error: ErrorRecord };

export interface CriteriaLoopDecisions {
  judge(request: JudgeRequest, info: StepInfo): Promise<CriteriaVerdict> | CriteriaVerdict;
}

export interface JudgeRequest {
  readonly loop: CriteriaLoopJson;
  /** The one that has just ended, from 1. */
  readonly iteration: number;
  /** The last message of that iteration. */
  readonly text?: string;
  /** Why it failed. */
  readonly failure?: ErrorRecord;
  /** Since the loop began. */
  readonly elapsedMs: number;
  readonly usd: number;
  /** What the verdict before wanted to be remembered; at first `null`. */
  readonly memo: Json;
}

export type CriteriaVerdict = { readonly do: "continue"; readonly memo: Json } | LoopStop;
