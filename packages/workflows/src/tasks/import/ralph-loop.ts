import { parseFrontmatter } from "../../entities/frontmatter/parse.ts";
import { type TaskProblem, TasksError } from "../tasks-error.ts";

/** A loop of Claude Code's Ralph plugin, as a criteria loop's options. */
export interface RalphLoop {
  readonly prompt: string;
  readonly completionSignal?: string;
  /** 0: no limit, which requires another bound here. */
  readonly maxIterations: number;
  /** How many iterations it had begun. */
  readonly iteration: number;
}

/** Reads `.claude/ralph-loop.local.md`: the loop's settings are in its frontmatter, the prompt is below. */
export function readRalphLoop(text: string, file: string): RalphLoop {
  const { values, bodyStart, complete, diagnostics } = parseFrontmatter(text, { path: file });
  const prompt = text.slice(bodyStart).trim();
  const problems = diagnostics.map(({ message, line = 1, column = 1, hint }): TaskProblem => {
    return { code: "syntax", at: `${file}:${line}:${column}`, message, ...(hint !== undefined && { hint }) };
  });
  if (!complete) throw new TasksError(problems);
  if (prompt === "") {
    throw new TasksError([{ code: "shape", at: file, message: "There is no prompt below the frontmatter." }]);
  }
  const signal = values.completion_promise;
  return {
    prompt,
    ...(typeof signal === "string" && signal !== "" && signal !== "null" && { completionSignal: signal }),
    maxIterations: wholeNumber(values.max_iterations),
    iteration: wholeNumber(values.iteration),
  };
}

function wholeNumber(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
