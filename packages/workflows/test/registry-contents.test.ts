import { describe, expect, test } from "bun:test";
import type { Entity, EntityType } from "../src/entities/entity.ts";
import { EntityNotFoundError } from "../src/entities/entity-not-found.ts";
import { createEntityRegistry } from "../src/entities/registry.ts";
import { entity, registryOf } from "./entities.ts";

describe("registering again", () => {
  test("the same entity changes nothing", () => {
    const commit = entity("commit", "claude:project", { aliases: ["ci"] });
    const registry = registryOf(commit, commit, commit);
    expect(registry.entries()).toEqual([commit]);
    expect(registry.shadowed()).toEqual([]);
  });

  test("from the same file replaces the entity, its name and its aliases", () => {
    const before = entity("commit", "claude:project", { aliases: ["ci"] });
    const after = entity("save", "claude:project", { aliases: ["sv"], source: before.source });
    const registry = registryOf(before, after);
    expect(registry.entries()).toEqual([after]);
    expect([registry.getCommand("commit"), registry.getCommand("ci")]).toEqual([undefined, undefined]);
    expect(registry.getCommand("sv")).toBe(after);
  });

  test("from the same config file keeps the other entities of that file", () => {
    const source = { provider: "opencode", location: "project", path: "/p/opencode.json" } as const;
    const agent = (name: string, description: string): Entity =>
      entity(name, "opencode:project", { type: "agent", description, source: { ...source, pointer: `agent.${name}` } });
    const registry = registryOf(agent("a", "old"), agent("b", "old"), agent("a", "new"));
    expect(registry.allAgents().map(({ description }) => description)).toEqual(["new", "old"]);
  });

  test("without a file replaces the namesake of the same origin", () => {
    const registry = createEntityRegistry();
    const source = { provider: "atomic", location: "builtin" } as const;
    for (const prompt of ["one", "two"]) {
      registry.register({ type: "skill", name: "Commit", description: "", prompt, source });
    }
    expect(registry.allSkills().map(({ prompt }) => prompt)).toEqual(["two"]);
  });
});

describe("an entity given as a plain object", () => {
  const plain = {
    type: "skill",
    name: "Commit",
    description: "Commits",
    prompt: "Commit $ARGUMENTS",
    aliases: ["ci"],
    argumentHint: "[message]",
    source: { provider: "atomic", location: "builtin" },
  } as const;

  test("is completed, and found in lower case", () => {
    const registry = createEntityRegistry();
    registry.register(plain);
    expect(registry.getSkill("ci")).toMatchObject({
      name: "commit",
      displayName: "Commit",
      prompt: "Commit $ARGUMENTS",
      restrictions: {},
      argumentNames: [],
      diagnostics: [],
    });
    expect(registry.getArgumentHint("commit")).toBe("[message]");
  });

  test("is copied, so a later change to the object does not affect the registry", () => {
    const registry = createEntityRegistry();
    const mine = { ...plain, aliases: ["ci"], source: { ...plain.source } };
    registry.register(mine);
    mine.aliases.push("sneaky");
    expect(registry.getSkill("commit")?.aliases).toEqual(["ci"]);
    const { aliases } = registry.require("skill", "commit");
    expect(() => (aliases as string[]).push("x")).toThrow(TypeError);
  });

  test.each([
    ["without a name", { ...plain, name: "" }, "needs a name"],
    ["of an unknown type", { ...plain, type: "prompt" as EntityType }, '"prompt"'],
  ])("%s is refused", (_what, wrong, message) => {
    expect(() => createEntityRegistry().register(wrong)).toThrow(message);
  });
});

test("an entity is frozen all the way down, and its input is not", () => {
  const frontmatter = { tools: { write: false } };
  const made = entity("a", "claude:project", { frontmatter });
  expect(Object.isFrozen(made.frontmatter.tools)).toBe(true);
  expect(Object.isFrozen(frontmatter.tools)).toBe(false);
});

describe("require", () => {
  const registry = registryOf(
    entity("commit", "claude:project", { type: "skill", aliases: ["save"] }),
    entity("review", "claude:user", { type: "command" }),
  );
  const messageOf = (type: EntityType, name: string): string => {
    try {
      registry.require(type, name);
    } catch (error) {
      if (error instanceof EntityNotFoundError) return error.message;
      throw error;
    }
    return "found";
  };

  test("returns an existing entity", () => {
    expect(registry.require("skill", "Save").name).toBe("commit");
  });

  test.each([
    ["skill", "comit", 'Skill not found: "comit" (did you mean "commit"?)'],
    ["skill", "sve", 'Skill not found: "sve" (did you mean "save"?)'],
    ["skill", "zzz", 'Skill not found: "zzz"'],
    ["agent", "comit", 'Agent not found: "comit"'],
    ["skill", "review", 'Skill not found: "review"; there is a command "review"'],
    ["command", "commit", 'Command not found: "commit"; there is a skill "commit"'],
    [
      "skill",
      "claude:project/comit",
      'Skill not found: "claude:project/comit" (did you mean "claude:project/commit"?)',
    ],
    ["workflow", "a\u001b[2Jb", 'Workflow not found: "a\\x1b[2Jb"'],
  ] as const)("of the %s %p says %p", (type, name, message) => {
    expect(messageOf(type, name)).toBe(message);
  });

  test("gives programs the parts of the error", () => {
    expect(() => registry.require("skill", "comit")).toThrow(
      expect.objectContaining({
        code: "entity-not-found",
        type: "skill",
        wanted: "comit",
        suggestions: ["commit"],
      }),
    );
  });
});

describe("hints", () => {
  test("come from a command before a skill, and from neither for an agent", () => {
    const registry = registryOf(
      entity("deploy", "claude:project", { type: "command", argumentHint: "[where]" }),
      entity("deploy", "claude:project", { type: "skill", argumentHint: "[what]" }),
      entity("lint", "claude:project", { type: "skill", argumentHint: "[file]" }),
      entity("judge", "claude:project", { type: "agent", argumentHint: "[case]" }),
    );
    expect(["DEPLOY", "lint", "judge", "clear"].map((name) => registry.getArgumentHint(name))).toEqual([
      "[where]",
      "[file]",
      undefined,
      "",
    ]);
  });
});

describe("reported diagnostics", () => {
  test("are sorted by position, and each is reported once", () => {
    const registry = createEntityRegistry();
    const at = (path: string, line: number) => ({ severity: "warning", code: "x", message: "m", path, line }) as const;
    for (const each of [at("/b", 1), at("/a", 10), at("/a", 2), at("/b", 1)]) registry.report(each);
    expect(registry.diagnostics()).toEqual([at("/a", 2), at("/a", 10), at("/b", 1)]);
  });
});
