import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { formats } from "../src/entities/formats/all.ts";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { lintEntities, whoLoads } from "../src/entities/lint/lint.ts";
import type { LintFinding } from "../src/entities/lint/rule.ts";
import { rules } from "../src/entities/lint/rules/all.ts";
import { hostileBytes, seeded } from "./hostile-bytes.ts";
import { cases } from "./lint-cases.ts";
import { loaderCodes } from "./loader-codes.ts";

type Files = Readonly<Record<string, string>>;

interface Workshop extends AsyncDisposable {
  readonly project: string;
  readonly home: string;
  /** As the cases write it: `~/…` for the home. */
  shown(path: string | undefined): string;
  /** Of the project and the home. */
  lint(): Promise<LintFinding[]>;
}

async function workshop(files: Files): Promise<Workshop> {
  const folder = await temporaryFolder();
  const [project, home] = [join(folder.path, "project"), join(folder.path, "home")];
  for (const path of [project, home]) mkdirSync(path);
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith("~/") ? join(home, path.slice(2)) : join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return {
    project,
    home,
    shown: (path = "") => (path.startsWith(home) ? `~/${relative(home, path)}` : relative(project, path)),
    lint: async () => [
      ...(await lintEntities(project, { userPath: home })),
      ...(await lintEntities(await initializeWorkflowsSDK({ projectPath: project, userPath: home }))).filter(
        ({ path }) => path?.startsWith(home) === true,
      ),
    ],
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const allCodes = [...rules.map(({ code }) => code), "agents-too-many", "file-unread"];

describe.each(allCodes)("%s", (code) => {
  const { fires, at, quiet } = cases[code] ?? { fires: {}, at: ["a case"], quiet: [] };

  test("fires where it belongs", async () => {
    await using shop = await workshop(fires);
    const found = (await shop.lint()).filter((finding) => finding.code === code);
    const places = found.map(({ path, line, column }) => [shop.shown(path), line, column].filter(Boolean).join(":"));
    expect(places.toSorted()).toEqual(at.toSorted());
    for (const finding of found) {
      const rule = [...rules, ...loaderCodes].find((candidate) => candidate.code === code);
      expect(finding).toMatchObject({ severity: rule?.severity, message: expect.stringMatching(/\S.*[.?)]$/) });
    }
  });

  test.each(quiet.map((files, index) => [index, files] as const))(
    "stays quiet on its neighbour %d",
    async (_, files) => {
      await using shop = await workshop(files);
      expect((await shop.lint()).filter((finding) => finding.code === code)).toEqual([]);
    },
  );
});

test("a dead link and a FIFO are each reported once", async () => {
  await using shop = await workshop({ ".claude/agents/a.md": "---\nname: a\ndescription: A\n---\n" });
  symlinkSync("nowhere", join(shop.project, ".claude/agents/dead.md"));
  execFileSync("mkfifo", [join(shop.project, ".claude/agents/pipe.md")]);
  const found = await lintEntities(shop.project, { userPath: shop.home });
  expect(found.map(({ code }) => code)).toEqual(["file-missing", "file-not-regular"]);
});

describe("the table of rules", () => {
  test("has a case for each rule, and no other", () => {
    expect(Object.keys(cases).toSorted()).toEqual(allCodes.toSorted());
    expect(Object.values(cases).every(({ quiet }) => quiet.length > 0)).toBe(true);
  });

  test("has one code for one thing, in one spelling, with a line for the docs", () => {
    const table = [...rules, ...loaderCodes];
    expect(new Set(table.map(({ code }) => code)).size).toBe(table.length);
    for (const { code, summary } of table) {
      expect(code).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+$/);
      expect(summary).toMatch(/^[A-Z`].{10,118}\.$/);
    }
  });

  test("explains every code that is reported without a rule, with its severity", () => {
    const modules = modulesBehind(join(import.meta.dir, "../src/entities/lint/lint.ts"));
    const texts = modules.map((module) => readFileSync(module, "utf8")).join("\n");
    // Those of findings: an error class also declares its code.
    const codes = [...texts.matchAll(/(?<!declare readonly )\bcode: "([a-z0-9-]+)"/g)].map(([, code = ""]) => code);
    expect(loaderCodes.map(({ code }) => code)).toEqual([...new Set(codes)].toSorted());
    for (const [, severity, code] of texts.matchAll(/severity: "(\w+)",\s*code: "([a-z0-9-]+)"/g)) {
      if (code === "file-not-regular") continue; // a folder is a warning, all else an error
      expect([code, loaderCodes.find((row) => row.code === code)?.severity]).toEqual([code, severity as "error"]);
    }
  });
});

/** All modules of ours that one needs, but for those of the rules. */
function modulesBehind(entry: string, found = new Set<string>()): string[] {
  if (found.has(entry) || entry.includes("/lint/rules/")) return [];
  found.add(entry);
  const imports = readFileSync(entry, "utf8").matchAll(/ from "(\.[^"]+)"/g);
  return [entry, ...[...imports].flatMap(([, path = ""]) => modulesBehind(join(dirname(entry), path), found))];
}

const clean: Files = {
  ".claude/commands/git/commit.md":
    '---\ndescription: Commits\nargument-hint: "[message]"\nallowed-tools: Bash(git:*), Read\n---\nCommit $ARGUMENTS.\n',
  ".claude/skills/review/SKILL.md":
    '---\nname: review\ndescription: Reviews code\nlicense: MIT\nmetadata:\n  version: "1.0"\n---\nReview.\n',
  ".claude/agents/judge.md":
    "---\nname: judge\ndescription: Judges\ntools: Read, Grep\nmodel: sonnet\nskills: [review]\n---\nYou judge.\n",
  ".opencode/agents/build-doctor.md":
    '---\ndescription: Heals builds\nmode: subagent\nmodel: anthropic/claude-sonnet-4-5\npermission:\n  edit: deny\n  bash:\n    "*": ask\n---\nYou heal builds.\n',
  ".opencode/commands/heal.md": "---\ndescription: Heals\nagent: build-doctor\nsubtask: true\n---\nHeal $1.\n",
  ".opencode/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys\n---\nDeploy.\n",
  "opencode.json":
    '{ "agent": { "scout": { "description": "Scouts", "mode": "subagent", "prompt": "You scout." } } }\n',
  ".github/agents/guide.agent.md": "---\ndescription: Guides\ntools: [read, search]\n---\nYou guide.\n",
  ".github/skills/triage/SKILL.md": "---\nname: triage\ndescription: Sorts issues\n---\nSort.\n",
  ".agents/skills/shared/SKILL.md": "---\nname: shared\ndescription: For all tools\n---\nShare.\n",
  ".atomic/agents/planner.md": "---\nname: planner\ndescription: Plans\ntools: [Read]\n---\nYou plan.\n",
  ".atomic/workflows/ship.ts": "export default {};\n",
  "~/.claude/commands/standup.md": "---\ndescription: Stands up\n---\nWhat did I do?\n",
  "README.md": "# A project\n",
};

describe("lintEntities", () => {
  test("finds nothing in a clean project", async () => {
    await using shop = await workshop(clean);
    expect(await shop.lint()).toEqual([]);
  });

  test("finds nothing in the skills of this package", async () => {
    expect(await lintEntities(join(import.meta.dir, "../builtin/skills"))).toEqual([]);
  });

  test("passes on what reading the files reports, with the entity if there is one", async () => {
    await using shop = await workshop({
      ".claude/commands/broken.md": "---\ndescription: One\ndescription: Two\n---\nBody",
      ".opencode/agents/w.md": "---\ndescription: W\npermission:\n  write: deny\n---\nBody",
      ".claude/agents/low.md": "---\nname: low\ndescription: Low\ntools: [bash]\n---\nBody",
      "opencode.json": "{ oops",
    });
    writeFileSync(join(shop.project, ".claude/commands/latin.md"), Buffer.from([0xe9]));
    const found = (await shop.lint()).map(({ code, path, entity }) => [code, shop.shown(path), entity]);
    expect(found).toContainEqual(["frontmatter-duplicate-key", ".claude/commands/broken.md", "claude:project/broken"]);
    expect(found).toContainEqual(["permission-ignored", ".opencode/agents/w.md", "opencode:project/w"]);
    expect(found).toContainEqual(["tool-name-case", ".claude/agents/low.md", "claude:project/low"]);
    expect(found).toContainEqual(["config-syntax", "opencode.json", undefined]);
    expect(found).toContainEqual(["file-not-utf8", ".claude/commands/latin.md", "claude:project/latin"]);
  });

  test("advises a key that really restricts, if there is one", async () => {
    await using shop = await workshop({
      ".claude/commands/a.md": "---\ndescription: A\ntools: Read\n---\nBody\n",
      ".claude/commands/b.md": "---\ndescription: B\ndisallowedTools: Bash\n---\nBody\n",
      ".claude/agents/c.md": "---\nname: c\ndescription: C\nallowed-tools: Read\n---\nBody\n",
      ".github/agents/d.md": "---\ndescription: D\ndisallowedTools: [edit]\n---\nBody\n",
      ".opencode/agents/e.md": "---\ndescription: E\npermissions:\n  edit: deny\n---\nBody\n",
      ".opencode/agents/f.md": "---\ndescription: F\nallowed-tools: Read\ndisallowedTools: Bash\n---\nBody\n",
      ".opencode/commands/g.md": "---\ndescription: G\ntools: Read\n---\nBody\n",
    });
    const found = (await shop.lint()).filter(({ code }) => code === "restriction-ignored");
    const elsewhere = "Restrict the agent that runs it instead, or remove the key.";
    expect(found.map(({ path = "", hint }) => [path.at(-4), hint])).toEqual([
      ["c", "Write `tools`."],
      ["a", elsewhere],
      ["b", "Write `disallowed-tools`."],
      ["d", "List the tools that it may use in `tools`."],
      ["e", "Write `permission`."],
      ["f", "Write `permission`."],
      ["f", "Write `permission`."],
      ["g", elsewhere],
    ]);
  });

  test("says what each tool does with namesakes in one folder", async () => {
    const twin = "---\nname: twin\ndescription: One of two\n---\nBody\n";
    await using shop = await workshop({
      ".claude/skills/a/SKILL.md": twin,
      ".claude/skills/b/SKILL.md": twin,
      ".github/agents/a.md": twin,
      ".github/agents/b.md": twin,
      ".claude/agents/a.md": twin.replace("twin", "sister"),
      ".claude/agents/b.md": twin.replace("twin", "sister"),
    });
    const found = (await shop.lint()).filter(({ code }) => code === "name-duplicate");
    expect(found.map(({ path, message }) => [shop.shown(path), message.split(": ").at(-1)])).toEqual([
      [".claude/agents/b.md", "Claude Code uses only one, Copilot lists both."],
      [".claude/skills/b/SKILL.md", "Claude Code lists both, OpenCode uses only one, Copilot uses only one."],
      [".github/agents/b.md", "Copilot lists both."],
    ]);
  });

  test("names every value that keeps OpenCode from starting, not only the first", async () => {
    const files = { ".opencode/agents/a.md": "---\ndescription: A\ntools: Read, Grep\ncolor: cyan\n---\nBody" };
    await using shop = await workshop(files);
    const [finding] = await shop.lint();
    expect(finding?.message).toContain("does not accept these values for `tools` and `color`");
  });

  test("finds nothing wrong with what Copilot accepts", async () => {
    await using shop = await workshop({
      ".github/agents/a.agent.md": `---\ndescription: A --- B\nmodel: [gpt-5, sonnet]\n---\n${"long ".repeat(9_000)}\n`,
    });
    expect(await shop.lint()).toEqual([]);
  });

  test("is in the order of the files, whatever the order of the rules", async () => {
    await using shop = await workshop({
      ".claude/commands/b.md": "---\nwhimsy: 1\ndescripton: B\n---\n!`ls`\n",
      ".claude/commands/a.md": "---\nwhimsy: 1\n---\nBody\n",
    });
    const found = await lintEntities(shop.project, { userPath: shop.home });
    expect(found.map(({ path, line, code }) => `${shop.shown(path)}:${line} ${code}`)).toEqual([
      ".claude/commands/a.md:2 key-unknown",
      ".claude/commands/b.md:2 key-unknown",
      ".claude/commands/b.md:3 key-misspelled",
      ".claude/commands/b.md:5 runs-shell",
    ]);
  });

  test("gives the offset of a hidden character, and what hidden text says", async () => {
    const text = "---\ndescription: X\n---\nBe kind.\u{e006f}\u{e0062}\u{e0065}\u{e0079}\n";
    await using shop = await workshop({ ".claude/commands/x.md": text });
    expect(await shop.lint()).toMatchObject([
      {
        code: "hidden-character",
        offset: text.indexOf("\u{e006f}"),
        message: 'Hidden text in Unicode tag characters: "obey".',
      },
    ]);
  });

  test("does not bury the reader under one kind of finding", async () => {
    await using shop = await workshop({ ".claude/commands/x.md": "a\u200bb ".repeat(500) });
    const found = (await shop.lint()).filter(({ code }) => code === "hidden-character");
    expect(found).toHaveLength(21);
    expect(found.map(({ message }) => message)).toContain("480 more places contain hidden characters.");
  });

  test("survives a file that goes, or breaks, after it was loaded", async () => {
    await using shop = await workshop({ ...clean, ".claude/commands/gone.md": "Body" });
    const registry = await initializeWorkflowsSDK({ projectPath: shop.project, userPath: shop.home });
    rmSync(join(shop.project, ".claude/commands/gone.md"));
    writeFileSync(join(shop.project, "opencode.json"), "{ oops");
    const found = await lintEntities(registry);
    expect(found.map(({ code, path }) => [code, shop.shown(path)])).toContainEqual([
      "file-missing",
      ".claude/commands/gone.md",
    ]);
  });

  test("never throws, whatever bytes the files have", async () => {
    const random = seeded(7);
    await using shop = await workshop({});
    const places = formats.flatMap((format) => format.places).filter(({ location }) => location === "project");
    const paths = places.map((place) => {
      if (place.kind === "config") return join(shop.project, place.path);
      const ending = place.pattern.split("/").at(-1) ?? "";
      return join(shop.project, place.path, ending.startsWith("*") ? `x${ending.slice(1)}` : `x/${ending}`);
    });
    for (const path of paths) mkdirSync(dirname(path), { recursive: true });
    for (let round = 0; round < 40; round += 1) {
      for (const path of paths) writeFileSync(path, hostileBytes(random));
      const found = await lintEntities(shop.project, { userPath: shop.home });
      expect(found.filter(({ message, code }) => message === "" || code === "reader-failed")).toEqual([]);
    }
  }, 180_000);
});

describe("the home folder", () => {
  const planner = ".copilot/agents/planner.md";
  const text = "---\nname: planner\ndescription: Plans\n---\nPlan.";
  const unread = (findings: readonly LintFinding[]): (string | undefined)[] =>
    findings.filter(({ code }) => code === "file-unread").map(({ path }) => path);

  test("has a folder of Copilot's that a project has not", async () => {
    await using shop = await workshop({ [planner]: text, [`~/${planner}`]: text, "~/.claude/agent/a.md": "Singular." });
    const { project, home } = shop;
    expect(unread(await lintEntities(project, { userPath: home }))).toEqual([join(project, planner)]);
    expect(unread(await lintEntities(home, { userPath: home }))).toEqual([join(home, ".claude/agent/a.md")]);
    expect(unread(await lintEntities(join(home, planner), { userPath: home }))).toEqual([]);
  });

  test("is known by any of its paths", async () => {
    await using shop = await workshop({ [`~/${planner}`]: text });
    const other = join(shop.project, "home");
    symlinkSync(shop.home, other);
    expect(unread(await lintEntities(other, { userPath: shop.home }))).toEqual([]);
    expect(unread(await lintEntities(shop.home, { userPath: `${other}/` }))).toEqual([]);
  });
});

describe("a path may be", () => {
  const bad = "---\nname: bad name\ndescription: Bad\n---\nBody\n";
  const files = {
    ".claude/skills/one/SKILL.md": bad,
    ".claude/skills/two/SKILL.md": bad,
    ".opencode/skills/three/SKILL.md": bad,
    "packages/kit/skills/four/SKILL.md": bad,
    "opencode.json": '{ "agent": { "a": { "prompt": "x", "whimsy": 1 } } }',
    ".claude/worktrees/w/.claude/skills/five/SKILL.md": bad,
  };

  test.each([
    [".", [".claude/skills/one", ".claude/skills/two", ".opencode/skills/three", "opencode.json"]],
    [".claude", [".claude/skills/one", ".claude/skills/two"]],
    [".claude/skills/one", [".claude/skills/one"]],
    [".claude/skills/one/SKILL.md", [".claude/skills/one"]],
    [".opencode/skills", [".opencode/skills/three"]],
    ["packages/kit/skills", ["packages/kit/skills/four"]],
    ["packages/kit/skills/four", ["packages/kit/skills/four"]],
    ["packages/kit/skills/four/SKILL.md", ["packages/kit/skills/four"]],
    ["packages/kit/nothing-here", ["packages/kit/nothing-here"]],
    // A project of its own, in spite of its path.
    [".claude/worktrees/w", [".claude/worktrees/w/.claude/skills/five"]],
  ])("%s", async (path, expected) => {
    await using shop = await workshop(files);
    const found = await lintEntities(join(shop.project, path), { userPath: shop.home });
    const where = found.map((finding) => shop.shown(finding.path).replace("/SKILL.md", ""));
    expect([...new Set(where)]).toEqual(expected);
  });

  test("one of several", async () => {
    await using shop = await workshop(files);
    const paths = [".claude/skills/two", ".opencode", ".opencode/skills/three"].map((path) => join(shop.project, path));
    const found = await lintEntities(paths, { userPath: shop.home });
    const where = found.map((finding) => shop.shown(finding.path));
    expect([...new Set(where)]).toEqual([".claude/skills/two/SKILL.md", ".opencode/skills/three/SKILL.md"]);
    expect(new Set(found.map((finding) => JSON.stringify(finding))).size).toBe(found.length);
  });

  test("in a project whose user's files stay out of the findings, but count as targets of references", async () => {
    await using shop = await workshop({
      ".claude/commands/x.md": "---\ndescription: X\nagent: helper\n---\nBody\n",
      "~/.claude/agents/helper.md": "---\nname: helper\ndescription: Helps\nwhimsy: 1\n---\nBody\n",
    });
    expect(await lintEntities(shop.project, { userPath: shop.home })).toEqual([]);
  });
});

test("whoLoads says for each entity which tools load it and under which name", async () => {
  await using shop = await workshop({
    ".claude/commands/git/commit.md": "---\ndescription: Commits\n---\nBody\n",
    ".claude/commands/pack/SKILL.md": "---\nname: pack\ndescription: Pack\n---\nBody\n",
    ".claude/commands/pack/other.md": "---\ndescription: Other\n---\nBody\n",
    ".claude/skills/review/SKILL.md": "---\nname: review\ndescription: Reviews\n---\nBody\n",
  });
  const registry = await initializeWorkflowsSDK({ projectPath: shop.project, userPath: shop.home });
  const all = whoLoads(registry.entries().filter(({ source }) => source.location === "project"));
  const shown = all.map(({ entity, verdicts }) => [
    entity.source.relative,
    verdicts.flatMap(({ tool, loads, as, kind }) => (loads ? [`${tool}: ${kind} ${as}`] : [])),
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    "git/commit.md": ["claude: command git:commit"],
    "pack/SKILL.md": ["claude: command pack"],
    "pack/other.md": [],
    "review/SKILL.md": ["claude: skill review", "opencode: skill review", "copilot: skill review"],
  });
});
