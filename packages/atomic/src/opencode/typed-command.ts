// What the text in OpenCode's prompt means to Atomic. Pure.
import { safeLine } from "@atomic/terminal/safe-text";
import { splitWords } from "@atomic/terminal/shell-words";
import { type HintRegistry, hintWhileTyping, parseCommandInput } from "@atomic/workflows/internal/entities/hints";
import { lookupKey } from "@atomic/workflows/internal/entities/qualified-name";

const runHint = "<workflow> [arguments]";

/** By their lookup keys, the names of workflows as their authors write them: the name after a slash can be typed in any case. */
export type OwnNames = ReadonlyMap<string, string>;

/**
 * The workflows that have a command with their name: not those at whose name something else happens, nor those whose name has a
 * space, because what follows a space is an argument, nor those whose name begins like an option.
 */
export function ownNames(
  workflows: readonly { readonly name: string; readonly displayName: string }[],
  isTaken: (name: string) => boolean,
): OwnNames {
  const own = workflows.filter(({ name }) => !isTaken(name) && !/^-|\s/.test(name));
  return new Map(own.map(({ name, displayName }) => [lookupKey(name), displayName]));
}

/**
 * The workflow whose name you have just typed, although something else happens at it. Not one that Hugo installed: the command of
 * that name usually came with it, and is the way to start it.
 */
export function withheldName(
  text: string,
  registry: HintRegistry,
  isTaken: (name: string) => boolean,
): string | undefined {
  const { commandName } = parseCommandInput(text);
  const workflow = registry.getWorkflow(commandName);
  if (workflow === undefined || workflow.source.provider === "hugo") return undefined;
  return isTaken(commandName) ? commandName : undefined;
}

/**
 * What to show beside the prompt: the arguments of a command whose name is complete, until one is typed.
 *
 * @param workflows Those with a command of their own.
 */
export function hintFor(text: string, registry: HintRegistry, workflows: OwnNames): string {
  const { commandName, hasArgs, argsText } = parseCommandInput(text);
  if (!hasArgs || text.includes("\n")) return "";
  if (commandName === "run" && argsText !== "") {
    const [workflow, ...others] = /\s$/.test(argsText) ? splitWords(argsText) : [];
    if (workflow === undefined || others.length > 0) return "";
    return safeLine(registry.getWorkflow(workflow)?.argumentHint ?? "");
  }
  if (argsText.trim() !== "") return "";
  if (commandName === "run") return runHint;
  if (workflows.has(lookupKey(commandName))) return safeLine(registry.getWorkflow(commandName)?.argumentHint ?? "");
  const others: HintRegistry = {
    getCommand: (name) => registry.getCommand(name),
    getSkill: (name) => registry.getSkill(name),
    getWorkflow: () => undefined,
  };
  return safeLine(hintWhileTyping(commandName, others) ?? "");
}

/** What is in the prompt once this command was chosen: what was there, but for the beginning of a command, becomes its arguments. */
export function withCommand(name: string, text: string): string {
  if (lookupKey(parseCommandInput(text).commandName) === lookupKey(name) && /\s/.test(text)) return text;
  return `/${name} ${text.replace(/^\/\S*$/, "").trimStart()}`;
}

/**
 * The run that Enter would start: its workflow and the arguments, split as in Atomic's own prompt line. Undefined if the text is
 * for OpenCode.
 */
export function typedRun(text: string, workflows: OwnNames): readonly string[] | undefined {
  const { commandName, argsText } = parseCommandInput(text);
  if (commandName === "run") return splitWords(argsText);
  return workflows.has(lookupKey(commandName)) ? [commandName, ...splitWords(argsText)] : undefined;
}
