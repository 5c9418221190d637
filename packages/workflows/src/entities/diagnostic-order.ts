import { compareCodePoints } from "./code-point-order.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** By place, so that a list reads like the files, and the same on every machine. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareCodePoints(a.path ?? "", b.path ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareCodePoints(a.code, b.code) ||
    compareCodePoints(a.message, b.message)
  );
}
