import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { BodyUnreadableError } from "../src/entities/define-entity.ts";
import type { Entity } from "../src/entities/entity.ts";
import type { Format, SourceFile } from "../src/entities/format.ts";
import { claude } from "../src/entities/formats/claude.ts";
import { loadFormat } from "../src/entities/load.ts";
import { createEntityRegistry } from "../src/entities/registry.ts";

function write(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function summary(entities: readonly Entity[]): string[] {
  return entities.map(({ type, name }) => `${type} ${name}`).toSorted();
}

describe("a format", () => {
  test("is read from all its places of one location", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, {
      ".claude/commands/git/commit.md": "Commit.",
      ".claude/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews\n---\nReview.",
      ".claude/agents/judge.md": "---\nname: judge\ndescription: Judges\n---\nJudge.",
      ".opencode/agents/other.md": "Not Claude's.",
    });
    const { entities, diagnostics } = loadFormat(claude, folder.path, "project");
    expect(summary(entities)).toEqual(["agent judge", "command git:commit", "skill review"]);
    expect(diagnostics).toEqual([]);
    expect(entities.every(({ source }) => source.location === "project")).toBe(true);
  });

  test("gives entities whose bodies are read on demand", async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, ".claude/commands/a.md");
    write(folder.path, { ".claude/commands/a.md": "---\ndescription: A\n---\nFirst body." });
    const [entity] = loadFormat(claude, folder.path, "project").entities;
    writeFileSync(file, "---\ndescription: A\n---\nSecond body.");
    expect(entity?.prompt).toBe("Second body.");
    rmSync(file);
    expect(entity?.prompt).toBe("Second body.");
  });

  test("reports which file a body cannot be read from, and what to do", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/commands/a.md": "Body." });
    const [entity] = loadFormat(claude, folder.path, "project").entities;
    rmSync(join(folder.path, ".claude"), { recursive: true });
    expect(() => entity?.prompt).toThrow(`${join(folder.path, ".claude/commands/a.md")}: The file does not exist`);
  });
});

describe("a base folder", () => {
  test("without anything in it gives nothing", async () => {
    await using folder = await temporaryFolder();
    expect(loadFormat(claude, folder.path, "project")).toEqual({ entities: [], diagnostics: [] });
  });

  test("that does not exist gives one warning", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "nowhere");
    expect(loadFormat(claude, path, "user")).toMatchObject({
      entities: [],
      diagnostics: [{ severity: "warning", code: "folder-missing", path }],
    });
  });

  test.each([
    ["a file", "a-file", "ENOTDIR"],
    ["a link in a circle", "circle", "ELOOP"],
    ["a path that no system has", "a\0b", "ERR_INVALID_ARG_VALUE"],
    ["a name that is too long", "x".repeat(5000), "ENAMETOOLONG"],
  ])("that is %s costs one error", async (_what, name, code) => {
    await using folder = await temporaryFolder();
    writeFileSync(join(folder.path, "a-file"), "");
    symlinkSync("circle", join(folder.path, "circle"));
    const { entities, diagnostics } = loadFormat(claude, `${folder.path}/${name}`, "project");
    expect({ entities, codes: diagnostics.map((each) => each.code) }).toEqual({
      entities: [],
      codes: ["folder-unreadable"],
    });
    expect(diagnostics[0]?.message).toContain(code);
  });

  test("whose format folder is a file is an error for that format only", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude": "oops" });
    const { diagnostics } = loadFormat(claude, folder.path, "project");
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(["folder-unreadable"]));
  });
});

