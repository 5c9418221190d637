import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { safe } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Finding } from "@atomic/workflows/lint/finding";
import type { LintResult } from "../commands/lint.ts";
import { countDiagnostics, formatDiagnostic } from "./diagnostics.ts";
import { factSheet } from "./facts.ts";
import { shortPath } from "./path.ts";
import { readerFact } from "./reader.ts";

export const lintReport: Report<LintResult> = {
  text: (result, page) => [...groups(result, page), ...readers(result, page)].join("\n"),
  notes: (result, page) => {
    const space = page.columns === undefined || lintReport.text(result, page) === "" ? "" : "\n";
    return space + paragraph(summary(result), page, { indent: "  " });
  },
  json: ({ where, target, files, findings }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    target,
    files,
    findings,
  }),
  exitCode: ({ target, findings }) => (target.kind === "unread" || findings.some(isError) ? 1 : 0),
  error: (result) => {
    const first = result.findings.find(isError);
    if (first === undefined) return { code: "not-readable", message: summary(result), at: result.target.path };
    const at = [first.path, first.line, first.column].filter((part) => part !== undefined).join(":");
    return { code: "lint-errors", message: summary(result), at, hint: "`findings` lists them all." };
  },
};

/** The findings of each file. */
function groups(result: LintResult, page: Page): string[] {
  const byFile = new Map<string | undefined, string>();
  for (const finding of result.findings) {
    if (!isShown(finding, result)) continue;
    byFile.set(finding.path, (byFile.get(finding.path) ?? "") + formatDiagnostic(finding, result.where, page));
  }
  return [...byFile.values()];
}

/** Somebody who asks about one file wants to know all about it. */
function isShown({ severity }: Finding, { asked, target }: LintResult): boolean {
  return severity !== "info" || asked.all || target.kind === "file";
}

function readers({ target, files }: LintResult, page: Page): string[] {
  if (target.kind !== "file") return [];
  const entities = files.filter(({ path }) => path === target.path).flatMap((file) => file.entities);
  return entities
    .filter((entity) => entity.readers.length > 0)
    .map((entity) => factSheet(entity.type, entity.qualifiedName, entity.readers.map(readerFact), page));
}

function summary(result: LintResult): string {
  const { target, where, files, findings } = result;
  if (target.kind === "unread")
    return safe`No tool reads ${shortPath(target.path, where)} as an agent, command, skill or workflow.`;
  const hidden = findings.filter((finding) => !isShown(finding, result));
  const more = hidden.length === 0 ? "" : `; ${count(hidden.length, "remark")} (see --all)`;
  const problems = countDiagnostics(findings.filter((finding) => isShown(finding, result)));
  if (files.length === 0 && problems === "")
    return safe`No agents, commands, skills or workflows in ${placesOf(result)}.`;
  return `${count(files.length, "file")} checked: ${problems === "" ? "nothing is wrong" : problems}${more}`;
}

function placesOf({ asked, target, where }: LintResult): string {
  return asked.user ? `${target.path} and ${where.home}` : target.path;
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}
