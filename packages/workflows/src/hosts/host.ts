// Who executes a prompt: OpenCode, Claude, Copilot, or a script. One interface, one contract suite.

import { ExplainedError } from "@atomic/durable-files/explained-error";
import type { Usage } from "../run/budget.ts";
import type { Json } from "../run/json.ts";

export interface Host {
  readonly name: string;
  /** A new session. Nothing is sent to a model yet. */
  create(options: SessionOptions): Promise<HostSession>;
  /** A session of before, also of another process. Rejects with `session-gone` if the host does not know it any more. */
  resume(id: string, options: SessionOptions): Promise<HostSession>;
  /** Ends all that this host has started. Sessions can be resumed by another host object. */
  dispose(): Promise<void>;
}

export interface SessionOptions {
  /** The folder that the agent works in. */
  readonly folder: string;
  /** As the host writes it: `provider/model`, `sonnet`, … Default: what the host would take. */
  readonly model?: string;
  /** Instructions besides the host's own. */
  readonly system?: string;
  /** An agent that the host knows by this name, or one that is given with its prompt. */
  readonly agent?: SessionAgent;
  /** Canonical names of the tools that may be used. Default: all. */
  readonly tools?: readonly string[];
  /** Canonical names of tools that are taken away, from this agent and from those that it calls for help. */
  readonly deny?: readonly string[];
  /**
   * Canonical names of tools that helpers are not to have where the host lets them work unasked; `*` is for all that are not
   * known. Default: all but those that only look.
   */
  readonly denyHelpers?: readonly string[];
  /** For people, where the host lists its sessions. */
  readonly title?: string;
}

interface SessionAgent {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
}

export interface HostSession {
  /** What `resume` takes. */
  readonly id: string;
  /**
   * Sends a prompt. The last event is `end`. Failure is a rejection: with a `HostError` (`aborted` if that is why), or with
   * a `RateLimitError`. One turn at a time.
   */
  send(prompt: string, options?: SendOptions): AsyncIterable<HostEvent>;
  /**
   * The turn of a prompt that an earlier process sent: what it came to, or the events until it ends. `undefined` if this
   * prompt never arrived, or its turn was cut off.
   */
  reattach(prompt: string, options?: SendOptions): Promise<AsyncIterable<HostEvent> | undefined>;
  /** Stops the turn that runs, and the model's stream with it. Nothing happens if none runs. */
  abort(): Promise<void>;
  /** Frees what the session holds. The host may still be asked to resume it. */
  dispose(): Promise<void>;
}

export interface SendOptions {
  /** Kept with the prompt, so that `reattach` does not take an equal prompt of before for this one. */
  readonly key?: string;
  /** Aborts the turn. The iteration rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export type HostEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool-started"; readonly id: string; readonly tool: string; readonly input: Json }
  | {
      readonly type: "tool-ended";
      readonly id: string;
      readonly tool: string;
      readonly ok: boolean;
      readonly output: string;
    }
  | PermissionEvent
  | { readonly type: "usage"; readonly usage: Usage }
  /** The last message of the turn. */
  | { readonly type: "end"; readonly text: string };

/** The agent waits for an answer. It asks before doing anything harmful, and where the user's own settings require it. */
export interface PermissionEvent {
  readonly type: "permission";
  readonly id: string;
  /** Canonical name of the tool. */
  readonly tool: string;
  /** What it wants to do with it: a command, a path. */
  readonly detail: string;
  /** After `deny` the turn continues, and the agent sees the reason. */
  answer(answer: "allow" | "deny", reason?: string): Promise<void>;
}

export type HostErrorCode =
  /** The program or package that this host needs is not installed. */
  "host-missing" | "host-failed" | "session-gone" | "prompt-failed" | "aborted";

/** What a host could not do, and what to do about it. */
export class HostError extends ExplainedError {
  override readonly name = "HostError";
  declare readonly code: HostErrorCode;
  readonly host: string;

  constructor(code: HostErrorCode, details: { host: string; message: string; hint?: string; cause?: unknown }) {
    super(code, details);
    this.host = details.host;
  }

  override get exitCode(): number {
    return this.code === "host-missing" || this.code === "host-failed" ? 6 : 1;
  }
}

export function abortedTurn(host: string): HostError {
  return new HostError("aborted", { host, message: "The turn was aborted." });
}

export function busySession(host: string, id: string): HostError {
  return new HostError("host-failed", {
    host,
    message: `The session ${id} is in the middle of a turn.`,
    hint: "Read the events of one prompt to the end before you send the next one.",
  });
}

/** The events of a turn that is over. */
export async function* replay(events: readonly HostEvent[]): AsyncGenerator<HostEvent, void> {
  yield* events;
}
