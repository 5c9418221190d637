// The interface of everything that executes prompts: OpenCode, Claude, Copilot, or a script. One contract suite tests them all.

import { ExplainedError } from "@atomic/durable-files/explained-error";
import type { Usage } from "../run/budget.ts";
import type { Json } from "../run/json.ts";

export interface Host {
  readonly name: string;
  /** Creates a session. Nothing is sent to a model yet. */
  create(options: SessionOptions): Promise<HostSession>;
  /** Opens an earlier session, even another process's. Rejects with `session-gone` if the host no longer has it. */
  resume(id: string, options: SessionOptions): Promise<HostSession>;
  /** The model of such a session, if the host does not know what its tokens cost in dollars. Default: it knows. */
  modelWithoutPrice?(options: SessionOptions): Promise<string | undefined>;
  /** Ends everything that this host has started. Another host object can resume its sessions. */
  dispose(): Promise<void>;
}

export interface SessionOptions {
  /** The folder that the agent works in. */
  readonly folder: string;
  /** In the host's own notation: `provider/model`, `sonnet`, … Default: the host's default. */
  readonly model?: string;
  /** Instructions in addition to the host's own. */
  readonly system?: string;
  /** An agent that the host knows by this name, or else one with this prompt. */
  readonly agent?: { readonly name: string; readonly description: string; readonly prompt: string };
  /** Canonical names of the tools that may be used. Default: all. */
  readonly tools?: readonly string[];
  /** Canonical names of tools that are denied to this agent and its helpers. */
  readonly deny?: readonly string[];
  /**
   * Canonical names of tools that are denied to helpers where the host lets them work without asking; `*` stands for all
   * unknown tools. Default: all but those that only look.
   */
  readonly denyHelpers?: readonly string[];
  /** Shown where the host lists its sessions. */
  readonly title?: string;
}

export interface HostSession {
  /** The id that `resume` takes. */
  readonly id: string;
  /**
   * Sends a prompt. The last event is `end`. A failure rejects with a `HostError` (`aborted` after an abort) or a
   * `RateLimitError`. One turn at a time.
   */
  send(prompt: string, options?: SendOptions): AsyncIterable<HostEvent>;
  /**
   * Continues the turn of a prompt that an earlier process sent: its events until it ends, or its end. `undefined` if the
   * prompt never arrived, or its turn was cut off.
   */
  reattach(prompt: string, options?: SendOptions): Promise<AsyncIterable<HostEvent> | undefined>;
  /** Stops the running turn, and the model's stream with it. Does nothing if no turn runs. */
  abort(): Promise<void>;
  /** Frees the session's resources. The host can still resume it. */
  dispose(): Promise<void>;
}

export interface SendOptions {
  /** Stored with the prompt, so `reattach` does not mistake an earlier, equal prompt for this one. */
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
  /** The provider failed, and the host asks it again by itself. */
  | { readonly type: "retrying"; readonly reason: string }
  /** The last message of the turn. */
  | { readonly type: "end"; readonly text: string };

/** The agent waits for an answer. It asks before anything that could do harm, and where the user's own settings require it. */
export interface PermissionEvent {
  readonly type: "permission";
  readonly id: string;
  /** The tool's canonical name. */
  readonly tool: string;
  /** What it wants to do with the tool: a command, a path. */
  readonly detail: string;
  /** After `deny` the turn continues, and the agent sees the reason. */
  answer(answer: "allow" | "deny", reason?: string): Promise<void>;
}

export type HostErrorCode =
  /** The program or package that this host needs is not installed. */
  | "host-missing"
  /** The host stopped, or did something unexpected. */
  | "host-failed"
  /** You are not logged in, or your login is no longer accepted. */
  | "login-missing"
  /** The host no longer has the session. */
  | "session-gone"
  /** The host could not answer the prompt. */
  | "prompt-failed"
  /** The turn was stopped on purpose. */
  | "aborted";

/** What a host could not do, and what you can do about it. */
export class HostError extends ExplainedError {
  override readonly name = "HostError";
  declare readonly code: HostErrorCode;
  readonly host: string;
  /** Another attempt would fail the same way: there is no login, no such model, no such program. */
  readonly isPermanent: boolean;

  constructor(code: HostErrorCode, details: HostErrorDetails) {
    super(code, details);
    this.host = details.host;
    this.isPermanent = details.isPermanent ?? code === "host-missing";
  }

  override get exitCode(): number {
    return ["host-missing", "host-failed", "login-missing"].includes(this.code) ? 6 : 1;
  }
}

interface HostErrorDetails {
  readonly host: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly isPermanent?: boolean | undefined;
}

/** Whether a provider that answers with this HTTP status will always refuse the request. */
export function isRefusal(status: unknown): boolean {
  return typeof status === "number" && status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

export function abortedTurn(host: string): HostError {
  return new HostError("aborted", { host, message: "The turn was aborted." });
}

export function busySession(host: string, id: string): HostError {
  return new HostError("host-failed", {
    host,
    message: `The session ${id} is in the middle of a turn.`,
    hint: "Read all events for one prompt before you send the next one.",
  });
}

/** The events of a turn that has ended. */
export async function* replay(events: readonly HostEvent[]): AsyncGenerator<HostEvent, void> {
  yield* events;
}
