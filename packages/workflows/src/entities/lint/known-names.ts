import type { EntityType, Provider } from "../entity.ts";
import { lookupKey } from "../lookup-key.ts";
import type { EntityRegistry } from "../registry.ts";

/** The names and aliases that these providers give to entities of a type, in the form that lookups compare. */
export type KnownNames = (type: EntityType, providers: readonly Provider[] | undefined) => readonly string[];

/** Asked for every entity, answered from memory. */
export function knownNamesOf(registry: EntityRegistry): KnownNames {
  const known = new Map<string, readonly string[]>();
  return (type, providers) => {
    const key = `${type} ${providers}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const entities = registry
      .entries()
      .filter((entity) => entity.type === type && (providers?.includes(entity.source.provider) ?? true));
    const names = [...new Set(entities.flatMap(({ name, aliases }) => [name, ...aliases]).map(lookupKey))];
    known.set(key, names);
    return names;
  };
}
