import { describe, expect, test } from "bun:test";
import type { Entity } from "../src/entities/entity.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";
import { entity, names, origins, registryOf } from "./entities.ts";

describe("a lookup", () => {
  test("finds each type by its own method, and only there", () => {
    const registry = registryOf(
      entity("fix", "claude:project", { type: "command" }),
      entity("fix", "claude:project", { type: "skill" }),
      entity("fix", "claude:project", { type: "agent" }),
      entity("fix", "claude:project", { type: "workflow" }),
    );
    expect([registry.getCommand("fix"), registry.getSkill("fix"), registry.getAgent("fix")]).toMatchObject([
      { type: "command" },
      { type: "skill" },
      { type: "agent" },
    ]);
    expect(registry.getWorkflow("fix")?.type).toBe("workflow");
    expect(registryOf(entity("fix")).getSkill("fix")).toBeUndefined();
  });

  test.each([
    ["Commit", "commit"],
    ["commit", "COMMIT"],
    ["ÀÉÎ", "àéî"],
    ["git:Commit", "GIT:commit"],
    // A file system may store the accent as a character of its own.
    ["cafe\u0301", "CAFÉ"],
    ["café", "cafe\u0301"],
  ])("of %p finds %p", (wanted, name) => {
    expect(registryOf(entity(name)).getCommand(wanted)?.displayName).toBe(name);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
    "of %p finds nothing before, and the entity after its registration",
    (name) => {
      const registry = createEntityRegistry();
      expect(registry.getCommand(name)).toBeUndefined();
      expect(registry.getArgumentHint(name)).toBeUndefined();
      expect(registry.searchCommands(name)).toEqual([]);
      registry.register(entity(name, "claude:project", { aliases: ["constructor"] }));
      expect(registry.getCommand(name)?.displayName).toBe(name);
      expect(names(registry.searchCommands("con")).length).toBe(1);
      expect(registry.all()).toHaveLength(1);
    },
  );

  test("of an empty name finds nothing", () => {
    expect(registryOf(entity("a")).getCommand("")).toBeUndefined();
  });
});

describe("an alias", () => {
  test("finds its entity, in any case", () => {
    const registry = registryOf(entity("commit", "claude:project", { aliases: ["CI", "save"] }));
    expect(registry.getCommand("ci")?.name).toBe("commit");
    expect(registry.getCommand("SAVE")?.name).toBe("commit");
  });

  test("never beats a name, whatever their ranks", () => {
    const registry = registryOf(
      entity("commit", "atomic:project", { aliases: ["ci"] }),
      entity("ci", "claude:user", { description: "continuous integration" }),
    );
    expect(registry.getCommand("ci")?.description).toBe("continuous integration");
  });

  test("that two entities have resolves to the better ranked one", () => {
    const registry = registryOf(
      entity("circle", "claude:user", { aliases: ["ci"] }),
      entity("commit", "claude:project", { aliases: ["ci"] }),
    );
    expect(registry.getCommand("ci")?.name).toBe("commit");
  });

  test("of a shadowed entity resolves to the one that shadows it", () => {
    const registry = registryOf(
      entity("commit", "claude:user", { aliases: ["ci"] }),
      entity("commit", "claude:project"),
    );
    expect(registry.getCommand("ci")?.source.location).toBe("project");
  });

  test("that repeats the name or itself changes nothing", () => {
    const registry = registryOf(entity("commit", "claude:project", { aliases: ["commit", "ci", "CI"] }));
    expect(names(registry.searchCommands("c"))).toEqual(["commit"]);
    expect(registry.getCommand("ci")?.name).toBe("commit");
  });
});

describe("between namesakes", () => {
  test("the project beats the user, who beats the builtin", () => {
    const registry = registryOf(
      entity("commit", "atomic:builtin"),
      entity("commit", "atomic:project"),
      entity("commit", "atomic:user"),
    );
    expect(registry.getCommand("commit")?.source.location).toBe("project");
    expect(origins(registry.entries())).toEqual([
      "atomic:project/commit",
      "atomic:user/commit",
      "atomic:builtin/commit",
    ]);
  });

  test("losers are reported with their winner", () => {
    const [winner, loser] = [entity("commit", "claude:project"), entity("commit", "claude:user")];
    const registry = registryOf(loser, winner, entity("other"));
    expect(registry.shadowed()).toEqual([{ entity: loser, by: winner }]);
  });

  test("a disabled one still wins, because otherwise its restriction would be lost", () => {
    const registry = registryOf(
      entity("commit", "claude:project", { disabledBecause: "its tool list cannot be read" }),
      entity("commit", "claude:user"),
    );
    expect(registry.getCommand("commit")?.disabledBecause).toBeDefined();
  });

  test("a custom rank decides first, and ties are broken as usual", () => {
    const userFirst = (a: Entity, b: Entity): number =>
      Number(b.source.location === "user") - Number(a.source.location === "user");
    const registry = createEntityRegistry({ rank: userFirst });
    for (const origin of ["claude:project", "claude:user", "opencode:project"] as const) {
      registry.register(entity("commit", origin));
    }
    const usual = registryOf(entity("commit", "claude:project"), entity("commit", "opencode:project"));
    expect(origins(registry.entries())).toEqual(["claude:user/commit", ...origins(usual.entries())]);
  });
});

describe("a qualified name", () => {
  const shadowedBy = (): EntityRegistry =>
    registryOf(
      entity("commit", "claude:project", { aliases: ["ci"] }),
      entity("commit", "claude:user"),
      entity("commit", "opencode:project"),
      entity("sub/fix", "opencode:project"),
    );

  test.each([
    ["claude:project/commit", "claude", "project"],
    ["claude:user/commit", "claude", "user"],
    ["opencode:project/commit", "opencode", "project"],
    ["OpenCode:Project/COMMIT", "opencode", "project"],
    ["opencode:project/sub/fix", "opencode", "project"],
    ["claude:project/ci", "claude", "project"],
  ] as const)("%s reaches that one", (name, provider, location) => {
    expect(shadowedBy().getCommand(name)?.source).toMatchObject({ provider, location });
  });

  test.each(["claude:builtin/commit", "copilot:project/commit", "claude:project/", "claude:nowhere/commit"])(
    "%s reaches nothing",
    (name) => {
      expect(shadowedBy().getCommand(name)).toBeUndefined();
    },
  );

  test("exists for every entity, and finds it", () => {
    const registry = shadowedBy();
    for (const each of registry.entries()) expect(registry.getCommand(registry.qualifiedName(each))).toBe(each);
    expect(registry.qualifiedName(registry.require("command", "claude:user/commit"))).toBe("claude:user/commit");
  });

  test("includes the file if two files with the same origin share a name", () => {
    const source = { provider: "opencode", location: "project" } as const;
    const plural = { ...source, path: "/p/.opencode/agents/x.md", place: ".opencode/agents", relative: "x.md" };
    const singular = { ...source, path: "/p/.opencode/agent/X.md", place: ".opencode/agent", relative: "X.md" };
    const inline = { ...source, path: "/p/opencode.json", place: "opencode.json", pointer: "agent.x" };
    const all = [plural, singular, inline].map((each) =>
      entity("x@home", "opencode:project", { type: "agent", source: each }),
    );
    const registry = registryOf(...all);
    const [short, ...long] = registry.entries().map((each) => registry.qualifiedName(each));
    expect(short).toBe("opencode:project/x@home");
    const files = [".opencode/agents/x.md", ".opencode/agent/X.md", "opencode.json#agent.x"];
    expect(long).toEqual(files.slice(1).map((file) => `opencode:project/x@home@${file}`));
    for (const each of registry.entries()) expect(registry.getAgent(registry.qualifiedName(each))).toBe(each);
  });

  test("cannot be taken by a file that chooses such a name", () => {
    const impostor = entity("claude:user/commit", "opencode:project");
    const registry = registryOf(impostor, entity("commit", "claude:user"));
    expect(registry.getCommand("claude:user/commit")?.source.provider).toBe("claude");
    expect(registry.getCommand(registry.qualifiedName(impostor))).toBe(impostor);
    expect(registryOf(impostor).getCommand("claude:user/commit")).toBe(impostor);
  });
});

test("a qualified name with a file cannot be taken by a name that looks like it", () => {
  const registry = createEntityRegistry();
  const honest = entity("review", "opencode:project", { type: "agent" });
  const taker = entity("taker", "opencode:project", {
    type: "agent",
    name: "review@.opencode/agents/review.md",
  });
  registry.register(taker);
  registry.register(honest);
  expect(registry.getAgent("opencode:project/review@.opencode/agents/review.md")).toBe(honest);
  expect(registry.getAgent(registry.qualifiedName(taker))).toBe(taker);
});

describe("search by prefix", () => {
  const commands = (): EntityRegistry =>
    registryOf(
      entity("compact"),
      entity("commit-all"),
      entity("commit", "claude:project", { aliases: ["ci"] }),
      entity("zebra", "claude:project", { aliases: ["Comb", "cobra"] }),
      entity("commit", "claude:user"),
      entity("adder", "claude:project", { aliases: ["coral"] }),
    );

  test.each([
    ["co", ["adder", "commit", "commit-all", "compact", "zebra"]],
    ["COMM", ["commit", "commit-all"]],
    ["commit", ["commit", "commit-all"]],
    ["commit-", ["commit-all"]],
    ["c", ["adder", "commit", "commit-all", "compact", "zebra"]],
    ["ci", ["commit"]],
    ["comb", ["zebra"]],
    ["x", []],
    ["", ["adder", "commit", "commit-all", "compact", "zebra"]],
  ])("%p gives %j", (prefix, expected) => {
    expect(names(commands().searchCommands(prefix))).toEqual(expected);
  });

  test("shows an exact match first, even one by alias", () => {
    const registry = registryOf(
      entity("p"),
      entity("pr-list"),
      entity("create-pr", "claude:project", { aliases: ["pr"] }),
    );
    expect(names(registry.searchCommands("pr"))).toEqual(["create-pr", "pr-list"]);
  });

  test("shows winners only", () => {
    expect(origins(commands().searchCommands("commit"))[0]).toBe("claude:project/commit");
    expect(commands().searchCommands("commit")).toHaveLength(2);
  });

  test("sees what was registered after a search", () => {
    const registry = registryOf(entity("commit"));
    expect(names(registry.searchCommands("co"))).toEqual(["commit"]);
    registry.register(entity("cover"));
    expect(names(registry.searchCommands("co"))).toEqual(["commit", "cover"]);
  });

  test.each(["command", "skill", "agent"] as const)("has a method for each type: %s", (type) => {
    const registry = registryOf(entity("one", "claude:project", { type }), entity("two", "claude:project", { type }));
    const search = { command: registry.searchCommands, skill: registry.searchSkills, agent: registry.searchAgents };
    const all = { command: registry.allCommands, skill: registry.allSkills, agent: registry.allAgents };
    expect(names(search[type]("o"))).toEqual(["one"]);
    expect(names(all[type]())).toEqual(["one", "two"]);
  });
});
