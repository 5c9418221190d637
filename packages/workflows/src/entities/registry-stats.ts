/** What a registry counts while you use it. */
export interface RegistryStats {
  /** How often an entity was looked up by a name, an alias or a qualified name, or searched for by a prefix. */
  lookups: number;
  /** How many of the lookups found something. */
  found: number;
  /** How long all lookups took together. */
  lookupMs: number;
  /** How often a list or a search needed names in order. */
  sortedNames: number;
  /** How often they were in the cache, so they did not have to be sorted. */
  sortedNamesCached: number;
}

/**
 * Counters for a new registry.
 *
 * @example
 * const stats = newRegistryStats();
 * const registry = await initializeWorkflowsSDK({ stats });
 * registry.getSkill("commit");
 * stats.lookups; // 1
 */
export function newRegistryStats(): RegistryStats {
  return { lookups: 0, found: 0, lookupMs: 0, sortedNames: 0, sortedNamesCached: 0 };
}

/** @param start When the lookup started, by `performance.now()`. */
export function countLookup(stats: RegistryStats, start: number, isFound: boolean): void {
  stats.lookupMs += performance.now() - start;
  stats.lookups += 1;
  if (isFound) stats.found += 1;
}
