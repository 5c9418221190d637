// Where a model has to wait for a person.
import { safeLine } from "@atomic/terminal/safe-text";
import type { AskedCalls } from "./asked-calls.ts";
import type { ToolContext } from "./opencode.ts";
import { isAllowed, patternOf, type Settings } from "./permission-rules.ts";
import { fitted } from "./question.ts";
import type { Tool } from "./tools.ts";

interface GateOptions {
  readonly tool: Tool;
  readonly call: ToolContext;
  readonly settings: Settings;
  readonly asked: AskedCalls;
}

export interface Topic {
  /** The packages or workflows that it is about. */
  readonly subjects: readonly string[];
  /** What a person types instead. */
  readonly command: string;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #refusals = new Set<string>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Why something was not done, for the model. */
  get refusals(): readonly string[] {
    return [...this.#refusals];
  }

  /** Whether the user agrees, who reads this text. Ends with "no" when the turn ends. */
  async ask(text: string, { subjects, command }: Topic): Promise<boolean> {
    const { call, asked, settings, tool } = this.#options;
    const instead = `A person can run \`${command}\` in a terminal and is asked there.`;
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
      this.#refusals.add(refusalOf(error, tool, instead));
      return false;
    }
    if (asked.times(call.callID) > before || isAllowed(settings, tool, patterns)) return true;
    this.#refusals.add(
      `A permission rule let ${tool.name} pass without asking anybody, and that is not enough. ${instead}`,
    );
    return false;
  }
}

function refusalOf(error: unknown, { name }: Tool, instead: string): string {
  const { _tag: tag, feedback } = (error ?? {}) as { readonly _tag?: unknown; readonly feedback?: unknown };
  switch (tag) {
    case "PermissionRejectedError":
      return `The user did not agree. Do not try it in another way. If nobody was there to answer, as in \`opencode run\`: ${instead}`;
    case "PermissionCorrectedError":
      return `The user did not agree, and says: ${safeLine(String(feedback))}`;
    case "PermissionDeniedError":
      return `A permission rule of the user denies ${name}.`;
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

/** OpenCode forgets about questions of a turn that was ended; whoever waits for the answer must not. */
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
