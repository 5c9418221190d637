// What the text in OpenCode's prompt means to Atomic. Pure.
import { safeLine } from "@atomic/terminal/safe-text";
import { splitWords } from "@atomic/terminal/shell-words";
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

/**
 * The run that Enter would start: its workflow and the arguments, split as in Atomic's own prompt line. Undefined if the text is
 * for OpenCode.
 */
export function typedRun(text: string, workflows: ReadonlySet<string>): readonly string[] | undefined {
  const { commandName, argsText } = parseCommandInput(text);
  if (commandName === "run") return splitWords(argsText);
  return workflows.has(commandName) ? [commandName, ...splitWords(argsText)] : undefined;
}
