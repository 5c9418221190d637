import { deepFreeze } from "./deep-freeze.ts";
import type { Entity, EntityType } from "./entity.ts";
import { isEntity, makeEntity } from "./file-entity.ts";

/** The least that makes an entity; what is left out is empty or unrestricted. Every `Entity` is one, too. */
export type EntityInput = Pick<Entity, "type" | "name" | "description" | "prompt" | "source"> & Partial<Entity>;

const types: ReadonlySet<EntityType> = new Set(["agent", "command", "skill", "workflow"]);

/**
 * An entity that no file holds, or a copy of one with other facts. An entity that is complete already stays itself.
 *
 * @example
 * defineEntity({
 *   type: "command",
 *   name: "Greet",
 *   description: "Says hello",
 *   prompt: "Say hello to $ARGUMENTS.",
 *   source: { provider: "atomic", location: "builtin" },
 * }).name; // "greet"
 */
export function defineEntity(input: EntityInput): Entity {
  if (isEntity(input)) return input;
  if (!types.has(input.type))
    throw new TypeError(`An entity's type is one of ${[...types].join(", ")}, not "${input.type}".`);
  if (typeof input.name !== "string" || input.name === "")
    throw new TypeError(`The ${input.type} needs a name to be found by.`);
  const { prompt, ...facts } = input;
  return makeEntity(
    {
      ...facts,
      name: input.name.toLowerCase(),
      displayName: input.displayName ?? input.name,
      aliases: [...(input.aliases ?? [])],
      ...(input.tools && { tools: [...input.tools] }),
      restrictions: structuredClone(input.restrictions ?? {}),
      argumentNames: [...(input.argumentNames ?? [])],
      source: { ...input.source },
      frontmatter: deepFreeze(structuredClone({ ...input.frontmatter })),
      diagnostics: (input.diagnostics ?? []).map((diagnostic) => ({ ...diagnostic })),
    },
    { text: prompt },
  );
}
