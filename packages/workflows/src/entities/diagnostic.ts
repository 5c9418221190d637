import { compareCodePoints } from "./code-point-order.ts";

/** Something to report about one file. An `error` means that its entity is disabled or missing. */
export interface Diagnostic {
  readonly severity: "error" | "warning" | "info";
  /** Stable, kebab-case, for filters and docs: `frontmatter-syntax`, `tools-unparsable`, … */
  readonly code: string;
  readonly message: string;
  readonly path?: string;
  /** 1-based, and counted from the top of the file. */
  readonly line?: number;
  readonly column?: number;
  /** What the user can do next. */
  readonly hint?: string;
}

/** Sorts by position, so a list follows the files and is the same on every machine. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareCodePoints(a.path ?? "", b.path ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareCodePoints(a.code, b.code) ||
    compareCodePoints(a.message, b.message)
  );
}
