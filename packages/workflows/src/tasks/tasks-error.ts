import { DurableError } from "@atomic/durable-files/errors";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { PermanentError } from "../run/step-errors.ts";

/** One problem with a tasks file, or with a list to import. */
export interface TaskProblem {
  readonly code: TaskProblemCode;
  readonly message: string;
  /** `file:line:col`, or the file. */
  readonly at: string;
  readonly hint?: string;
}

type TaskProblemCode =
  | "missing" // the file does not exist
  | "exists" // the file already exists
  | "syntax"
  | "shape"
  | "duplicate-key"
  | "duplicate-id"
  | "unknown-dependency"
  | "cycle"
  | "bad-selection" // a selector returned a task that it was not given
  | "file"; // it could not be locked, read or written

/** All problems at once. Retrying does not help until the file is fixed. */
export class TasksError extends PermanentError {
  override readonly name: string = "TasksError";
  readonly problems: readonly TaskProblem[];
  /** Each of several problems; empty if there is only one. */
  readonly parts: readonly Pick<TaskProblem, "at" | "message" | "hint">[];

  constructor(problems: readonly TaskProblem[], cause?: unknown) {
    const line = (text: string): string => escapeForTerminal(text, { singleLine: true });
    const safe = problems.map(({ at, message, hint }) => {
      return { at: line(at), message: line(message), ...(hint !== undefined && { hint: line(hint) }) };
    });
    const [first, ...others] = safe;
    const code = problems.every((each) => each.code === "missing") ? "tasks-missing" : "tasks-invalid";
    const options = { code, details: problems.map((problem) => ({ ...problem })), cause };
    if (first !== undefined && others.length === 0) {
      const { at, message, hint } = first;
      super(message.includes(at) ? message : `${at}: ${message}`, { ...options, at, hint });
    } else {
      const file = first?.at.replace(/:\d+:\d+$/, "") ?? "";
      super(`${file} has ${safe.length} problems`, { ...options, at: file });
    }
    this.problems = problems;
    this.parts = others.length === 0 ? [] : safe;
  }

  override get exitCode(): number {
    return this.code === "tasks-missing" ? 1 : 3;
  }
}

/** Reports a failure of the file system as a problem with this file. */
export async function explained<T>(file: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    const { message, hint, at = file } = error;
    const said = message.replace(/[.\s]*$/, ".");
    throw new TasksError([{ code: "file", at, message: said, ...(hint !== undefined && { hint }) }], error);
  }
}
