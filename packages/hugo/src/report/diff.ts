import { escapeForTerminal } from "@atomic/workflows/hidden-characters";
import type { Page } from "@atomic/workflows/terminal/page";
import { type Paint, painter } from "@atomic/workflows/terminal/paint";
import { safe } from "@atomic/workflows/terminal/safe-text";
import type { FileDiff } from "../manage/file-diffs.ts";
import { noticeLines, warning } from "../manage/notes.ts";
import type { DiffHunk, DiffLine } from "../manage/unified-diff.ts";
import { versionLabel } from "../manage/version-label.ts";
import type { Report } from "../operation.ts";
import type { DiffResult } from "../operations/diff.ts";
import { besideOf } from "../plan/step.ts";

/** The text is a patch: what stands between its parts is skipped by the tools that apply one. */
export const diffReport: Report<DiffResult> = {
  text: ({ files, folder }, { colour }) => {
    const paint = painter(colour);
    const titles = [...new Set(files.map(titleOf))];
    const parts = titles.flatMap((title) => [
      `${paint("bold", title)}\n`,
      ...files.filter((file) => titleOf(file) === title).map((file) => section(file, folder, paint)),
    ]);
    return parts.join("");
  },
  notes,
  json: ({ files, notices }) => ({ files, notices }),
  exitCode: () => 0,
};

function titleOf({ workflow, version, side }: FileDiff): string {
  const what = side === "local" ? "local edits" : "an update that could not be merged";
  return safe`# ${workflow} ${versionLabel(version)}: ${what}`;
}

function section({ path, side, change }: FileDiff, folder: string, paint: Paint): string {
  const file = safe`${folder}/${path}`;
  switch (change.kind) {
    case "deleted":
      return `# ${file} was deleted\n`;
    case "binary":
      return `# ${file} differs, but is no text\n`;
    case "unknown-base":
      return `# ${file} differs, but what its package gave is not in the store\n`;
    case "text": {
      const other = side === "local" ? file : safe`${folder}/${besideOf(path)}`;
      const names = `${paint("bold", `--- a/${file}`)}\n${paint("bold", `+++ b/${other}`)}\n`;
      return names + change.hunks.map((hunk) => hunkText(hunk, paint)).join("");
    }
  }
}

function hunkText({ before, after, lines }: DiffHunk, paint: Paint): string {
  const head = `@@ -${before.start},${before.length} +${after.start},${after.length} @@`;
  return `${paint("cyan", head)}\n${lines.map((line) => lineText(line, paint)).join("")}`;
}

function lineText({ mark, text, isUnended }: DiffLine, paint: Paint): string {
  // A carriage return right before the end of a line moves nothing, and a patch needs it.
  const [, line = "", end = ""] = /^(.*?)(\r?)$/s.exec(text) ?? [];
  const shown = `${mark}${escapeForTerminal(line)}`;
  const painted = mark === "+" ? paint("green", shown) : mark === "-" ? paint("red", shown) : shown;
  return `${painted}${end}\n${isUnended === true ? "\\ No newline at end of file\n" : ""}`;
}

function notes({ files, notices }: DiffResult, page: Page): string {
  const isUnknown = files.some(({ change }) => change.kind === "unknown-base");
  return [
    files.length === 0 ? "No local edits.\n" : "",
    isUnknown ? warning("Some files cannot be compared. Next: hugo ci brings the store back.", page) : "",
    ...noticeLines(notices, page),
  ].join("");
}
