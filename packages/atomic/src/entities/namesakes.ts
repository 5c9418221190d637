import type { Entity, EntityType } from "@atomic/workflows/entity";
import type { EntityRegistry } from "@atomic/workflows/registry";
import { whyWins } from "./why-wins.ts";

/** Where an entity stands among those that go by the name that was asked for. Entities are given by qualified name. */
export type Standing =
  | { readonly kind: "only" }
  | { readonly kind: "winner"; readonly over: string; readonly because: string }
  | { readonly kind: "shadowed"; readonly by: string; readonly because: string }
  /** It answers, as what was asked for is an alias for its name. */
  | { readonly kind: "answers-alias" }
  /** It has what was asked for as an alias, but another one answers. */
  | { readonly kind: "beaten-alias"; readonly by: string; readonly because: string };

export interface Namesake {
  readonly entity: Entity;
  readonly standing: Standing;
}

export interface NameQuestion {
  readonly name: string;
  readonly types: readonly EntityType[];
  /** As lookups compare names. */
  readonly keyOf: (name: string) => string;
}

/** All that go by a name, type by type, the one that answers first. A qualified name means only one. */
export function findNamesakes(registry: EntityRegistry, { name, types, keyOf }: NameQuestion): readonly Namesake[] {
  const all = registry.entries();
  return types.flatMap((type) => {
    const answer = registry.get(type, name);
    if (answer === undefined) return [];
    const ofType = all.filter((entity) => entity.type === type);
    const namesakesOf = (wanted: string): readonly Entity[] => ofType.filter((each) => keyOf(each.name) === wanted);
    if (isQualifiedBy(answer, keyOf(name))) {
      return { entity: answer, standing: standingAmong(namesakesOf(keyOf(answer.name)), answer, registry) };
    }
    const named = namesakesOf(keyOf(name));
    const aliased = ofType.filter((each) => !named.includes(each) && each.aliases.map(keyOf).includes(keyOf(name)));
    return named.length > 0
      ? [
          ...named.map((entity) => ({ entity, standing: standingAmong(named, entity, registry) })),
          ...aliased.map((entity) => beatenAlias(entity, answer, "a name beats an alias", registry)),
        ]
      : [
          { entity: answer, standing: { kind: "answers-alias" } },
          ...aliased
            .filter((entity) => entity !== answer)
            .map((entity) => beatenAlias(entity, answer, whyWins(answer, entity), registry)),
        ];
  });
}

function isQualifiedBy({ source: { provider, location } }: Entity, key: string): boolean {
  return key.startsWith(`${provider}:${location}/`);
}

function standingAmong(namesakes: readonly Entity[], entity: Entity, registry: EntityRegistry): Standing {
  const [winner = entity, second] = namesakes;
  if (second === undefined) return { kind: "only" };
  if (winner === entity) {
    return { kind: "winner", over: registry.qualifiedName(second), because: whyWins(winner, second) };
  }
  return { kind: "shadowed", by: registry.qualifiedName(winner), because: whyWins(winner, entity) };
}

function beatenAlias(entity: Entity, by: Entity, because: string, registry: EntityRegistry): Namesake {
  return { entity, standing: { kind: "beaten-alias", by: registry.qualifiedName(by), because } };
}
