// What models are told of the tools.
import type { ArgumentSpec, OptionSpec } from "@atomic/terminal/command";
import type { Operation } from "../commands/shared/operation.ts";
import { findOperation } from "../commands.ts";
import { offeredOptions } from "./offered-options.ts";
import type { Tool } from "./tools.ts";

interface Definition {
  readonly description: string;
  /** Goes out with every request to a model, so that it says no more than is needed. */
  readonly jsonSchema: object;
}

/** The argument that no command line has: in a terminal, nobody can reload OpenCode. */
const reloadSummary = "Reload OpenCode after this turn";

/** Of the operation, which has to be loaded for it: when Hugo is bundled, so that nobody has to wait for it later. */
export async function definitionOf({ operation, options }: Tool): Promise<Definition> {
  return defineTool(await findOperation(operation)!.load(), options);
}

/** What a model is told: the operation's own words. */
function defineTool(operation: Operation, offered: Tool["options"]): Definition {
  const named = Object.entries(operation.arguments);
  const options = offeredOptions(operation, offered);
  const required = named.flatMap(([name, { count }]) => (count === "one" || count === "some" ? [name] : []));
  return {
    description: operation.summary,
    jsonSchema: {
      type: "object",
      properties: {
        ...Object.fromEntries(named.map(([name, spec]) => [name, argumentSchema(spec)])),
        ...Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, optionSchema(spec)])),
        // Everybody knows what it means, and nine tools have it.
        global: { type: "boolean" },
        ...(operation.mutates && { reload: { type: "boolean", description: reloadSummary } }),
      },
      ...(required.length > 0 && { required }),
    },
  };
}

function argumentSchema({ count, summary: description }: ArgumentSpec): object {
  const isList = count === "many" || count === "some";
  if (isList) return { type: "array", items: { type: "string" }, description };
  return { type: "string", description };
}

function optionSchema(spec: OptionSpec): object {
  const { kind, summary: description } = spec;
  if (kind === "flag") return { type: "boolean", description };
  return { type: "string", ...(kind === "choice" && { enum: spec.choices }), description };
}
