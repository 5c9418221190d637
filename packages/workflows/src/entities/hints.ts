import { findWantedArguments, hasNamedArguments } from "./arguments.ts";
import { BodyUnreadableError } from "./define-entity.ts";
import type { Entity } from "./entity.ts";

/** What a hint is made from; every `Entity` has it. */
export type HintSource = Pick<Entity, "type" | "name" | "argumentHint" | "argumentNames" | "prompt" | "source">;

/** The part of a registry that hints need. */
export interface HintRegistry {
  getCommand(name: string): HintSource | undefined;
  getSkill(name: string): HintSource | undefined;
  getWorkflow(name: string): HintSource | undefined;
}

/** An empty hint means "takes no arguments"; no hint means that nothing is known. */
const builtinHints = new Map([
  ["ralph", "--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>"],
  ["commit", "[message] | --amend"],
  ["research-codebase", "<question or topic>"],
  ["create-spec", "<research-doc-path>"],
  ["implement-feature", "[feature-id]"],
  ["create-feature-list", "<spec-path>"],
  ["create-gh-pr", "[title]"],
  ["explain-code", "<file-path> [function-name]"],
  ["model", "select | refresh | list [provider] | <model-name>"],
  ["compact", "[focus-instructions]"],
  ["resume", "[session-id]"],
  ["clear", ""],
  ["help", "[command-name]"],
]);

/**
 * What to show after a command's name while its arguments are missing: its `argument-hint`, or else its named arguments,
 * or else its body's placeholders, or else the hint of the builtin with that name. A name is looked up as a command,
 * then a skill, then a workflow (whose hint is what `atomic run` accepts after its name); yours come before builtins.
 * `undefined` means that nothing is known, and `""` that the command takes no arguments.
 *
 * @example
 * getCommandHint("commit"); // "[message] | --amend"
 * getCommandHint(registry.getCommand("review")); // "<arg1> <arg2>", from a body with $1 and $2
 * getCommandHint("release", registry); // "<version> | --draft", from the arguments in .atomic/workflows/release.ts
 */
export function getCommandHint(command: HintSource | string, registry?: HintRegistry): string | undefined {
  const name = typeof command === "string" ? command : command.name;
  const candidates = [registry?.getCommand(name), registry?.getSkill(name), registry?.getWorkflow(name)];
  const found = candidates.filter((each) => each !== undefined);
  const own = found.find(({ source }) => source.location !== "builtin") ?? found[0];
  const entity = typeof command === "string" ? own : command;
  if (entity?.argumentHint !== undefined) return entity.argumentHint;
  // A workflow's body is code, which has no placeholders.
  if (entity?.type === "workflow") return undefined;
  if (entity !== undefined) {
    const { provider } = entity.source;
    if (hasNamedArguments(provider) && entity.argumentNames.length > 0) {
      return entity.argumentNames.map((each) => `[${each}]`).join(" ");
    }
    // Read the body, perhaps from disk, only if the frontmatter has no hint.
    const { positions, all } = findWantedArguments(entity.prompt, { provider });
    const highest = positions.findLast((position) => position < maxPositions);
    if (highest !== undefined) return Array.from({ length: highest + 1 }, (_, i) => `<arg${i + 1}>`).join(" ");
    if (all) return "[arguments]";
  }
  return builtinHints.get(name.toLowerCase());
}

/** The same while you type: a file that cannot be read any more is an error when you run the command. */
export function hintWhileTyping(command: HintSource | string, registry?: HintRegistry): string | undefined {
  try {
    return getCommandHint(command, registry);
  } catch (error) {
    if (error instanceof BodyUnreadableError) return undefined;
    throw error;
  }
}

/** `$20` is probably a price, not the twentieth argument. */
const maxPositions = 9;

export interface CommandInput {
  /** Without the slash; empty if the input is not a command. */
  readonly commandName: string;
  /** Whether the name is complete, that is, followed by white space. `argsText` may still be empty. */
  readonly hasArgs: boolean;
  /** Everything after the first white space that follows the name, as typed. */
  readonly argsText: string;
}

/**
 * Splits a prompt line. A command starts with a slash at the very beginning, and its name ends at the first space, tab
 * or line break. Names may be nested (`/sub/fix`, `/ns:fix`), so a path such as `/usr/bin` looks like a command: only a
 * registry can tell them apart. `//` and a slash before white space do not start a command.
 *
 * @example
 * parseCommandInput("/commit --amend"); // { commandName: "commit", hasArgs: true, argsText: "--amend" }
 */
export function parseCommandInput(input: string): CommandInput {
  const match = /^\/(?!\/)(\S+)(\s?)/.exec(input);
  if (match === null) return { commandName: "", hasArgs: false, argsText: "" };
  const [start, commandName = "", space] = match;
  return { commandName, hasArgs: space !== "", argsText: input.slice(start.length) };
}
