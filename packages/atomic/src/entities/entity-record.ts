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
} & Pick<Entity["source"], "provider" | "location" | "path" | "pointer" | "workflow">;

export function recordOf(entity: Entity, registry: EntityRegistry): EntityRecord {
  const { type, name, displayName, description, aliases, argumentHint, model, modelId, restrictions } = entity;
  const { provider, location, path, pointer, workflow } = entity.source;
  return {
    type,
    name,
    displayName,
    qualifiedName: registry.qualifiedName(entity),
    provider,
    location,
    ...(path !== undefined && { path }),
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
