// What the text in OpenCode's prompt means to Atomic. Pure.
import { safeLine } from "@atomic/terminal/safe-text";
import { splitWords } from "@atomic/terminal/shell-words";
import { type HintRegistry, hintWhileTyping, parseCommandInput } from "@atomic/workflows/internal/entities/hints";

const runHint = "<workflow> [arguments]";

/**
 * The workflows that have a command with their name: not those at whose name something else happens, nor those whose name has a
 * space, because what follows a space is an argument.
 */
export function ownNames(
  workflows: readonly { readonly name: string }[],
  isTaken: (name: string) => boolean,
): ReadonlySet<string> {
  const names = workflows.map(({ name }) => name);
  return new Set(names.filter((name) => !isTaken(name) && !/\s/.test(name)));
}

/** The workflow whose name you have just typed, although something else happens at it. */
export function withheldName(
  text: string,
  registry: HintRegistry,
  isTaken: (name: string) => boolean,
): string | undefined {
  const { commandName } = parseCommandInput(text);
  return isTaken(commandName) && registry.getWorkflow(commandName) !== undefined ? commandName : undefined;
}

/**
 * What to show beside the prompt: the arguments of a command whose name is complete, until one is typed.
 *
 * @param workflows Those with a command of their own.
 */
export function hintFor(text: string, registry: HintRegistry, workflows: ReadonlySet<string>): string {
  const { commandName, hasArgs, argsText } = parseCommandInput(text);
  if (!hasArgs || text.includes("\n")) return "";
  if (commandName === "run" && argsText !== "") {
    const [workflow, ...others] = /\s$/.test(argsText) ? splitWords(argsText) : [];
    if (workflow === undefined || others.length > 0) return "";
    return safeLine(registry.getWorkflow(workflow)?.argumentHint ?? "");
  }
  if (argsText.trim() !== "") return "";
  if (commandName === "run") return runHint;
  if (workflows.has(commandName)) return safeLine(registry.getWorkflow(commandName)?.argumentHint ?? "");
  const others: HintRegistry = {
    getCommand: (name) => registry.getCommand(name),
    getSkill: (name) => registry.getSkill(name),
    getWorkflow: () => undefined,
  };
  return safeLine(hintWhileTyping(commandName, others) ?? "");
}

/** What is in the prompt once this command was chosen: what was there, but for the beginning of a command, becomes its arguments. */
export function withCommand(name: string, text: string): string {
  if (parseCommandInput(text).commandName === name && /\s/.test(text)) return text;
  return `/${name} ${text.replace(/^\/\S*$/, "").trimStart()}`;
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
