import { count } from "@atomic/workflows/terminal/count";
import type { Page } from "@atomic/workflows/terminal/page";
import { painter } from "@atomic/workflows/terminal/paint";
import { safe, safeLine } from "@atomic/workflows/terminal/safe-text";
import type { Report } from "../operation.ts";
import type { Initialized } from "../operations/init.ts";

export const reportInit: Report<Initialized> = { text, notes, json, exitCode: () => 0 };

function text({ shownFolder, package: name, files, dryRun }: Initialized, { colour }: Page): string {
  const did = dryRun ? "Would write" : "Wrote";
  const lines = files.map((path) => `  ${painter(colour)("green", "+")} ${safeLine(path)}\n`);
  return `${safe`${did} ${name} to ${shownFolder}: ${count(files.length, "file")}`}\n${lines.join("")}`;
}

function notes({ shownFolder, dryRun }: Initialized): string {
  if (dryRun) return "Nothing was written.\n";
  const go = shownFolder === "." ? "" : safe`cd ${shownFolder} && `;
  return `Next: \`${go}npm install && hugo build --check\` loads it in the real OpenCode.\n`;
}

function json({ folder, package: name, workflow, files, dryRun }: Initialized): object {
  return { folder, package: name, workflow, files, dryRun };
}
