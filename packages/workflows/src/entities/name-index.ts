import { codePointOrder, compareCodePoints } from "./code-point-order.ts";
import type { Entity } from "./entity.ts";
import { lookupKey } from "./qualified-name.ts";

type ByKey = Map<string, Entity[]>;
export type Compare = (a: Entity, b: Entity) => number;

/**
 * The entities of one type by name and by alias. Namesakes are kept in the order of their rank, so that the order of
 * registration never shows. A name goes before an alias, and an alias stands for a name: it resolves to that name's winner.
 */
export class NameIndex {
  readonly #compare: Compare;
  readonly #byName: ByKey = new Map();
  readonly #byAlias: ByKey = new Map();
  /** Sorted on demand, dropped when something changes. */
  #names: readonly string[] | undefined;
  #aliases: readonly string[] | undefined;

  constructor(compare: Compare) {
    this.#compare = compare;
  }

  add(entity: Entity): void {
    for (const key of nameKeys(entity)) insert(this.#byName, key, entity, this.#compare);
    for (const key of aliasKeys(entity)) insert(this.#byAlias, key, entity, this.#compare);
    this.#names = this.#aliases = undefined;
  }

  remove(entity: Entity): void {
    for (const key of nameKeys(entity)) take(this.#byName, key, entity);
    for (const key of aliasKeys(entity)) take(this.#byAlias, key, entity);
    this.#names = this.#aliases = undefined;
  }

  /** The winner of a name, else of what the name is an alias for. */
  find(name: string): Entity | undefined {
    const key = lookupKey(name);
    const named = this.#byName.get(key)?.[0];
    if (named !== undefined) return named;
    const aliased = this.#byAlias.get(key)?.[0];
    return aliased && this.#byName.get(lookupKey(aliased.name))?.[0];
  }

  /** All with this name by rank, then those with this alias. */
  candidates(name: string): readonly Entity[] {
    const key = lookupKey(name);
    return [...(this.#byName.get(key) ?? []), ...(this.#byAlias.get(key) ?? [])];
  }

  /** Winners with their losers, by name. One that may have several names is among those of each. */
  namesakes(): readonly (readonly Entity[])[] {
    return this.#sortedNames().map((name) => this.#byName.get(name) ?? []);
  }

  /** Winners by name. */
  winners(): Entity[] {
    return [...new Set(this.#sortedNames().flatMap((name) => this.#byName.get(name)?.[0] ?? []))];
  }

  /** Names, then aliases, both in order. */
  words(): readonly string[] {
    return [...this.#sortedNames(), ...this.#sortedAliases()];
  }

  /** Winners of which a name or alias starts with `prefix`: one that is meant exactly first, then by name. */
  startingWith(prefix: string): Entity[] {
    const wanted = lookupKey(prefix);
    const exact = wanted === "" ? undefined : this.find(wanted);
    const named = continuations(this.#sortedNames(), wanted).flatMap((name) => this.#byName.get(name)?.[0] ?? []);
    const aliased = continuations(this.#sortedAliases(), wanted).flatMap((alias) => this.find(alias) ?? []);
    const found = new Set(named);
    const before = found.size;
    for (const entity of aliased) found.add(entity);
    const inOrder =
      found.size === before
        ? [...found]
        : [...found].sort((a, b) => compareCodePoints(lookupKey(a.name), lookupKey(b.name)));
    if (exact === undefined || inOrder[0] === exact) return inOrder;
    return [exact, ...inOrder.filter((entity) => entity !== exact)];
  }

  #sortedNames(): readonly string[] {
    this.#names ??= inOrder(this.#byName);
    return this.#names;
  }

  #sortedAliases(): readonly string[] {
    this.#aliases ??= inOrder(this.#byAlias);
    return this.#aliases;
  }
}

function inOrder(index: ByKey): readonly string[] {
  const keys = [...index.keys()];
  return keys.sort(codePointOrder(keys));
}

function nameKeys({ name, possibleNames }: Entity): Iterable<string> {
  return possibleNames === undefined ? [lookupKey(name)] : new Set([name, ...possibleNames].map(lookupKey));
}

function aliasKeys({ aliases }: Entity): Iterable<string> {
  const first = aliases[0];
  if (first === undefined) return aliases;
  return aliases.length === 1 ? [lookupKey(first)] : new Set(aliases.map(lookupKey));
}

function insert(index: ByKey, key: string, entity: Entity, compare: Compare): void {
  const namesakes = index.get(key);
  if (namesakes === undefined) index.set(key, [entity]);
  else
    namesakes.splice(
      firstFrom(namesakes, (other) => compare(other, entity) > 0),
      0,
      entity,
    );
}

function take(index: ByKey, key: string, entity: Entity): void {
  const namesakes = index.get(key) ?? [];
  const at = namesakes.indexOf(entity);
  if (at !== -1) namesakes.splice(at, 1);
  if (namesakes.length === 0) index.delete(key);
}

function continuations(sorted: readonly string[], prefix: string): readonly string[] {
  if (prefix === "") return sorted;
  const start = firstFrom(sorted, (word) => compareCodePoints(word, prefix) >= 0);
  let end = start;
  while (sorted[end]?.startsWith(prefix) === true) end += 1;
  return sorted.slice(start, end);
}

/** The first index from which on the condition holds. */
function firstFrom<Item>(sorted: readonly Item[], holds: (item: Item) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item === undefined || holds(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}
