// A background task is a child session that works while its parent continues. These are its states; apply.ts changes them.

/** What became of a task. Each turn of a task gets exactly one. */
export type Outcome =
  /** `text` is empty if the agent said nothing; `openTodos` counts the todos it left open. */
  | { readonly kind: "completed"; readonly text: string; readonly openTodos: number }
  | { readonly kind: "failed"; readonly why: string; readonly text?: string | undefined }
  | { readonly kind: "cancelled"; readonly why: string }
  /** OpenCode or a gate did not let it start. */
  | { readonly kind: "refused"; readonly why: string }
  /** Nothing was heard from it for too long. */
  | { readonly kind: "timed-out"; readonly why: string }
  | { readonly kind: "deleted" }
  /** OpenCode stopped while the task was queued or working. */
  | { readonly kind: "interrupted" };

export type Stage =
  | { readonly kind: "queued" }
  /** The prompt is on its way; there is no sign of life yet. */
  | { readonly kind: "starting" }
  | { readonly kind: "running" }
  /** Something suggests that it has ended, so OpenCode is asked. `tries`: how often it could not say. */
  | {
      readonly kind: "checking";
      readonly because: "idle" | "error" | "silence" | "restart";
      readonly since: number;
      readonly isAsked: boolean;
      readonly tries: number;
      readonly why: string;
    }
  /** `isFree`: a person has written in the session since, so it may work again. */
  | {
      readonly kind: "over";
      readonly at: number;
      readonly outcome: Outcome;
      readonly mustAbort: boolean;
      readonly isFree: boolean;
    };

/** Whether the parent knows what became of the task. `nobody`: the parent no longer exists or has ended itself. */
export type Notice =
  | { readonly kind: "due" }
  /** `tries`: how often OpenCode did not have it. */
  | {
      readonly kind: "sending";
      readonly delivery: string;
      readonly since: number;
      readonly isUnsure: boolean;
      readonly tries: number;
    }
  | { readonly kind: "given"; readonly how: "delivery" | "nobody" };

/** What is fixed when a task starts. */
export interface TaskStart {
  /** The child session's id is the task's id. */
  readonly id: string;
  /** A resumed task has another turn in the same session. */
  readonly turn: number;
  readonly parent: string;
  /** The session at the top, which a person uses. */
  readonly root: string;
  /** 1 for a child of the root. */
  readonly depth: number;
  readonly agent: string;
  readonly description: string;
  /** `provider/model`; empty if OpenCode chooses. */
  readonly model: string;
  /** The last message in the session before this turn; empty in a new session. */
  readonly after: string;
}

export interface BackgroundTask extends TaskStart {
  readonly launchedAt: number;
  readonly stage: Stage;
  readonly notice: Notice;
  /** When something was last heard from the session. */
  readonly heardAt: number;
  /** A prompt for a person is open in the session. */
  readonly waitsForPerson: boolean;
  /** A tool call waits for the result, so the parent needs no wake. */
  readonly isAwaited: boolean;
}

/** A session that has launched tasks. */
export interface ParentSession {
  readonly isBusy: boolean;
  /** Since Esc, a restart, or failing wakes: nothing wakes it until a person writes in it. */
  readonly isStopped: boolean;
  readonly isGone: boolean;
  readonly heardAt: number;
  /** Its end may have been missed, so OpenCode is asked. */
  readonly isUnsure: boolean;
  readonly isAsked: boolean;
  readonly failedWakes: number;
  readonly retryAt: number;
}

export interface BackgroundState {
  readonly at: number;
  readonly tasks: ReadonlyMap<string, BackgroundTask>;
  readonly parents: ReadonlyMap<string, ParentSession>;
  /** How many deliveries there have been, for their ids. */
  readonly deliveries: number;
}

export const nothingYet: BackgroundState = { at: 0, tasks: new Map(), parents: new Map(), deliveries: 0 };

export interface BackgroundLimits {
  /** How many tasks may work at once on one model, unless `slots` says otherwise. */
  readonly perModel: number;
  /** By provider, or by `provider/model`. */
  readonly slots: Readonly<Record<string, number>>;
  /** How many tasks may work at once below one root session. */
  readonly perRoot: number;
  /** How many tasks below one root session may be queued or working. */
  readonly open: number;
  readonly depth: number;
  /** A task is given up after this much silence. */
  readonly silenceMs: number;
  /** The same while a prompt for a person is open. */
  readonly personMs: number;
  /** `each`: a parent is woken as soon as it is idle; `all`: once none of its tasks is open. */
  readonly wake: "each" | "all";
  /** How many tasks that have ended and were delivered are kept in memory. */
  readonly kept: number;
}

export const defaultLimits: BackgroundLimits = {
  perModel: 5,
  slots: {},
  perRoot: 10,
  open: 50,
  depth: 1,
  silenceMs: 15 * 60_000,
  personMs: 60 * 60_000,
  wake: "each",
  kept: 64,
};

/** How long OpenCode may take to answer, and to report what it has done. */
export const answerMs = 10_000;
/** How long a parent with waiting results may be silent before OpenCode is asked whether it is still busy. */
export const parentSilenceMs = 30_000;
/** How often something that fails is tried. */
export const mostTries = 3;

export function isOpen({ stage }: Pick<BackgroundTask, "stage">): boolean {
  return stage.kind !== "over";
}

export function isWorking({ stage }: Pick<BackgroundTask, "stage">): boolean {
  return stage.kind !== "over" && stage.kind !== "queued";
}

export function tasksOf(state: BackgroundState, parent: string): readonly BackgroundTask[] {
  return [...state.tasks.values()].filter((task) => task.parent === parent);
}

/** The task and everything below it, as far as it is open. */
export function openBelow(state: BackgroundState, session: string): readonly BackgroundTask[] {
  return tasksOf(state, session).flatMap((task) => [...(isOpen(task) ? [task] : []), ...openBelow(state, task.id)]);
}
