import type { Entity } from "../entities/entity.ts";
import type { Action } from "../permission/rules.ts";
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";
import type { ErrorRecord } from "../run/step-errors.ts";
import type { CriteriaLoopJson, TaskLoopJson } from "./graph-json.ts";
import type { LoopTask } from "./state.ts";

/** What running a graph takes. A graph without such loops needs no decisions for them. */
export interface Services {
  readonly host: NodeHost;
  readonly taskLoop?: TaskLoopDecisions;
  readonly criteriaLoop?: CriteriaLoopDecisions;
  /** How long a host may give no sign of life before a prompt fails, unless the node says otherwise. Default: 30 minutes. */
  readonly idleTimeoutMs?: number | undefined;
  /** How many prompts run at a time: also how many items of a map that has no limit of its own. */
  readonly maxPrompts?: number;
}

/** Longer than the tests of most projects take: while a tool runs, a host is silent. */
export const defaultIdleTimeoutMs: number = 30 * 60_000;

/** Enough to keep a machine busy, and few enough for most providers' rate limits. */
export const defaultMaxPrompts = 8;

/** The interface between a graph and the host that executes its prompts. All calls happen inside journaled steps. */
export interface NodeHost {
  /** Opens a session for the request. The returned value identifies it, and is recorded before anything is sent. */
  open(request: PromptRequest, info: StepInfo): Promise<Json>;
  /**
   * Sends the prompt and waits for the last message. If `info.attempt` is above 1, it may have been sent before, by an
   * attempt that failed or a process that died. `info.note` and `info.spend` are signs of life; `info.signal` ends it.
   */
  send(request: PromptRequest, session: Json, info: StepInfo): Promise<PromptReply>;
  /** The session is no longer needed. Also called for a session that is already gone. */
  close(session: Json, info: StepInfo): Promise<void>;
}

export interface PromptRequest {
  readonly runId: string;
  /** The node's path in the run: `fan.1/L#3/work`. */
  readonly path: string;
  /** The host that the node asks for, if any. */
  readonly host?: string;
  readonly prompt: string;
  readonly system?: string;
  readonly agent?: Entity;
  /** The skill or command that the prompt was made from. */
  readonly entity?: Entity;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly permissions?: Action | Readonly<Record<string, Action>>;
  /** Whether the node has a budget in dollars. */
  readonly needsPrice?: boolean;
  /** Whether other prompts may follow in this session. If not, it can be closed after the reply. */
  readonly keep: boolean;
}

export interface PromptReply {
  /** The last message. */
  readonly text: string;
  /** This prompt's cost, for loops with a cost limit. Budgets count what `info.spend` reports. */
  readonly usd?: number;
  /** The session, if it has changed. */
  readonly session?: Json;
}

// The interface between loops and what decides their next iteration. All calls happen inside journaled steps, so each
// decision is made once.
/** Why a loop ended. `complete` only if all of its work is done. */
export type LoopStop = { readonly do: "stop"; readonly reason: string; readonly complete: boolean };

export interface TaskLoopDecisions {
  /** The tasks to work on next, already marked; at most `loop.limit`. */
  pick(request: PickRequest, info: StepInfo): Promise<TaskPick> | TaskPick;
  /** Marks how a task ended. Called again after a crash. */
  settle(request: SettleRequest, info: StepInfo): Promise<void> | void;
}

export interface PickRequest {
  readonly loop: TaskLoopJson;
  readonly tasksPath: string;
  /** From 1. */
  readonly iteration: number;
  /** False after the last iteration: then only whether everything is done matters, and nothing is marked. */
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
  /** The iteration that has just ended, from 1. */
  readonly iteration: number;
  /** The last message of that iteration. */
  readonly text?: string;
  /** Why it failed. */
  readonly failure?: ErrorRecord;
  /** Since the loop began. */
  readonly elapsedMs: number;
  readonly usd: number;
  /** The previous verdict's memo; `null` at first. */
  readonly memo: Json;
}

export type CriteriaVerdict = { readonly do: "continue"; readonly memo: Json } | LoopStop;
