// What a person reads before saying yes.
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { safeLine } from "@atomic/terminal/safe-text";
import { formatCapabilities } from "../commands/report/capabilities.ts";
import type { Approval } from "../trust/approval-request.ts";

/** Neither OpenCode's screens nor models want colours, and both break lines themselves. */
export const plain: Page = { colour: false };

/** More than that is on no screen. */
const mostLines = 50;
/** One that is longer would push all others away. */
const longestLine = 400;

/** What it can do comes first: OpenCode shows some ten lines, and the others only to those who ask for them. */
export function formatQuestion({ title, capabilities, isMore = false, notes }: Approval): string {
  return [
    `${safeLine(title)}\n`,
    capabilities.length === 0
      ? ""
      : `It can do ${count(capabilities.length, "thing")}${isMore ? " that it could not do before" : ""}:\n`,
    capabilities.length === 0 ? "" : formatCapabilities(capabilities, plain),
    ...notes.map((note) => `  ${safeLine(note)}\n`),
  ].join("");
}

/** As much of a text as a person can take in; what is left out is said first and last. */
export function fitted(text: string, command: string): string {
  const lines = text.trimEnd().split("\n").map(shortened);
  if (lines.length <= mostLines) return lines.join("\n");
  const [first = "", ...rest] = lines.slice(0, mostLines);
  const missing = `… ${count(lines.length - mostLines, "more line")} that cannot be shown here. All of them: ${command}`;
  return [first, missing, ...rest, missing].join("\n");
}

function shortened(line: string): string {
  const left = line.length - longestLine;
  return left <= 0 ? line : `${line.slice(0, longestLine)}… and ${count(left, "more character")}`;
}
