import { isDeepStrictEqual } from "node:util";
import type { Diagnostic } from "../diagnostic.ts";
import type { Entity } from "../entity.ts";
import type { EntityRegistry } from "../registry.ts";

/** A registry at one moment, and what its files contained. */
export interface Snapshot {
  readonly registry: EntityRegistry;
  /** By path. */
  readonly fingerprints: ReadonlyMap<string, string>;
}

export interface EntityChange {
  readonly added: readonly Entity[];
  /** As they are now. */
  readonly changed: readonly Entity[];
  readonly removed: readonly Entity[];
  /** Everything, as it is now. Earlier registries stay as they were. */
  readonly registry: EntityRegistry;
  /** What is wrong now with files that give no entity. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What happened in between; `undefined` if nothing did that anybody could notice.
 *
 * @example
 * differenceOf(before, after)?.added.map(({ name }) => name);
 */
export function differenceOf(before: Snapshot, after: Snapshot): EntityChange | undefined {
  const old = byIdentity(before);
  const now = byIdentity(after);
  const added = [...now].flatMap(([identity, entity]) => (old.has(identity) ? [] : [entity]));
  const removed = [...old].flatMap(([identity, entity]) => (now.has(identity) ? [] : [entity]));
  const changed = [...now].flatMap(([identity, entity]) => {
    const predecessor = old.get(identity);
    return predecessor === undefined || isSame(predecessor, before, entity, after) ? [] : [entity];
  });
  const { registry } = after;
  const diagnostics = registry.diagnostics();
  const isQuiet = added.length + removed.length + changed.length === 0;
  if (isQuiet && isDeepStrictEqual(diagnostics, before.registry.diagnostics())) return undefined;
  return { added, changed, removed, registry, diagnostics };
}

function byIdentity({ registry }: Snapshot): Map<string, Entity> {
  return new Map(registry.entries().map((entity) => [identityOf(entity), entity]));
}

function identityOf({ type, name, source: { provider, location, path, pointer } }: Entity): string {
  return JSON.stringify([type, name, provider, location, path, pointer]);
}

/** A file is its entity. A config file has many, and a change of one must not be reported for all. */
function isSame(before: Entity, old: Snapshot, after: Entity, now: Snapshot): boolean {
  const path = after.source.path ?? "";
  if (old.fingerprints.get(path) === now.fingerprints.get(path)) return true;
  if (after.source.pointer === undefined) return false;
  return before.disabledBecause === after.disabledBecause && isDeepStrictEqual(before.frontmatter, after.frontmatter);
}
