import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { type Colour, painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Diagnostic } from "@atomic/workflows/internal/entities/diagnostic";
import { shortPath, type Where } from "./path.ts";

const colours: Readonly<Record<Diagnostic["severity"], Colour>> = { error: "red", warning: "yellow", info: "cyan" };

/** `file:line:column: error: message [code]`, as compilers write it and editors read it, and what to do below. */
export function formatDiagnostic(diagnostic: Diagnostic, where: Where, page: Page): string {
  const { severity, code, message, hint, path, line, column } = diagnostic;
  const paint = painter(page.colour);
  const parts = path === undefined ? [] : [shortPath(path, where), line, column];
  const place = parts.filter((part) => part !== undefined).join(":");
  const start = place === "" ? "" : `${paint("bold", safeLine(place))}: `;
  const problem = `${start}${paint(colours[severity], severity)}: ${safeLine(message)} ${paint("dim", safe`[${code}]`)}`;
  const advice = hint === undefined ? "" : paragraph(safeLine(hint), page, { lead: "  ", indent: "  " });
  return paragraph(problem, page, { indent: "    " }) + advice;
}

/** By file, and in each from top to bottom. */
export function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const order = new Map([...new Set(diagnostics.map(({ path }) => path))].map((path, at) => [path, at]));
  return diagnostics.toSorted(
    (a, b) =>
      (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}

/** `1 error, 2 warnings`; empty if there is nothing. */
export function countDiagnostics(diagnostics: readonly Diagnostic[]): string {
  const severities = ["error", "warning", "info"] as const;
  return severities
    .map((severity) => [severity, diagnostics.filter((diagnostic) => diagnostic.severity === severity).length] as const)
    .filter(([, amount]) => amount > 0)
    .map(([severity, amount]) => count(amount, severity === "info" ? "note" : severity))
    .join(", ");
}
