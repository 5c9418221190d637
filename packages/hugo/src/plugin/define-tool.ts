import { everywhere } from "../cli/flags.ts";
import type { ArgumentSpec, Operation, OptionSpec } from "../operation.ts";
import { findOperation } from "../operations.ts";
import type { Tool } from "./tools.ts";

interface Definition {
  readonly description: string;
  /** Goes out with every request to a model, so that it says no more than is needed. */
  readonly jsonSchema: object;
}

/** The argument that no command line has: in a terminal, nobody can reload OpenCode. */
const reloadSummary = "Reload OpenCode when the turn is over, to use the change";

/** Of the operation, which is loaded for it. */
export async function definitionOf({ operation, options }: Tool): Promise<Definition> {
  return defineTool(await findOperation(operation)!.load(), options);
}

/** What a model is told: the operation's own words. */
function defineTool(operation: Operation, offered: Tool["options"]): Definition {
  const named = Object.entries(operation.arguments);
  const options = offeredOptions(operation, offered);
  const required = named.flatMap(([name, { count }]) => (count === "one" ? [name] : []));
  return {
    description: operation.summary,
    jsonSchema: {
      type: "object",
      properties: {
        ...Object.fromEntries(named.map(([name, spec]) => [name, argumentSchema(spec)])),
        ...Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, optionSchema(spec)])),
        ...(operation.mutates && { reload: { type: "boolean", description: reloadSummary } }),
      },
      ...(required.length > 0 && { required }),
    },
  };
}

/** Those that a model may use, by name. */
export function offeredOptions(operation: Operation, offered: Tool["options"]): Readonly<Record<string, OptionSpec>> {
  const own = Object.entries(operation.options).filter(([name]) => offered.includes(name));
  return Object.fromEntries([...own, ...Object.entries(everywhere).filter(([name]) => name === "global")]);
}

function argumentSchema({ count, summary: description }: ArgumentSpec): object {
  if (count === "many") return { type: "array", items: { type: "string" }, description };
  return { type: "string", description };
}

function optionSchema(spec: OptionSpec): object {
  const { kind, summary: description } = spec;
  if (kind === "flag") return { type: "boolean", description };
  return { type: "string", ...(kind === "choice" && { enum: spec.choices }), description };
}
