// Everything that can happen to background tasks.
import type { BackgroundAction } from "./next.ts";
import type { TaskStart } from "./task.ts";

/** What OpenCode says about a task's session. */
export type Found =
  | { readonly kind: "busy" }
  | { readonly kind: "gone" }
  /** `isAnswered`: the agent has finished a message in this turn. */
  | {
      readonly kind: "ended";
      readonly isAnswered: boolean;
      readonly text: string;
      readonly openTodos: number;
      readonly error?: string | undefined;
    }
  /** OpenCode did not say. */
  | { readonly kind: "unknown" };

export type Happened =
  | { readonly type: "launched"; readonly task: TaskStart; readonly isAwaited: boolean }
  | { readonly type: "begun"; readonly action: BackgroundAction }
  /** OpenCode, or a gate, did not accept the task's prompt. */
  | { readonly type: "refused"; readonly id: string; readonly turn: number; readonly why: string }
  | { readonly type: "looked"; readonly id: string; readonly turn: number; readonly found: Found }
  | { readonly type: "cancelled"; readonly id: string; readonly why: string }
  /** A tool call begins or stops waiting for the result. */
  | { readonly type: "awaited"; readonly id: string; readonly isAwaited: boolean }
  /** The results go to the parent without a wake: in a tool's output, or with a person's message. */
  | {
      readonly type: "handed";
      readonly parent: string;
      readonly delivery: string;
      readonly tasks: readonly string[];
    }
  /** What happens in a session. `heard`: any sign of life; `prompted`: a person is asked; `aborted`: someone pressed Esc. */
  | {
      readonly type: "heard" | "busy" | "idle" | "aborted" | "deleted" | "prompted" | "spoke";
      readonly session: string;
    }
  | { readonly type: "errored"; readonly session: string; readonly why: string }
  | { readonly type: "arrived"; readonly delivery: string }
  /** OpenCode has accepted the delivery, or is about to store it. */
  | { readonly type: "carried"; readonly delivery: string }
  /** The delivery was not sent. `held`: the run is paused, so nothing may wake the parent. */
  | {
      readonly type: "unsent";
      readonly parent: string;
      readonly delivery: string;
      readonly because: "busy" | "gone" | "failed" | "held";
    }
  | { readonly type: "searched"; readonly parent: string; readonly delivery: string; readonly isThere: boolean }
  | { readonly type: "parent-seen"; readonly session: string; readonly is: "busy" | "idle" | "gone" }
  | { readonly type: "time-passed" }
  /** Another process, or the same one after a reload, continues from the journal. */
  | { readonly type: "restarted"; readonly isSameProcess: boolean };

export type BackgroundEvent = Happened & { readonly at: number };
