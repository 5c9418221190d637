import type { Entity } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";

/** What `--json` reports about an entity. Programs rely on it: keys are added, never renamed. */
export type EntityRecord = Pick<
  Entity,
  | "type"
  | "name"
  | "displayName"
  | "description"
  | "aliases"
  | "argumentHint"
  | "model"
  | "modelId"
  | "restrictions"
  | "disabledBecause"
> & {
  /** Finds it no matter which entity wins its name. */
  readonly qualifiedName: string;
  /** The folder above the project that it was found in. */
  readonly folder?: string;
} & Pick<Entity["source"], "provider" | "location" | "path" | "pointer" | "workflow">;

export function recordOf(entity: Entity, registry: EntityRegistry): EntityRecord {
  const { type, name, displayName, description, aliases, argumentHint, model, modelId, restrictions } = entity;
  const { provider, location, path, pointer, workflow, above = 0, place, relative } = entity.source;
  // The path without the place, which the folder contains.
  const inFolder = pointer === undefined ? `${place}/${relative}` : place;
  const folder = location === "project" && above > 0 ? path?.slice(0, -1 - (inFolder ?? "").length) : undefined;
  return {
    type,
    name,
    displayName,
    qualifiedName: registry.qualifiedName(entity),
    provider,
    location,
    ...(path !== undefined && { path }),
    ...(folder !== undefined && { folder }),
    ...(pointer !== undefined && { pointer }),
    ...(workflow !== undefined && { workflow }),
    description,
    aliases,
    ...(argumentHint !== undefined && { argumentHint }),
    ...(model !== undefined && { model }),
    ...(modelId !== undefined && { modelId }),
    restrictions,
    ...(entity.disabledBecause !== undefined && { disabledBecause: entity.disabledBecause }),
  };
}
