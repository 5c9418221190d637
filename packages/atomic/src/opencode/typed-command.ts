// What the text in OpenCode's prompt means to Atomic. Pure.
import { safeLine } from "@atomic/terminal/safe-text";
import { getCommandHint, type HintRegistry, parseCommandInput } from "@atomic/workflows/internal/entities/hints";

const runHint = "<workflow> [arguments]";

/** What to show beside the prompt: the arguments of a command whose name is complete, until one is typed. */
export function hintFor(text: string, registry: HintRegistry): string {
  const { commandName, hasArgs, argsText } = parseCommandInput(text);
  if (!hasArgs || text.includes("\n")) return "";
  if (commandName === "run" && argsText !== "") {
    const [, workflow] = /^(\S+)\s+$/.exec(argsText) ?? [];
    return workflow === undefined ? "" : safeLine(registry.getWorkflow(workflow)?.argumentHint ?? "");
  }
  if (argsText.trim() !== "") return "";
  return commandName === "run" ? runHint : safeLine(getCommandHint(commandName, registry) ?? "");
}

export interface TypedRun {
  readonly workflow: string;
  /** As typed. */
  readonly words: string;
}

/** The run that Enter would start; undefined if the text is for OpenCode. */
export function typedRun(text: string, workflows: ReadonlySet<string>): TypedRun | undefined {
  const { commandName, argsText } = parseCommandInput(text);
  if (commandName === "run") {
    const [, workflow = "", words = ""] = /^\s*(\S*)\s*(.*)$/s.exec(argsText) ?? [];
    return { workflow, words };
  }
  return workflows.has(commandName) ? { workflow: commandName, words: argsText } : undefined;
}
