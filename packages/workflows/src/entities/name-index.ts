import { codePointOrder, compareCodePoints } from "./code-point-order.ts";
import type { Entity } from "./entity.ts";
import { lookupKey } from "./qualified-name.ts";
import type { RegistryStats } from "./registry-stats.ts";

export type Compare = (a: Entity, b: Entity) => number;
type ByKey = Map<string, Entity[]>;
type SortStats = Pick<RegistryStats, "sortedNames" | "sortedNamesCached">;

/**
 * The entities of one type by name and by alias. Namesakes are sorted by rank, so the order of registration has no
 * effect. A name beats an alias, and an alias stands for a name: it resolves to that name's winner.
 */
export class NameIndex {
  readonly #compare: Compare;
  readonly #byName: ByKey = new Map();
  readonly #byAlias: ByKey = new Map();
  /** The keys of both maps, sorted on demand and dropped when something changes. */
  readonly #sortedKeys = new Map<ByKey, readonly string[]>();

  /** Counts how often the sorted keys were needed, and how often they were still there. */
  readonly #stats: SortStats | undefined;

  constructor(compare: Compare, stats?: SortStats) {
    this.#compare = compare;
    this.#stats = stats;
  }

  add(entity: Entity): void {
    for (const [index, keys] of this.#keysOf(entity)) {
      for (const key of keys) {
        const namesakes = index.get(key);
        if (namesakes === undefined) index.set(key, [entity]);
        else {
          const at = lowerBound(namesakes, (other) => this.#compare(other, entity) > 0);
          namesakes.splice(at, 0, entity);
        }
      }
    }
    this.#sortedKeys.clear();
  }

  remove(entity: Entity): void {
    for (const [index, keys] of this.#keysOf(entity)) {
      for (const key of keys) {
        const namesakes = index.get(key) ?? [];
        const at = namesakes.indexOf(entity);
        if (at !== -1) namesakes.splice(at, 1);
        if (namesakes.length === 0) index.delete(key);
      }
    }
    this.#sortedKeys.clear();
  }

  /** Most entities have one name and no alias. */
  #keysOf({ name, possibleNames, aliases }: Entity): readonly (readonly [ByKey, Iterable<string>])[] {
    const names = possibleNames === undefined ? [lookupKey(name)] : new Set([name, ...possibleNames].map(lookupKey));
    if (aliases.length === 0) return [[this.#byName, names]];
    return [
      [this.#byName, names],
      [this.#byAlias, new Set(aliases.map(lookupKey))],
    ];
  }

  /** The winner of a name, or else of the name that it is an alias for. */
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
    const named = this.#byName.get(key) ?? [];
    const aliased = this.#byAlias.get(key);
    return aliased === undefined ? named : [...named, ...aliased];
  }

  /** Winners with their losers, by name. An entity that may have several names is in each of their groups. */
  namesakes(): readonly (readonly Entity[])[] {
    return this.#sorted(this.#byName).map((name) => this.#byName.get(name) ?? []);
  }

  /** Winners by name. */
  winners(): Entity[] {
    return [...new Set(this.#sorted(this.#byName).flatMap((name) => this.#byName.get(name)?.[0] ?? []))];
  }

  /** Names, then aliases, both in order. */
  words(): readonly string[] {
    return [...this.#sorted(this.#byName), ...this.#sorted(this.#byAlias)];
  }

  /** Winners whose name or alias starts with `prefix`: an exact match first, then by name. */
  startingWith(prefix: string): Entity[] {
    const wanted = lookupKey(prefix);
    const exact = wanted === "" ? undefined : this.find(wanted);
    const named = continuations(this.#sorted(this.#byName), wanted).flatMap(
      (name) => this.#byName.get(name)?.[0] ?? [],
    );
    const aliased = continuations(this.#sorted(this.#byAlias), wanted).flatMap((alias) => this.find(alias) ?? []);
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

  #sorted(index: ByKey): readonly string[] {
    const known = this.#sortedKeys.get(index);
    if (this.#stats !== undefined) {
      this.#stats.sortedNames += 1;
      if (known !== undefined) this.#stats.sortedNamesCached += 1;
    }
    if (known !== undefined) return known;
    const keys = [...index.keys()];
    keys.sort(codePointOrder(keys));
    this.#sortedKeys.set(index, keys);
    return keys;
  }
}

function continuations(sorted: readonly string[], prefix: string): readonly string[] {
  if (prefix === "") return sorted;
  const start = lowerBound(sorted, (word) => compareCodePoints(word, prefix) >= 0);
  let end = start;
  while (sorted[end]?.startsWith(prefix) === true) end += 1;
  return sorted.slice(start, end);
}

/** The first index at which the condition holds, and from there on. */
function lowerBound<Item>(sorted: readonly Item[], holds: (item: Item) => boolean): number {
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
