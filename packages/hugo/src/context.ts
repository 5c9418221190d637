import type { Capability } from "./packages/capability.ts";

/** Everything a command may know about the world besides its input. */
export interface Context {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: User;
  /** Aborted when the user stops the command: every wait, fetch and program then ends. */
  readonly signal?: AbortSignal;
}

/** The user at a terminal or in OpenCode, if there is one. */
export interface User {
  /** Shows what is about to happen and asks once. `nobody` if no user can answer. */
  approve(request: Approval): Promise<"approved" | "declined" | "nobody">;
  /** Lets the user choose from a list, in any number. Missing where there is no terminal. */
  choose?(choice: Choice): Promise<readonly string[] | "cancelled" | "nobody">;
  /**
   * Throws if an agent is at the keyboard, which must not approve anything for you. Missing where only the user can
   * answer, as in OpenCode's own question.
   */
  refuseAgent?(what: string): void;
  /** Whether the user can see a question and answer it. If missing, they can. */
  readonly isPresent?: boolean;
  /** `--yes`: everything is approved, or the reports with these hashes. Missing if the command has no such option. */
  readonly yes?: boolean | string | undefined;
  /** Shows a report that is about to be refused, because no one can approve it here. Missing where users see questions. */
  show?(request: Approval): Promise<void>;
  /** What the user typed, with this option instead of `--yes`, for a shell. Missing where nothing was typed. */
  again?(option: string): string;
  /** Shows the current step. The next step replaces it, and the end of the command removes it. */
  progress(step: string): void;
}

export interface Choice {
  readonly title: string;
  readonly items: readonly ChoiceItem[];
}

interface ChoiceItem {
  /** What is returned if it is chosen. */
  readonly value: string;
  /** Items of one group follow each other. */
  readonly group: string;
  readonly label: string;
  /** Its author's words, which the code that shows them escapes. */
  readonly detail: string;
}

/** What the user has to approve before it happens. */
export interface Approval {
  /** One line: `Install review 1.0.0 from @org/review`. */
  readonly title: string;
  /** Which package it is, to the last byte, and what happens to it; not where on this machine it is. If missing, the title says it all. */
  readonly package?: object;
  /** What OpenCode gets: each file, and what the user chose (scope, selection, prefix, models). */
  readonly delivered?: object;
  /** What the package can do. */
  readonly capabilities: readonly Capability[];
  /** Lists only the capabilities that an update adds. */
  readonly isMore?: boolean;
  /** Other facts to know first, one line each; the code that shows them escapes foreign text. */
  readonly notes: readonly ApprovalNote[];
  /** Those of the notes that the hash leaves out: they repeat what it covers, or are about this machine, the registry or the time. */
  readonly asides?: readonly string[];
  /** Show every capability and note at once, without a summary. */
  readonly isDetailed?: boolean;
}

/** Many facts of one kind have a line that sums them up; the details have them all. */
export type ApprovalNote = string | { readonly summary: string; readonly all: readonly string[] };
