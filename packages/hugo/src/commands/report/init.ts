import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { painter } from "@atomic/terminal/paint";
import { safe, safeLine } from "@atomic/terminal/safe-text";
import { paragraph } from "@atomic/terminal/wrap";
import type { Initialized } from "../init.ts";

export const reportInit: Report<Initialized> = { text, notes, json, exitCode: () => 0 };

function text({ shownFolder, package: name, files, dryRun }: Initialized, page: Page): string {
  const did = dryRun ? "Would write" : "Wrote";
  const lines = files.map((path) => `  ${painter(page.colour)("green", "+")} ${safeLine(path)}\n`);
  const title = safe`${did} ${name} to ${shownFolder}: ${count(files.length, "file")}`;
  return paragraph(title, page, { indent: "  " }) + lines.join("");
}

function notes({ shownFolder, dryRun }: Initialized, page: Page): string {
  if (dryRun) return "Dry run: nothing was written.\n";
  const go = shownFolder === "." ? "" : safe`cd ${shownFolder} && `;
  const next = `Next: \`${go}npm install && hugo build --check\` loads it in the real OpenCode.`;
  return paragraph(next, page, { indent: "  " });
}

function json({ folder, package: name, workflow, files, dryRun }: Initialized): object {
  return { folder, package: name, workflow, files, dryRun };
}
