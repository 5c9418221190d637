import { formatJson } from "@atomic/terminal/json";
import type { Report } from "../operation.ts";
import type { Failure } from "./error.ts";

/** The whole answer as one document. `ok` says the same as the exit code 0. */
export function formatAnswer<Result>(result: Result, report: Report<Result>): string {
  return formatJson({ ok: report.exitCode(result) === 0, ...report.json(result) });
}

export function formatFailureAsJson({ exitCode: _, ...error }: Failure): string {
  return formatJson({ ok: false, error });
}
