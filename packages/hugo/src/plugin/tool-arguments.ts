// Turns a model's arguments into a command's input. OpenCode passes on anything, whatever the schema says.
import type { OptionSpec } from "@atomic/terminal/command";
import { suggestion } from "@atomic/terminal/read-command-line";
import { UsageError } from "@atomic/terminal/refusal";
import { type CommonInput, type HugoCommand, sharedOptions } from "../commands/shared/hugo-command.ts";
import { findCommand } from "../commands.ts";
import type { HugoTool } from "./tools.ts";

type Value = boolean | string | readonly string[] | undefined;

export interface ToolArguments {
  /** Checked against the command's specs, which give it its type. */
  readonly input: CommonInput & Readonly<Record<string, Value>>;
  /** The names it is about, in the order given. */
  readonly subjects: readonly string[];
  readonly reload: boolean;
}

/** @throws {UsageError} */
export function readArguments(command: HugoCommand, tool: HugoTool, given: unknown): ToolArguments {
  const isMap = typeof given === "object" && given !== null && !Array.isArray(given);
  if (given !== undefined && !isMap) refuse(tool, "needs an object with named arguments");
  // Models like to send `false` and `null` for everything they do not mean.
  const entries = Object.entries((given ?? {}) as Readonly<Record<string, unknown>>);
  const values = new Map(entries.filter(([, value]) => value !== undefined && value !== null && value !== false));
  const offered = offeredOptions(command, tool.options);
  const known = [...Object.keys(command.arguments), ...Object.keys(offered), ...(command.mutates ? ["reload"] : [])];
  for (const name of values.keys()) {
    if (known.includes(name)) continue;
    throw new UsageError(`${tool.name} has no argument "${name}"${suggestion(name, known)}`, {
      hint: `Its arguments are ${known.join(", ")}. Nothing was changed. Only the user can relax a check, and only in a terminal.`,
    });
  }
  const named = Object.entries(command.arguments).map(([name, { count }]): [string, Value] => {
    const value = values.get(name);
    if (value === undefined && (count === "one" || count === "some")) refuse(tool, `needs "${name}"`);
    if (count !== "many" && count !== "some") return [name, value === undefined ? undefined : text(tool, name, value)];
    const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
    return [name, list.map((each) => text(tool, name, each))];
  });
  const chosen = Object.entries({ ...command.options, ...offered }).map(([name, spec]): [string, Value] => {
    if (spec.kind === "flag") return [name, flag(tool, name, values.get(name))];
    if (!values.has(name)) return [name, undefined];
    const value = text(tool, name, values.get(name));
    if (spec.kind === "choice" && !spec.choices.includes(value)) {
      refuse(tool, `needs one of ${spec.choices.join(", ")} for "${name}"`);
    }
    return [name, value];
  });
  return {
    // Never from the model: it can neither agree for the user nor ask for a dry run.
    input: { global: false, ...Object.fromEntries([...named, ...chosen]), dryRun: false, yes: false },
    subjects: named.flatMap(([, value]) => (typeof value === "string" || Array.isArray(value) ? value : [])),
    reload: command.mutates && flag(tool, "reload", values.get("reload")),
  };
}

function flag(tool: HugoTool, name: string, value: unknown): boolean {
  if (value === undefined || value === true) return value === true;
  return refuse(tool, `needs true or false for "${name}"`);
}

function text(tool: HugoTool, name: string, value: unknown): string {
  return typeof value === "string" && value !== "" ? value : refuse(tool, `needs text for "${name}"`);
}

function refuse({ name }: HugoTool, problem: string): never {
  throw new UsageError(`${name} ${problem}`, { hint: "Nothing was changed." });
}

/** The options a model may use, by name. */
function offeredOptions(command: HugoCommand, offered: HugoTool["options"]): Readonly<Record<string, OptionSpec>> {
  const own = Object.entries(command.options).filter(([name]) => offered.includes(name));
  return { ...Object.fromEntries(own), global: sharedOptions.everywhere.global };
}

/** A tool for the model, in the command's own words. It is short, because every request has it. Loads the command. */
export async function definitionOf(
  tool: HugoTool,
): Promise<{ readonly description: string; readonly jsonSchema: object }> {
  const command = await findCommand(tool.command)!.load();
  const named = Object.entries(command.arguments);
  const required = named.flatMap(([name, { count }]) => (count === "one" || count === "some" ? [name] : []));
  const properties: Record<string, object> = {};
  for (const [name, { count, summary: description }] of named) {
    const isList = count === "many" || count === "some";
    const type = isList ? { type: "array", items: { type: "string" } } : { type: "string" };
    properties[name] = { ...type, description };
  }
  for (const [name, spec] of Object.entries(offeredOptions(command, tool.options))) {
    const { kind, summary: description } = spec;
    const choices = kind === "choice" ? { enum: spec.choices } : {};
    properties[name] = kind === "flag" ? { type: "boolean", description } : { type: "string", ...choices, description };
  }
  // Its meaning is obvious, and nine tools have it.
  properties.global = { type: "boolean" };
  // No command line has this argument: OpenCode cannot be reloaded from a terminal.
  if (command.mutates) properties.reload = { type: "boolean", description: "Reload OpenCode after this turn" };
  return {
    description: command.summary,
    jsonSchema: { type: "object", properties, ...(required.length > 0 && { required }) },
  };
}
