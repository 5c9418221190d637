import { describe, expect, test } from "bun:test";
import type { Entity } from "../src/entities/entity.ts";
import type { FormatPlace } from "../src/entities/format.ts";
import { formats } from "../src/entities/formats/all.ts";
import { readOpencodeConfig } from "../src/entities/formats/opencode-config.ts";

/** Reads a text as if it lay at this path: `.claude/commands/git/commit.md`. No disk is involved. */
function read(path: string, text: string): readonly Entity[] {
  const location = path.startsWith("~/") ? "user" : "project";
  const file = path.replace(/^~\//, "");
  const fits = (place: FormatPlace): boolean =>
    place.location === location && (place.kind === "config" ? place.path === file : file.startsWith(`${place.path}/`));
  const place = formats.flatMap(({ places }) => places).find(fits);
  if (place === undefined) throw new Error(`No format has a place for ${path}.`);
  const relative = place.kind === "config" ? file : file.slice(place.path.length + 1);
  return place.read({ path: `/${path}`, relative, text, location, place: place.path }).entities;
}

function first(path: string, text: string): Entity {
  const [entity] = read(path, text);
  if (entity === undefined) throw new Error(`${path} gives no entity.`);
  return entity;
}

const keys = (lines: string, body = "Body."): string => `---\n${lines}\n---\n${body}`;

describe("names", () => {
  test.each([
    [".claude/commands/commit.md", "", "commit", []],
    [".claude/commands/git/Commit.md", "", "git:Commit", []],
    [".claude/commands/git/hub/pr.md", "name: ignored", "git:hub:pr", []],
    [".claude/commands/git/commit/SKILL.md", "", "git:commit", []],
    [".claude/commands/SKILL.md", "", "commands", []],
    [".claude/skills/review/SKILL.md", "", "review", []],
    [".claude/skills/review/SKILL.md", "name: Check", "Check", ["review"]],
    [".claude/skills/group/review/SKILL.md", 'name: "  review  "', "review", []],
    [".claude/agents/team/judge.md", "name: Judge", "Judge", []],
    [".claude/agents/team/judge.md", "", "judge", []],
    [".opencode/agents/team/judge.md", "", "team/judge", []],
    [".opencode/agents/team/judge.md", "name: other", "other", []],
    [".opencode/commands/git/commit.md", "", "git/commit", []],
    [".opencode/commands/git/commit.md", "name: other", "other", []],
    ["~/.config/opencode/skill/deep/down/review/SKILL.md", "name: review", "review", []],
    [".opencode/mode/quiet.md", "", "quiet", []],
    [".github/agents/judge.agent.md", "", "judge", []],
    [".github/agents/judge.md", "", "judge", []],
    [".github/agents/team/judge.agent.md", "", "team--judge", []],
    [".github/agents/team/judge.md", "name: Judge", "Judge", ["team--judge"]],
    [".github/agents/Judge.Agent.md", "", "Judge.Agent", []],
    ["~/.copilot/skills/big review/SKILL.md", "", "big-review", ["big review"]],
    [".github/skills/review/SKILL.md", "name: Big  Review", "Big-Review", ["review"]],
    [".agents/skills/review/SKILL.md", "name: other", "other", ["review"]],
    [".agents/skills/SKILL.md", "", "skills", []],
    [".atomic/commands/git/commit.md", "", "git:commit", []],
    [".atomic/workflows/release.ts", "", "release", []],
  ])("%s with %j is %s", (path, lines, displayName, aliases) => {
    const entity = first(path, keys(lines));
    expect(entity).toMatchObject({ displayName, name: displayName.toLowerCase(), aliases });
  });

  test("frontmatter may give more aliases", () => {
    expect(first(".claude/commands/commit.md", keys("aliases: [ci, save]")).aliases).toEqual(["ci", "save"]);
    expect(first(".claude/commands/commit.md", keys("aliases: ci, save")).aliases).toEqual(["ci", "save"]);
  });

  test("type declarations beside a workflow are not workflows", () => {
    expect(read(".atomic/workflows/release.d.ts", "export {};")).toEqual([]);
  });
});

describe("descriptions", () => {
  test.each([
    [".claude/commands/a.md", keys("description: '  About it  '"), "About it"],
    [".claude/commands/a.md", keys("description: 42"), "42"],
    [".claude/commands/a.md", keys("description: Use when: asked"), "Use when: asked"],
    [".claude/commands/a.md", keys("x: y", "\n## Heading\ntext"), "Heading"],
    [".claude/commands/a.md", keys("x: y", "#tag first"), "#tag first"],
    [".claude/commands/a.md", "Just text.\r\nMore.", "Just text."],
    [".claude/commands/a.md", `${"x".repeat(101)}\n`, `${"x".repeat(97)}...`],
    [".claude/commands/a.md", "", ""],
    [".claude/agents/a.md", keys("name: a", "First line"), ""],
    [".opencode/agents/a.md", keys("mode: subagent", "First line"), ""],
    [".opencode/agents/a.md", keys("description: Use when: asked"), "Use when: asked"],
    [".github/agents/a.md", keys("description: Use when: asked"), ""],
  ])("of %s with %j: %j", (path, text, description) => {
    expect(first(path, text).description).toBe(description);
  });
});

describe("argument hints", () => {
  test.each([
    ["argument-hint: <file> [--all]", "<file> [--all]"],
    ["argument-hint: [message]", "[message]"],
    ["argument-hint: [a, b]", "[a, b]"],
    ["argument-hint: [a] [b]", "[a] [b]"],
    ["argument-hint: 1.10", "1.10"],
    ['argument-hint: ""', ""],
    ["argument-hint:", undefined],
    ["x: y", undefined],
  ])("%j is the hint %j", (lines, hint) => {
    expect(first(".claude/commands/a.md", keys(lines)).argumentHint).toBe(hint);
  });
});

describe("a skill's tool restriction", () => {
  test.each([".claude", ".opencode", ".github", ".agents", ".atomic"])("counts in %s/skills", (root) => {
    const { tools } = first(`${root}/skills/a/SKILL.md`, keys("name: a\nallowed-tools: Read"));
    expect(tools).toEqual(["read"]);
  });
});

describe("opencode.json", () => {
  const config = `{
    // comments are fine
    "agent": { "Judge": { "description": "Judges", "prompt": "Judge.", "tools": { "bash": false } }, "none": 42 },
    "mode": { "quiet": { "prompt": "Hush." } },
    "command": { "commit": { "template": "Commit $1" }, "commit": { "template": "Last one wins" } },
    "other": { "x": {} },
  }`;

  test("gives agents, modes and commands", () => {
    const entities = read("opencode.json", config);
    expect(entities.map(({ type, name, prompt, source }) => [type, name, prompt, source.pointer])).toEqual([
      ["agent", "judge", "Judge.", "agent.Judge"],
      ["agent", "quiet", "Hush.", "mode.quiet"],
      ["command", "commit", "Last one wins", "command.commit"],
    ]);
    expect(entities[0]?.restrictions.deny).toEqual([{ tool: "bash" }]);
  });

  test.each(["", "[]", "42", '{ "agent": [] }', "{}"])("%j gives none", (text) => {
    expect(read("opencode.jsonc", text)).toEqual([]);
  });
});

test("an agent from an opencode.json is immutable", () => {
  const text = '{ "agent": { "a": { "tools": { "write": false }, "list": [{ "b": 1 }] } } }';
  const file = {
    path: "/p/opencode.json",
    relative: "opencode.json",
    text,
    location: "project",
    place: "opencode.json",
  };
  const [agent] = readOpencodeConfig({ ...file, location: "project" }).entities;
  const { tools, list } = (agent?.frontmatter ?? {}) as { tools: Record<string, boolean>; list: object[] };
  expect(() => {
    tools.write = true;
  }).toThrow(TypeError);
  expect(Object.isFrozen(list[0])).toBe(true);
});
