import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import type { Entity, Provider } from "../../src/entities/entity.ts";
import { formats } from "../../src/entities/formats/all.ts";
import { compareRankAsTool, initializeWorkflowsSDK } from "../../src/entities/initialize.ts";
import { compareRank } from "../../src/entities/rank.ts";
import { createEntityRegistry } from "../../src/entities/registry.ts";
import { toolPlaces } from "../../src/entities/tools/places.ts";
import { viewAs } from "../../src/entities/tools/view-as.ts";
import { entity } from "../entities.ts";
import { entriesOf } from "./listing.ts";
import { entitiesOf, plant } from "./tree.ts";
import { configs } from "./trees/configs.ts";
import { sameNames } from "./trees/same-names.ts";

describe("in as-tool mode", () => {
  test.each(["claude", "opencode", "copilot"] as const)(
    "a name of %s leads to the file that it prefers",
    async (tool) => {
      await using project = await tmpProject({ git: false });
      await plant(project, sameNames, configs);
      const own = entitiesOf(project).filter(({ source }) => source.provider === tool);
      const registry = createEntityRegistry({ rank: compareRankAsTool });
      for (const each of own) registry.register(each);
      const contested = entriesOf(viewAs(tool, own)).filter(
        ({ shadowed, decidedBy, name, entity: winner }) =>
          // Our lookups ignore case, and a skill may share its shown name with another.
          shadowed.length > 0 &&
          decidedBy === "order" &&
          name.toLowerCase() === winner.name &&
          !/case|shown/i.test(name),
      );
      expect(contested.length).toBeGreaterThan(2);
      for (const { name, entity: winner } of contested) {
        expect(registry.get(winner.type, name)?.source.path).toBe(winner.source.path);
      }
    },
  );

  test("the user's skill wins in Claude Code, the project's in Copilot, and the other way round for agents", () => {
    const winner = (provider: Provider, type: "agent" | "skill", rank = compareRankAsTool): string => {
      const place = (location: "project" | "user"): string =>
        provider === "copilot" ? `${location === "user" ? ".copilot" : ".github"}/${type}s` : `.${provider}/${type}s`;
      const both = (["project", "user"] as const).map((location) =>
        entity("same", `${provider}:${location}` as "claude:user", {
          type,
          source: { provider, location, place: place(location) },
        }),
      );
      return both.sort(rank)[0]?.source.location ?? "";
    };
    expect(winner("claude", "skill")).toBe("user");
    expect(winner("claude", "agent")).toBe("project");
    expect(winner("copilot", "skill")).toBe("project");
    expect(winner("copilot", "agent")).toBe("user");
    expect(winner("opencode", "agent")).toBe("user");
    expect(winner("claude", "skill", compareRank)).toBe("project");
    expect(winner("opencode", "agent", compareRank)).toBe("project");
  });

  test("between tools the project's still wins, then the order of the formats", () => {
    const skill = (origin: "claude:user" | "agent-skills:project" | "atomic:user", place: string): Entity => {
      const [provider, location] = origin.split(":") as ["claude", "user"];
      return entity("same", origin, { type: "skill", source: { provider, location, place } });
    };
    const claude = skill("claude:user", ".claude/skills");
    const shared = skill("agent-skills:project", ".agents/skills");
    const own = skill("atomic:user", ".atomic/skills");
    expect([own, shared, claude].sort(compareRankAsTool)).toEqual([claude, shared, own]);
    expect([own, shared, claude].sort(compareRank)).toEqual([shared, own, claude]);
  });
});

const sources = [
  ...Object.entries(toolPlaces).flatMap(([tool, places]) =>
    places.map(({ location, path }) => {
      const [place = "", part] = path.split("#");
      return { provider: tool as Provider, location, place, ...(part !== undefined && { pointer: `${part}.same` }) };
    }),
  ),
  ...formats.flatMap(({ provider, places }) =>
    places.map(({ location, path }) => ({ provider, location, place: path })),
  ),
  { provider: "atomic", location: "builtin" } as const,
];
const anyEntity = fc
  .tuple(fc.constantFrom(...sources), fc.constantFrom("a", "b"))
  .map(([source, file]) => entity("same", "claude:project", { source: { ...source, path: `/${file}` } }));

test.each([
  ["the usual rank", compareRank],
  ["the rank as each tool has it", compareRankAsTool],
])("%s is one order, without circles", (_, compare) => {
  fc.assert(
    fc.property(anyEntity, anyEntity, anyEntity, (a, b, c) => {
      expect(Math.sign(compare(a, b))).toBe(-Math.sign(compare(b, a)) || 0);
      if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 5_000 },
  );
});

test("initializeWorkflowsSDK takes the mode: the user's Claude command wins as in Claude Code", async () => {
  await using project = await tmpProject({
    git: false,
    files: { ".claude/commands/ship.md": "the project's", "~/.claude/commands/ship.md": "the user's" },
  });
  const bases = { projectPath: project.dir, userPath: project.home };
  const usual = await initializeWorkflowsSDK(bases);
  const asTool = await initializeWorkflowsSDK({ ...bases, mode: "as-tool" });
  expect(usual.getCommand("ship")?.prompt).toBe("the project's");
  expect(asTool.getCommand("ship")?.prompt).toBe("the user's");
});
