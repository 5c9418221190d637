import type { Entity } from "../entities/entity.ts";
import type { Action } from "../permission/rules.ts";
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import type { ErrorRecord } from "../run/step-errors.ts";
import type { CriteriaLoopJson, TaskLoopJson } from "./graph-json.ts";
import type { LoopTask } from "./state.ts";

/** What a graph needs besides itself. Loops that it does not have need nothing. */
export interface Services {
  readonly host: NodeHost;
  readonly taskLoop?: TaskLoopDecisions;
  readonly criteriaLoop?: CriteriaLoopDecisions;
}

// The seam between a graph and the host that executes its prompts. All calls happen inside journaled steps.
export interface NodeHost {
  /** A session for the request, found again by what is returned. That is written down before anything is sent. */
  open(request: PromptRequest, info: StepInfo): Promise<Json>;
  /**
   * Sends the prompt and waits for the last message. With `info.attempt` above 1 it may have been sent before: by an
   * attempt that failed, or by a process that died. `info.note` and `info.spend` are signs of life; `info.signal` ends it.
   */
  send(request: PromptRequest, session: Json, info: StepInfo): Promise<PromptReply>;
  /** The session is not needed any more. Also called for one that is gone. */
  close(session: Json, info: StepInfo): Promise<void>;
}

export interface PromptRequest {
  readonly runId: string;
  /** Path of the node in the run: `fan.1/L#3/work`. */
  readonly path: string;
  /** Which host is wanted, where the node says so. */
  readonly host?: string;
  readonly prompt: string;
  readonly system?: string;
  readonly agent?: Entity;
  /** The skill or command that the prompt was made of. */
  readonly entity?: Entity;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly permissions?: Action | Readonly<Record<string, Action>>;
  /** Whether other prompts may follow in this session. If not, it can be closed after the reply. */
  readonly keep: boolean;
}

export interface PromptReply {
  /** The last message. */
  readonly text: string;
  /** Of this prompt; for loops that have a limit. Budgets count what `info.spend` says. */
  readonly usd?: number;
  /** If it is another one than before. */
  readonly session?: Json;
}

// The seam between loops and what decides about their next turn. All calls happen inside journaled steps, so each decision
// is made once.
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
