// Where a model has to wait for the user.

import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { safeLine } from "@atomic/terminal/safe-text";
import { isSummed, notesIn, titledCapabilities } from "../commands/shared/capabilities.ts";
import type { Approval } from "../context.ts";
import type { ToolContext } from "./opencode.ts";
import { type AskedCalls, isAllowed, patternOf, type Settings } from "./permission-rules.ts";
import type { HugoTool } from "./tools.ts";

interface GateOptions {
  readonly tool: HugoTool;
  readonly call: ToolContext;
  readonly settings: Settings;
  readonly asked: AskedCalls;
}

export class Gate {
  /** Why something was not done, for the model. */
  readonly refusals: Set<string> = new Set();
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Shows the user this text and returns whether they agree. The end of the turn counts as "no".
   *
   * @param about The packages or workflows, and what you would type instead.
   */
  async ask(text: string, about: { readonly subjects: readonly string[]; readonly command: string }): Promise<boolean> {
    const { subjects, command } = about;
    const { call, asked, settings, tool } = this.#options;
    const instead = `The user can run \`${command}\` in a terminal and approve it there.`;
    const report = fitted(text, command);
    const [subject = "*", ...others] = subjects;
    const patterns = [patternOf(subject, report), ...others];
    const before = asked.times(call.callID);
    try {
      await untilAbort(
        call.ask({ permission: `${tool.name}: ${report}`, patterns, always: [], metadata: { report } }),
        call.abort,
      );
    } catch (error) {
      this.refusals.add(refusalOf(error, tool, instead));
      return false;
    }
    if (asked.times(call.callID) > before || isAllowed(settings, tool, patterns)) return true;
    this.refusals.add(
      `A permission rule let ${tool.name} run without asking the user, but it needs the user's approval. ${instead}`,
    );
    return false;
  }
}

function refusalOf(error: unknown, { name }: HugoTool, instead: string): string {
  const { _tag: tag, feedback } = (error ?? {}) as { readonly _tag?: unknown; readonly feedback?: unknown };
  switch (tag) {
    case "PermissionRejectedError":
      return `The user did not approve. Do not try to work around this. If no user was there to answer, as in \`opencode run\`: ${instead}`;
    case "PermissionCorrectedError":
      return `The user did not approve and said: ${safeLine(String(feedback))}`;
    case "PermissionDeniedError":
      return `The user's permission rules deny ${name}.`;
    case "aborted":
      return "The turn ended before the user answered.";
    default:
      throw error;
  }
}

/** The turn is over. */
class Aborted extends Error {
  readonly _tag = "aborted";
}

/** OpenCode drops the questions of an ended turn; the caller waiting for the answer must not hang. */
async function untilAbort(answer: Promise<void>, signal: AbortSignal): Promise<void> {
  const answered = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Aborted()), { once: true, signal: answered.signal });
    if (signal.aborted) reject(new Aborted());
  });
  try {
    await Promise.race([answer, aborted]);
  } finally {
    answered.abort();
  }
}

/** Neither OpenCode's screens nor models want colors, and both break lines themselves. */
export const plain: Page = { colour: false };

/** No screen shows more. */
const mostLines = 50;
/** A longer line would push all others away. */
const longestLine = 400;

/** Capabilities come first: OpenCode shows about ten lines, and the rest only on request. */
export function formatQuestion(request: Approval, command: string): string {
  const { title, capabilities, isMore = false } = request;
  return [
    `${safeLine(title)}\n`,
    capabilities.length === 0 ? "" : titledCapabilities(capabilities, { isMore, isDetailed: false }, plain),
    ...notesIn(request).map((note) => `  ${safeLine(note)}\n`),
    isSummed(request) ? `To see all details: ${command}\n` : "",
  ].join("");
}

/** As much text as a person can take in; what is left out is mentioned first and last. */
export function fitted(text: string, command: string): string {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const left = line.length - longestLine;
      return left <= 0 ? line : `${line.slice(0, longestLine)}… and ${count(left, "more character")}`;
    });
  if (lines.length <= mostLines) return lines.join("\n");
  const [first = "", ...rest] = lines.slice(0, mostLines);
  const missing = `… ${count(lines.length - mostLines, "more line")} that cannot be shown here. To see them all: ${command}`;
  return [first, missing, ...rest, missing].join("\n");
}