describe("each such file gives one diagnostic, and its neighbors are loaded:", () => {
  const good = "---\ndescription: Good\n---\nBody.";
  const deep = `---\ndescription: Deep\nx: ${"[".repeat(10_000)}\n---\nBody.`;
  const bomb = `---\na: &a [x, x, x, x, x, x, x, x, x]\n${[..."bcdefghi"]
    .map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[at]}`).join(", ")}]`)
    .join("\n")}\n---\nBody.`;
  const hostile: readonly [string, string, (path: string) => void][] = [
    ["a FIFO", "file-not-regular", (path) => execFileSync("mkfifo", [path])],
    ["a folder with a file's name", "file-not-regular", (path) => mkdirSync(path)],
    ["20 MB", "file-too-large", (path) => writeFileSync(path, Buffer.alloc(20 * 1024 * 1024, "x"))],
    ["bytes that are not UTF-8", "file-not-utf8", (path) => writeFileSync(path, Buffer.from([0x2d, 0xff, 0xfe]))],
    ["YAML 10,000 levels deep", "frontmatter-too-deep", (path) => writeFileSync(path, deep)],
    ["a YAML alias bomb", "frontmatter-too-many-aliases", (path) => writeFileSync(path, bomb)],
    ["a dead link", "file-missing", (path) => symlinkSync("nowhere", path)],
    ["a link in a circle", "file-missing", (path) => symlinkSync("hostile.md", path)],
  ];

  test.each(hostile)("%s", async (_what, code, make) => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/good.md": good, ".claude/agents/zoo.md": good });
    make(join(folder.path, ".claude/agents/hostile.md"));
    const { entities, diagnostics } = loadFormat(claude, folder.path, "project");
    const all = [...diagnostics, ...entities.flatMap((entity) => entity.diagnostics)];
    expect(all).toMatchObject([{ code, path: join(folder.path, ".claude/agents/hostile.md") }]);
    const enabled = entities.filter(({ disabledBecause }) => disabledBecause === undefined);
    expect(summary(enabled)).toEqual(["agent good", "agent zoo"]);
  });

  test("and all of them together", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/good.md": good });
    for (const [at, [, , make]] of hostile.entries()) make(join(folder.path, `.claude/agents/hostile-${at}.md`));
    const { entities, diagnostics } = loadFormat(claude, folder.path, "project");
    expect([...diagnostics, ...entities.flatMap((entity) => entity.diagnostics)]).toHaveLength(hostile.length);
    expect(summary(entities)).toContain("agent good");
  });
});

describe("a file that cannot be read keeps its name, disabled:", () => {
  const latin = Buffer.concat([Buffer.from("---\ntools: Read\n---\ncaf"), Buffer.from([0xe9])]);
  const unreadable: readonly [string, string, Uint8Array][] = [
    ["one byte of Latin-1", "file-not-utf8", latin],
    ["more than 1 MB", "file-too-large", Buffer.alloc(1024 * 1024 + 1, "x")],
  ];

  test.each(unreadable)("%s", async (_what, code, content) => {
    await using folder = await temporaryFolder();
    const files = [".claude/agents/a.md", ".claude/commands/b/c.md", ".claude/skills/d/SKILL.md"];
    write(folder.path, Object.fromEntries(files.map((path) => [path, content])));
    const { entities, diagnostics } = loadFormat(claude, folder.path, "project");
    expect(diagnostics).toEqual([]);
    expect(summary(entities)).toEqual(["agent a", "command b:c", "skill d"]);
    for (const entity of entities) {
      expect(entity.diagnostics).toMatchObject([{ severity: "error", code }]);
      expect(entity.disabledBecause).toBe(entity.diagnostics[0]?.message);
      expect(() => entity.prompt).toThrow(BodyUnreadableError);
    }
  });

  test("and does not lose its name to the user's", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { "project/.claude/agents/latin.md": latin, "home/.claude/agents/latin.md": "Free." });
    const registry = createEntityRegistry();
    await registry.registerFromProvider("claude", join(folder.path, "home"), "user");
    await registry.registerFromProvider("claude", join(folder.path, "project"), "project");
    expect(registry.getAgent("latin")?.disabledBecause).toBe("The file is not UTF-8 text.");
    expect(registry.getAgent("claude:user/latin")?.prompt).toBe("Free.");
  });

  const broken = [
    "[deploy",
    "@deploy",
    "*deploy",
    "%deploy",
    '"deploy',
    "'deploy",
    "{deploy",
    "`deploy",
    "deploy: x",
    "- deploy",
  ];
  const providers = [
    ["claude", ".claude"],
    ["atomic", ".atomic"],
    ["opencode", ".opencode"],
    ["copilot", ".github"],
  ] as const;
  test.each(providers)("and neither does one of %s whose name is the part that is broken", async (provider, root) => {
    for (const name of broken) {
      await using folder = await temporaryFolder();
      const user = provider === "copilot" ? ".copilot" : root;
      // As it is written, and where the file is called something else.
      for (const file of ["deploy", "other"]) {
        write(folder.path, {
          [`project/${root}/agents/${file}.md`]: `---\nname: ${name}\ndescription: Limited\ntools: [Read]\n---\nLimited.`,
          [`home/${user}/agents/deploy.md`]: "---\nname: deploy\ndescription: Free\n---\nFree.",
        });
        const registry = createEntityRegistry();
        await registry.registerFromProvider(provider, join(folder.path, "home"), "user");
        await registry.registerFromProvider(provider, join(folder.path, "project"), "project");
        const meant = name === "deploy: x" ? file : "deploy";
        expect([name, file, registry.getAgent(meant)?.source.location]).toEqual([name, file, "project"]);
        expect(registry.getAgent(meant)?.disabledBecause).toBeString();
        expect(registry.getAgent(file)?.displayName).toBe(file);
        expect(registry.entries().filter(({ source }) => source.location === "project")).toHaveLength(1);
        expect(registry.all().map(({ displayName }) => displayName)).not.toContain(name);
        rmSync(join(folder.path, "project"), { recursive: true });
      }
    }
  });

  test("and one that is broken elsewhere keeps its own `name`, too", async () => {
    const heads = [
      'name: deploy\ntools: "Read',
      "name: deploy\nname: ship\ntools: Read",
      "name:\n  deploy\ntools: [Read\nx",
    ];
    for (const head of heads) {
      for (const end of ["\n---\nLimited.", "\n", "\r\n---\r\n"]) {
        await using folder = await temporaryFolder();
        write(folder.path, {
          "project/.claude/agents/other.md": `---\n${head}${end}`,
          "home/.claude/agents/deploy.md": "---\nname: deploy\n---\nFree.",
        });
        const registry = createEntityRegistry();
        await registry.registerFromProvider("claude", join(folder.path, "home"), "user");
        await registry.registerFromProvider("claude", join(folder.path, "project"), "project");
        expect(registry.getAgent("deploy")).toMatchObject({
          displayName: "other",
          disabledBecause: expect.any(String),
        });
        // Once it is mended, it lets go of what is not its name.
        write(folder.path, { "project/.claude/agents/other.md": "---\nname: other\n---\n" });
        await registry.registerFromProvider("claude", join(folder.path, "project"), "project");
        expect(registry.getAgent("deploy")?.source.location).toBe("user");
        expect(registry.getAgent("other")?.disabledBecause).toBeUndefined();
      }
    }
  });

  test("but a name that is merely beside something broken is read normally", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/a.md": "---\nname: b, c\ndescription: Use when: foo\n---\n" });
    const [entity] = loadFormat(claude, folder.path, "project").entities;
    expect(entity).toMatchObject({ displayName: "b, c" });
    expect(entity?.disabledBecause).toBeUndefined();
  });

  test("and must be loaded again once it is fixed", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/a.md": latin });
    const [entity] = loadFormat(claude, folder.path, "project").entities;
    write(folder.path, { ".claude/agents/a.md": "Mended." });
    expect(() => entity?.prompt).toThrow("Reload the entities");
  });
});

