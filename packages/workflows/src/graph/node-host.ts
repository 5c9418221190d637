// The seam between a graph and whoever executes its prompts. All calls happen inside journaled steps.
import type { Entity } from "../entities/entity.ts";
import type { Action } from "../permission/rules.ts";
import type { Json } from "../run/json.ts";
import type { StepInfo } from "../run/run-ctx.ts";

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
