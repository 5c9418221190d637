import { describe, expect, test } from "bun:test";
import type { Entity, EntityType } from "../src/entities/entity.ts";
import { EntityNotFoundError } from "../src/entities/entity-not-found.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";
import { entity, names, origins } from "./entities.ts";

function registryOf(...entities: readonly Entity[]): EntityRegistry {
  const registry = createEntityRegistry();
  for (const each of entities) registry.register(each);
  return registry;
}

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