describe("a format that throws", () => {
  test("because of what is in a file disables that file, which keeps its name", async () => {
    await using folder = await temporaryFolder();
    const bad = "allowed-tools: Read\nboom: true";
    write(folder.path, {
      ".claude/commands/deploy.md": `---\n${bad}\n---\nDeploy.`,
      ".claude/agents/other.md": `---\nname: reviewer\n${bad}\n---\nReview.`,
    });
    const clumsy: Format = {
      ...claude,
      places: claude.places.map((place) => ({
        ...place,
        read: (file: SourceFile) => {
          if (file.text.includes("boom")) throw new TypeError("Cannot convert object to primitive value");
          return place.read(file);
        },
      })),
    };
    const { entities, diagnostics } = loadFormat(clumsy, folder.path, "project");
    expect(summary(entities)).toEqual(["agent reviewer", "command deploy"]);
    expect(diagnostics).toEqual([]);
    for (const entity of entities) {
      expect(entity.disabledBecause).toContain("Cannot convert object");
      expect(entity.diagnostics).toMatchObject([
        { severity: "error", code: "reader-failed", path: entity.source.path },
      ]);
    }
  });

  test("for any content disables only that file, with an error that names it", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { ".claude/agents/a.md": "A", ".claude/agents/b.md": "B", ".claude/agents/c.md": "C" });
    const clumsy: Format = {
      ...claude,
      places: claude.places.map((place) => ({
        ...place,
        read: (file: SourceFile) => {
          if (file.relative === "b.md") throw new RangeError("Maximum call stack size exceeded");
          return place.read(file);
        },
      })),
    };
    const { entities, diagnostics } = loadFormat(clumsy, folder.path, "project");
    expect(summary(entities)).toEqual(["agent a", "agent c"]);
    expect(diagnostics).toMatchObject([
      { severity: "error", code: "reader-failed", path: join(folder.path, ".claude/agents/b.md") },
    ]);
    expect(diagnostics[0]?.message).toContain("Maximum call stack");
  });
});

describe("a place that is reached twice", () => {
  test("is offered with the same identity, and skipped on demand", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, { "real/.claude/agents/a.md": "A" });
    symlinkSync("real", join(folder.path, "link"));
    const offered: string[] = [];
    const claim = (place: string): boolean => {
      offered.push(place);
      return offered.indexOf(place) === offered.length - 1;
    };
    expect(loadFormat(claude, join(folder.path, "real"), "user", { claim }).entities).toHaveLength(1);
    expect(loadFormat(claude, join(folder.path, "link"), "project", { claim }).entities).toHaveLength(0);
    expect(new Set(offered).size).toBe(1);
  });
});
