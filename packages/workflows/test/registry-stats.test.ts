import { expect, test } from "bun:test";
import { createEntityRegistry } from "../src/entities/registry.ts";
import { newRegistryStats } from "../src/entities/registry-stats.ts";
import { entity } from "./entities.ts";

test("a registry counts lookups and what they found, by name, by alias, by qualified name and by prefix", () => {
  const stats = newRegistryStats();
  const registry = createEntityRegistry({ stats });
  registry.register(entity("reviewer", "claude:project", { type: "agent", aliases: ["critic"] }));
  expect(stats).toEqual({ lookups: 0, found: 0, lookupMs: 0, sortedNames: 0, sortedNamesCached: 0 });
  registry.getAgent("reviewer");
  registry.get("agent", "critic");
  registry.get("agent", "claude:project/reviewer");
  registry.searchAgents("rev");
  registry.searchAgents("nobody");
  registry.getAgent("nobody");
  expect({ lookups: stats.lookups, found: stats.found }).toEqual({ lookups: 6, found: 4 });
  expect(stats.lookupMs).toBeGreaterThan(0);
});

test("names are sorted once for all lists until something is registered", () => {
  const stats = newRegistryStats();
  const registry = createEntityRegistry({ stats });
  registry.register(entity("b", "claude:project", { type: "agent" }));
  const used = (): [needed: number, cached: number] => [stats.sortedNames, stats.sortedNamesCached];
  registry.allAgents();
  expect(used()).toEqual([1, 0]);
  registry.allAgents();
  expect(used()).toEqual([2, 1]);
  registry.register(entity("a", "claude:project", { type: "agent" }));
  registry.allAgents();
  expect(used()).toEqual([3, 1]);
});
