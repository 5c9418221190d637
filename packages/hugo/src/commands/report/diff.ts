import type { Report } from "@atomic/terminal/command";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import type { Page } from "@atomic/terminal/page";
import { type Paint, painter } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { versionLabel } from "../../packages/version-label.ts";
import { besideOf } from "../../workspace/step.ts";
import type { DiffResult } from "../diff.ts";
import type { FileDiff } from "../shared/file-diffs.ts";
import { noticeLines, warning } from "../shared/notes.ts";
import type { DiffHunk, DiffLine } from "../shared/unified-diff.ts";

/** The text is a patch of the local edits: of all other lines, which begin with #, the tools that apply one take none. */
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
      return change.hunks === undefined ? `# ${file} was deleted\n` : deletion(file, change.hunks, paint);
    case "binary":
      return `# ${file} differs, but is no text\n`;
    case "unknown-base":
      return `# ${file} differs, but what its package gave is not in the store\n`;
    case "text": {
      if (side === "local") return patch([`--- a/${file}`, `+++ b/${file}`], change.hunks, paint);
      const names = [`--- a/${file}`, safe`+++ b/${folder}/${besideOf(path)}`];
      return patch(names, change.hunks, paint).replace(/^(?=.)/gm, "# ");
    }
  }
}

function deletion(file: string, hunks: readonly DiffHunk[], paint: Paint): string {
  const head = [`diff --git a/${file} b/${file}`, "deleted file mode 100644"];
  return patch(hunks.length === 0 ? head : [...head, `--- a/${file}`, "+++ /dev/null"], hunks, paint);
}

function patch(head: readonly string[], hunks: readonly DiffHunk[], paint: Paint): string {
  const lines = head.map((line) => `${paint("bold", line)}\n`);
  return [...lines, ...hunks.map((hunk) => hunkText(hunk, paint))].join("");
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
