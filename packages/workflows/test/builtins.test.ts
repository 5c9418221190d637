import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getCommandHint } from "../src/entities/hints.ts";
import { registerBuiltins } from "../src/entities/initialize.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";
import { parseTasks } from "../src/tasks/parse.ts";
import { entity } from "./entities.ts";

const pkg = join(import.meta.dir, "..");
const hints = {
  commit: "[message] | --amend",
  "create-feature-list": "<spec-path>",
  "create-gh-pr": "[title]",
  "create-spec": "<research-doc-path>",
  "explain-code": "<file-path> [function-name]",
  "implement-feature": "[feature-id]",
  "research-codebase": "<question or topic>",
};

function builtins(): EntityRegistry {
  const registry = createEntityRegistry();
  registerBuiltins(registry);
  return registry;
}

test("the builtin skills are registered with their hints", () => {
  const registry = builtins();
  expect(Object.fromEntries(registry.allSkills().map(({ name, argumentHint }) => [name, argumentHint]))).toEqual(hints);
  for (const name of Object.keys(hints)) expect(registry.getArgumentHint(name)).toBe(getCommandHint(name));
  expect(registry.diagnostics()).toEqual([]);
});

describe.each(Object.keys(hints))("%s", (name) => {
  const skill = builtins().require("skill", name);

  test("is complete", () => {
    expect(skill).toMatchObject({ displayName: name, diagnostics: [], restrictions: {} });
    expect(skill.source).toMatchObject({ provider: "atomic", location: "builtin" });
    expect(skill.disabledBecause).toBeUndefined();
    expect(skill.description.length).toBeWithin(40, 1025);
  });

  test("has a prompt of 20 to 60 lines that takes arguments and is for every tool", () => {
    const lines = skill.prompt.split("\n").length;
    expect(lines).toBeWithin(20, 61);
    expect(skill.prompt).toContain("$ARGUMENTS");
    expect(skill.prompt).not.toMatch(/claude|opencode|copilot|gemini|gpt|\bTask tool\b/i);
  });
});

test("create-feature-list shows a tasks file that a loop accepts, in the place where Ralph and implement-feature look", () => {
  const [list, next] = ["create-feature-list", "implement-feature"].map((name) => builtins().require("skill", name));
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(list?.prompt ?? "") ?? [];
  expect(parseTasks(example, "research/tasks.json")).toMatchObject([{ id: "F1", status: "pending", dependencies: [] }]);
  for (const skill of [list, next]) expect(skill?.prompt).toContain("`research/tasks.json`");
});

test("each can be found by an alias", () => {
  const registry = builtins();
  for (const skill of registry.allSkills()) {
    expect(skill.aliases).toHaveLength(1);
    for (const alias of skill.aliases) expect(registry.getSkill(alias)).toBe(skill);
  }
});

test("a user's skill wins over a builtin with the same name", () => {
  const registry = builtins();
  const mine = entity("commit", "claude:user", { type: "skill" });
  registry.register(mine);
  expect(registry.getSkill("commit")).toBe(mine);
  expect(registry.getSkill("atomic:builtin/commit")?.source.location).toBe("builtin");
});

test("no builtin prompt lives in TypeScript", () => {
  const sources = readdirSync(join(pkg, "src"), { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const firstLines = Object.keys(hints).map((name) => builtins().require("skill", name).prompt.split("\n")[0] ?? "");
  for (const source of sources) {
    const text = readFileSync(join(pkg, "src", source), "utf8");
    for (const line of firstLines) expect(text.includes(line)).toBe(false);
  }
});

describe("from the built package", () => {
  const built = join(pkg, "dist/entities/initialize.js");
  const script = `
    const { registerBuiltins } = await import(${JSON.stringify(built)});
    const { createEntityRegistry } = await import(${JSON.stringify(join(pkg, "dist/entities/registry.js"))});
    const registry = createEntityRegistry();
    registerBuiltins(registry);
    console.log(JSON.stringify(registry.allSkills().map((skill) => [skill.name, skill.prompt.length > 500])));`;
  const expected = Object.keys(hints).map((name) => [name, true]);
  const onNode = existsSync(built) ? test : test.skip;
  const reason = existsSync(built) ? "" : " (skipped: needs `tsc -b` first)";

  onNode(`Node finds them${reason}`, () => {
    const output = execFileSync("node", ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual(expected);
  });

  onNode(`Bun finds them${reason}`, () => {
    expect(JSON.parse(execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }))).toEqual(expected);
  });

  test("they are published with it", () => {
    expect(JSON.parse(readFileSync(join(pkg, "package.json"), "utf8")).files).toContain("builtin");
  });
});
