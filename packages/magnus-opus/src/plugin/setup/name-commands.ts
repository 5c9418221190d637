// Where you have a command with the name of one of ours, yours stays as it is, and ours gets another name.
import type { OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Workflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { nameInOpencode, otherNames } from "../../run/agent-names.ts";
import { type CommandNames, withCommands } from "../../run/command-names.ts";
import { lookUp } from "../../run/state.ts";
import { say } from "../../words/template.ts";
import type { MagnusSettings } from "../live/settings.ts";
import { ownerOf } from "./name-agents.ts";

/** OpenCode's own short names, if the settings claim them. */
export const claimedCommands: Readonly<Record<string, string>> = { review: "magnus-review", help: "magnus-help" };

/** Whether the config has another command with this name. An entry without a template only changes settings of ours. */
export function isCommandTaken(config: OpencodeConfig, name: string): boolean {
  const owner = ownerOf(config, "command", name);
  if (owner !== undefined) return owner !== "magnus-opus";
  const { template } = (lookUp(config.command ?? {}, name) ?? {}) as { readonly template?: unknown };
  return typeof template === "string" && template.trim() !== "";
}

/** The workflow as OpenCode gets it; `settings` are changed accordingly. A short name that is taken is not claimed. */
export function nameCommands(
  workflow: Workflow,
  settings: Pick<MagnusSettings, "commandNames" | "commands">,
  taken: (name: string) => boolean,
): Workflow {
  const isShort = (name: string): boolean => Object.hasOwn(claimedCommands, name);
  const names = otherNames(
    Object.keys(workflow.commands).filter((name) => !isShort(name)),
    taken,
  );
  const commands = Object.entries(workflow.commands).flatMap(([name, command]) => {
    if (isShort(name) && taken(name)) return [];
    const template = withCommands(command.template, names);
    const ours = lookUp(claimedCommands, name) ?? name;
    return [{ name: nameInOpencode(names, name), ours, command: { ...command, template } }];
  });
  settings.commandNames = names;
  settings.commands = Object.fromEntries(
    commands.map(({ name, ours, command: { template } }) => [name, { ours, template }]),
  );
  return {
    ...workflow,
    commands: Object.fromEntries(commands.map(({ name, command }) => [name, command])),
    diagnostics: workflow.diagnostics.map((each) => ({
      ...each,
      ...(each.hint !== undefined && { hint: withCommands(each.hint, names) }),
    })),
  };
}

/**
 * Which of our commands this is, if it is ours; undefined if it is not. Its name alone says nothing: another plugin may have
 * replaced it. `text`: what OpenCode made of its template, in which ours name only an argument that is always empty.
 */
export function ourCommand(
  { commands }: Pick<MagnusSettings, "commands">,
  name: string,
  text: string | undefined,
): string | undefined {
  const found = lookUp(commands, name);
  if (found === undefined || text === undefined) return undefined;
  const plain = (words: string): string => words.replaceAll("$99999", "").replaceAll(/\s+/g, " ").trim();
  return plain(found.template) === plain(text) ? found.ours : undefined;
}

/** What you are told about them. */
export function renamedCommands(names: CommandNames): readonly string[] {
  return Object.entries(names).map(([ours, name]) => say("renamed-command", { ours, name }));
}
