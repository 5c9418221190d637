import type { Entity, EntityType } from "@atomic/workflows/internal/entities/entity";
import type { EntityRegistry } from "@atomic/workflows/internal/entities/registry";

/** An entity's rank among those with the requested name. Entities are given by qualified name. */
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
  const key = keyOf(name);
  const standingAmong = (namesakes: readonly Entity[], entity: Entity): Standing => {
    const [winner = entity, second] = namesakes;
    if (second === undefined) return { kind: "only" };
    return winner === entity
      ? { kind: "winner", over: registry.qualifiedName(second), because: whyWins(winner, second) }
      : { kind: "shadowed", by: registry.qualifiedName(winner), because: whyWins(winner, entity) };
  };
  const all = registry.entries();
  return types.flatMap((type): readonly Namesake[] => {
    const answer = registry.get(type, name);
    if (answer === undefined) return [];
    const { provider, location } = answer.source;
    const ofType = all.filter((entity) => entity.type === type);
    if (key.startsWith(`${provider}:${location}/`)) {
      const namesakes = ofType.filter((each) => keyOf(each.name) === keyOf(answer.name));
      return [{ entity: answer, standing: standingAmong(namesakes, answer) }];
    }
    const named = ofType.filter((each) => keyOf(each.name) === key);
    const aliased = ofType.filter((each) => !named.includes(each) && each.aliases.map(keyOf).includes(key));
    const answers: readonly Namesake[] =
      named.length > 0
        ? named.map((entity) => ({ entity, standing: standingAmong(named, entity) }))
        : [{ entity: answer, standing: { kind: "answers-alias" } }];
    const beaten = aliased.filter((entity) => named.length > 0 || entity !== answer);
    return [
      ...answers,
      ...beaten.map((entity): Namesake => {
        const because = named.length > 0 ? "a name takes precedence over an alias" : whyWins(answer, entity);
        return { entity, standing: { kind: "beaten-alias", by: registry.qualifiedName(answer), because } };
      }),
    ];
  });
}

/**
 * Why one of two namesakes comes first, as one sentence: the first of the rules of the registry in which they differ.
 *
 * @example
 * whyWins(projects, users); // "project beats user"
 */
export function whyWins({ source: winner }: Entity, { source: loser }: Entity): string {
  if (winner.location !== loser.location) return `${winner.location} beats ${loser.location}`;
  if ((winner.above ?? 0) !== (loser.above ?? 0)) return "a nearer folder beats one farther up";
  if (winner.provider !== loser.provider) return `${winner.provider} beats ${loser.provider}`;
  if (winner.workflow !== loser.workflow) return `${winner.workflow} sorts before ${loser.workflow} by path`;
  if (winner.place !== loser.place) return `${winner.place} beats ${loser.place}`;
  if (winner.path !== loser.path) return `${winner.relative} sorts before ${loser.relative} by path`;
  return `${winner.pointer} sorts before ${loser.pointer} by name`;
}
