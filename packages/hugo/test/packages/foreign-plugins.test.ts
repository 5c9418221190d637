import { describe, expect, test } from "bun:test";
import { readManifest } from "../../src/packages/manifest.ts";
import { refusal } from "../refusal.ts";
import { tree } from "../tree.ts";

const json = JSON.stringify;
const skill = "---\nname: analysis\ndescription: x\n---\n";

describe("an OpenCode plugin without a manifest", () => {
  const entry = { "dist/index.js": "export const Plugin = async () => ({});" };
  const named = (more: object) => ({ "package.json": json({ name: "x", main: "dist/index.js", ...more }), ...entry });
  const dependent = named({ devDependencies: { "@opencode-ai/plugin": "1" } });

  test.each<[string, Record<string, string>]>([
    ["a dependency on OpenCode's package", dependent],
    ["a peer dependency", named({ peerDependencies: { "@opencode-ai/plugin": ">=1" } })],
    ["a keyword", named({ keywords: ["ai", "opencode-plugin"] })],
    ["the OpenCode versions it needs", named({ engines: { opencode: ">=1.2" } })],
    [
      "code that uses OpenCode's package",
      { ...named({}), "dist/index.js": 'import { tool } from "@opencode-ai/plugin";' },
    ],
    ["agents of its authors", { ...dependent, ".opencode/agents/a.md": "", ".claude/skills/s/SKILL.md": skill }],
    ["skills that its code registers", { ...dependent, "skills/analysis/SKILL.md": skill }],
    ["a Claude manifest beside", { ...dependent, ".claude-plugin/plugin.json": '{"name": "x"}', "agents/a.md": "" }],
  ])("is one because of %s, and nothing of it is copied", (_, files) => {
    expect(readManifest(tree(files))).toEqual({
      from: "opencode-plugin",
      delivery: { kind: "plugin", entry: "dist/index.js" },
      package: { name: "x" },
      agents: [],
      commands: [],
      skills: [],
    });
  });

  test.each<[string, Record<string, string>]>([
    ['it has the keyword "opencode"', named({ keywords: ["opencode"] })],
    ['its name contains "opencode"', named({ name: "opencode-x" })],
    [
      "dist/index.js has functions with the names of OpenCode hooks",
      { ...named({}), "dist/index.js": 'export const P = () => ({ "tool.execute.before": async () => {} });' },
    ],
    [
      "its main file is .opencode/plugins/x.js",
      { "package.json": json({ main: ".opencode/plugins/x.js" }), ".opencode/plugins/x.js": "" },
    ],
    ['its name contains "opencode"', { ...named({ name: "opencode-x" }), ".opencode/commands/publish.md": "" }],
  ])("is doubtful if only this suggests it: %s", (doubt, files) => {
    expect(readManifest(tree(files))).toMatchObject({ from: "opencode-plugin", doubt });
  });

  test("is copied if it is a collection, too, and its author does not declare the plugin", () => {
    const both = {
      "package.json": json({ name: "powers", main: ".opencode/plugins/powers.js" }),
      ".opencode/plugins/powers.js": "",
      "skills/analysis/SKILL.md": skill,
    };
    expect(readManifest(tree(both))).toMatchObject({
      delivery: { kind: "copy" },
      skills: [{ name: "analysis", path: "skills/analysis" }],
    });
    const isCopied = { ...dependent, "package.json": json({ devDependencies: { "@opencode-ai/plugin": "1" } }) };
    expect(readManifest(tree({ ...isCopied, "skills/analysis/SKILL.md": skill })).delivery).toEqual({ kind: "copy" });
  });

  test("may draw in the terminal, beside its server or alone", () => {
    const exports = { "./server": "./dist/index.js", "./tui": { types: "./t.d.ts", import: "./tui.js" } };
    const files = { ...named({ exports, keywords: ["opencode-plugin"] }), "tui.js": "" };
    expect(readManifest(tree(files)).delivery).toEqual({ kind: "plugin", entry: "dist/index.js", tui: "tui.js" });
    const alone = { exports: { "./tui": "./tui.js" }, engines: { opencode: "*" } };
    expect(readManifest(tree({ "package.json": json(alone), "tui.js": "" })).delivery).toEqual({
      kind: "plugin",
      tui: "tui.js",
    });
    const themes = { "package.json": json({ "oc-themes": ["themes/sea.json"] }), "themes/sea.json": "{}" };
    expect(readManifest(tree(themes)).delivery).toEqual({ kind: "plugin", tui: "themes/sea.json" });
  });

  test("is refused where OpenCode would silently load nothing", () => {
    const gone = { "package.json": json({ name: "opencode-x", main: "dist/gone.js" }) };
    expect(refusal(() => readManifest(tree(gone))).message).toContain("names a file that is not in the package");
    const hidden = { name: "opencode-x", exports: { ".": "./dist/index.js" } };
    const error = refusal(() => readManifest(tree({ "package.json": json(hidden), ...entry })));
    expect(error.message).toContain("OpenCode would load nothing and report no error");
  });

  test.each<[string, Record<string, string>]>([
    ["main", named({})],
    ["a server for another framework", { "package.json": json({ exports: { "./server": "./s.js" } }), "s.js": "" }],
    ["an index", { "package.json": "{}", "index.js": "module.exports = {};" }],
    ["OpenCode's package, but no code", { "package.json": json({ dependencies: { "@opencode-ai/plugin": "1" } }) }],
  ])("a library with %s is not one", (_, files) => {
    expect(refusal(() => readManifest(tree(files))).code).toBe("no-workflow");
  });
});

