// Entities as a registry sees them, without a disk: tests name only what they are about.
import { defineEntity, type EntityInput } from "../src/entities/define-entity.ts";
import type { Entity, EntitySource } from "../src/entities/entity.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";

type Origin = `${EntitySource["provider"]}:${EntitySource["location"]}`;

export function entity(name: string, origin: Origin = "claude:project", facts: Partial<EntityInput> = {}): Entity {
  const [provider, location] = origin.split(":") as [EntitySource["provider"], EntitySource["location"]];
  const type = facts.type ?? "command";
  const place = `.${provider}/${type}s`;
  const relative = `${name}.md`;
  const path = `/${location}/${place}/${relative}`;
  return defineEntity({
    type,
    name,
    description: `${name} of ${origin}`,
    prompt: `Prompt of ${name}.`,
    ...facts,
    source: { provider, location, path, place, relative, ...facts.source },
  });
}

export function names(entities: readonly Entity[]): string[] {
  return entities.map(({ name }) => name);
}

export function origins(entities: readonly Entity[]): string[] {
  return entities.map(({ name, source }) => `${source.provider}:${source.location}/${name}`);
}

export function registryOf(...entities: readonly Entity[]): EntityRegistry {
  const registry = createEntityRegistry();
  for (const each of entities) registry.register(each);
  return registry;
}
