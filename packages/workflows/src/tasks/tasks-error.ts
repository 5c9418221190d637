import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { PermanentError } from "../run/step-errors.ts";

/** One thing that is wrong with a tasks file, or a file to make one of. */
export interface TaskProblem {
  readonly code: TaskProblemCode;
  readonly message: string;
  /** `file:line:col`, or the file. */
  readonly at: string;
  readonly hint?: string;
}

export type TaskProblemCode =
  | "missing" // there is no such file
  | "exists" // there is one already
  | "syntax"
  | "shape"
  | "duplicate-key"
  | "duplicate-id"
  | "unknown-dependency"
  | "cycle"
  | "bad-selection" // a selector gave what was not to be chosen
  | "file"; // it could not be locked, read or written

/** All that is wrong, at once. Another attempt would not help before somebody has done something. */
export class TasksError extends PermanentError {
  override readonly name: string = "TasksError";
  readonly problems: readonly TaskProblem[];

  constructor(problems: readonly TaskProblem[], cause?: unknown) {
    const list = problems.map((problem) => ({ ...problem }));
    super(messageOf(problems), { code: "tasks-invalid", details: list, cause });
    this.problems = problems;
  }

  override get exitCode(): number {
    return this.problems.every(({ code }) => code === "missing") ? 1 : 3;
  }
}

function messageOf(problems: readonly TaskProblem[]): string {
  const lines = problems.map(lineOf);
  return lines.length === 1
    ? lines.join("")
    : `${lines.length} problems:${lines.map((line) => `\n  ${line}`).join("")}`;
}

/** A journal keeps the message only, so that it has to have the hint. */
function lineOf({ message, at, hint }: TaskProblem): string {
  return escapeForTerminal(`${at}: ${message}${hint === undefined ? "" : ` ${hint}`}`, { singleLine: true });
}