describe("a Claude plugin", () => {
  const at = ".claude-plugin/plugin.json";

  test("is its folders and what its manifest adds", () => {
    const files = tree({
      [at]: json({
        name: "review",
        version: "2.0.0",
        description: "d",
        commands: ["./extra/deploy.md", "./commands/"],
        agents: "./more-agents",
        skills: ["./tools", "./skills/one"],
      }),
      "commands/status.md": "",
      "extra/deploy.md": "",
      "more-agents/sec.md": "",
      "skills/one/SKILL.md": "",
      "tools/two/SKILL.md": "",
    });
    expect(readManifest(files)).toEqual({
      from: "claude-plugin",
      delivery: { kind: "copy" },
      package: { name: "review", version: "2.0.0", description: "d" },
      agents: [{ name: "sec", path: "more-agents/sec.md" }],
      commands: [
        { name: "deploy", path: "extra/deploy.md" },
        { name: "status", path: "commands/status.md" },
      ],
      skills: [
        { name: "one", path: "skills/one" },
        { name: "two", path: "tools/two" },
      ],
    });
  });

  test("is named by package.json if there is one", () => {
    const files = { [at]: '{"name": "a", "version": "1.0.0"}', "package.json": '{"name": "@o/b"}', "agents/x.md": "" };
    expect(readManifest(tree(files)).package).toEqual({ name: "@o/b", version: "1.0.0" });
  });

  test.each<[unknown, string]>([
    [{ commands: "./gone" }, "commands is not in the plugin"],
    [{ commands: ["./gone.md"] }, "commands[0] is not in the plugin"],
    [{ commands: ["../../x.md"] }, "commands[0] is not a plain path inside the plugin"],
    [{ agents: "/etc" }, "agents is not a plain path inside the plugin"],
    [{ agents: {} }, "agents is not a string"],
    [{ skills: "./odd" }, "skills is not in the plugin"],
  ])("%j is refused: %s", (lists, problem) => {
    const files = { "commands/status.md": "", "twin/status.md": "", "odd/A B.md": "", [at]: json(lists) };
    const error = refusal(() => readManifest(tree(files)));
    expect(error.code).toBe("manifest-invalid");
    expect(error.message).toContain(problem);
    expect(error.at).toStartWith(`${at}:1:`);
  });
});
