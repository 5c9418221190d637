import { relative, sep } from "node:path";
import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import type { HugoError } from "../../errors.ts";

/** What an author should know about a package. With an error in it, it would not work for others. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly message: string;
  /** A path in the package (from where you are, once `hugo build` reports it), `path:line:col` if that is known. */
  readonly at?: string;
  readonly hint: string;
}

export function error(at: string, message: string, hint: string): Problem {
  return { severity: "error", at, message, hint };
}

export function warning(at: string, message: string, hint: string): Problem {
  return { severity: "warning", at, message, hint };
}

/** Its message begins with the place, which is said already. */
export function problemsOf({ message, at, hint, parts }: HugoError): Problem[] {
  if (parts.length > 0) return parts.map((part) => error(part.at, part.message, hint));
  const lead = `${at}: `;
  const rest = at !== undefined && message.startsWith(lead) ? message.slice(lead.length) : message;
  return [{ severity: "error", message: rest, ...(at !== undefined && { at }), hint }];
}

export function problemOfDiagnostic(folder: string, diagnostic: Diagnostic): Problem {
  const { severity, message, path, line, column, hint = "" } = diagnostic;
  const file = path === undefined ? undefined : relative(folder, path).split(sep).join("/") || ".";
  const at = file === undefined ? undefined : [file, line, column].filter((part) => part !== undefined).join(":");
  return { severity: severity === "error" ? "error" : "warning", message, ...(at !== undefined && { at }), hint };
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}
