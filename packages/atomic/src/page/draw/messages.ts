// What the server of `atomic ui` sends to its page, and what the page asks for.
import type { Budget, Spent } from "@atomic/workflows/internal/run/budget";
import type { JournalEntry, StepNote } from "@atomic/workflows/internal/run/events";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { RunQuestion } from "../../view/questions.ts";

/** A run in the list. */
export interface RunLine {
  readonly runId: string;
  readonly name: string | undefined;
  readonly status: RunStatus["kind"];
  /** The question it asks, or why it ended. */
  readonly about: string;
  readonly questions: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly spent: Pick<Spent, "usd" | "tokens">;
}

/** What a hidden page asks for: how many runs wait for the user. */
export interface WaitingCount {
  readonly waiting: number;
}

export function waitingRuns(runs: readonly RunLine[]): number {
  return runs.filter(({ questions }) => questions > 0).length;
}

export type AskedQuestion = RunQuestion & { readonly isTooLate: boolean };

/** What the journal does not know: whether the run's owner is alive, and messages that it has not read yet. */
export interface RunNow {
  readonly status: RunStatus;
  readonly questions: readonly AskedQuestion[];
  readonly budget: Budget;
  /** The command that continues the run, for a terminal. */
  readonly next: string | undefined;
  readonly canResume: boolean;
}

/** Everything that the page hears after it has loaded. */
export type PageMessage =
  /** `isAll`: what is not among them is gone. */
  | {
      readonly type: "runs";
      readonly runs: readonly RunLine[];
      readonly removed: readonly string[];
      readonly isAll?: boolean;
    }
  /** Why runs cannot be read at the moment; undefined when they can again. */
  | { readonly type: "outage"; readonly message: string | undefined }
  /** How many browsers have used a link so far: each of them can answer. */
  | { readonly type: "browsers"; readonly count: number }
  /** Results are left out. Those from record 1 on replace what is known. `now` comes with the last part of what is new. */
  | { readonly type: "entries"; readonly entries: readonly JournalEntry[]; readonly now?: RunNow }
  /** The last word of each step that said something; texts are cut. */
  | { readonly type: "notes"; readonly notes: readonly StepNote[] }
  /** Nothing has happened, but the server is there. */
  | { readonly type: "beat" }
  /** Why the run cannot be shown. */
  | { readonly type: "problem"; readonly message: string };

/** A conversation with an agent, and how to open it in a terminal. */
export interface AgentSession {
  readonly host: string;
  readonly id: string;
  readonly command: string | undefined;
}

/** What one node was told, said and did. */
export interface NodeDetail {
  readonly key: string;
  /** Whole; undefined if it has not said anything yet. Anything but a text is JSON. */
  readonly output: string | undefined;
  readonly transcript: readonly StepNote[];
  readonly session: AgentSession | undefined;
}

/** What a person does on the page with a run. */
export type RunAction =
  /** `words` as they would be typed; undefined is a plain yes, or with `deny` a plain no. */
  | {
      readonly do: "answer";
      readonly key: string;
      readonly words?: string | undefined;
      readonly deny?: boolean | undefined;
      /** Of a choice: which of the options, counted from 0. */
      readonly chosen?: readonly number[] | undefined;
    }
  | { readonly do: "cancel" }
  | { readonly do: "resume" }
  | { readonly do: "raise"; readonly budget: Budget };

/** Says which run the page showed: another one may have its name by now. */
export type PageRequest = RunAction & { readonly createdAt: number };

export type PageReply =
  | { readonly ok: true; readonly message: string }
  | { readonly ok: false; readonly message: string };
