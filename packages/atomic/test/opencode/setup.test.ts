import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readlink, rm, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type Project, tmpProject } from "@atomic/testing/project";
import { specFor } from "../../src/opencode/plugin-entry.ts";
import { isOurs } from "../../src/opencode/tui-config.ts";
import { atomic } from "../atomic.ts";

const here = join(import.meta.dirname, "../..");
const mine = "~/.config/opencode/tui.json";

async function setup(project: Project, ...args: readonly string[]) {
  return await atomic(project, ["setup", "opencode", ...args]);
}

test("the plugin gets a tui.json of its own, which goes with it", async () => {
  await using project = await tmpProject();
  const added = await setup(project);
  expect(added).toMatchObject({ code: 0, stderr: "Restart OpenCode to see the change.\n" });
  expect(added.stdout).toBe(`Added the plugin to ${project.path(mine)}.\n`);
  expect(await project.json(mine)).toEqual({ $schema: "https://opencode.ai/tui.json", plugin: [here] });
  expect((await setup(project)).stdout).toContain("already lists the plugin");
  expect((await setup(project, "--undo")).stdout).toBe(`Removed the plugin from ${project.path(mine)}.\n`);
  expect(await project.exists(mine)).toBe(false);
  expect(await project.tree("~/.config/opencode")).toEqual(["package-lock.json"]);
});

test.each([
  '{\n  // mine\n  "theme": "sea",\n}\n',
  '{ "plugin": [["./own.tsx", { "x": 1 }]] } // mine\n',
  '{\n  "plugin": [\n    "a@1.0.0", // first\n    "./b"\n  ]\n}\n',
  '{\n  "$schema": "https://opencode.ai/tui.json"\n}\n',
  '{ "plugin": [] }\n',
  '{\n  "plugin": [\n    // none yet\n  ]\n}\n',
  '\ufeff{\r\n\t"theme": "sea"\r\n}',
  '{ "plugin": [["a@1.2.3", { "x": 1 }], "b" // tail\n] // after\n}\n// end\n',
  '{ "plugin": [ ], }',
  '{ "plugin": [1, null, [], { "a": 1 }, "file://%ff", "file://host/a"] }\n',
])("a tui.json of yours is the same byte for byte afterwards: %j", async (text) => {
  await using project = await tmpProject({ files: { [mine]: text } });
  await setup(project);
  expect(await project.read(mine)).toContain(here);
  await setup(project, "--undo");
  expect(await project.read(mine)).toBe(text);
  expect((await setup(project, "--undo")).stdout).toContain("does not list the plugin");
});

test("what you changed in the meantime stays when the plugin goes", async () => {
  await using project = await tmpProject({ files: { [mine]: '{ "theme": "sea" }\n' } });
  await setup(project);
  await project.write(mine, (await project.read(mine)).replace("sea", "sky"));
  await setup(project, "--undo");
  expect(await project.json(mine)).toEqual({ theme: "sky" });
});

test("what undo needs is remembered across another setup, and folders that were made go, too", async () => {
  await using project = await tmpProject();
  await rm(project.path("~/.config/opencode"), { recursive: true, force: true });
  await setup(project);
  await project.write(mine, (await project.read(mine)).replace(here, "@atomic/cli@0.0.1"));
  const memory = "~/.local/state/atomic/setup/undo.json";
  await project.write(memory, (await project.read(memory)).replaceAll(here, "@atomic/cli@0.0.1"));
  expect((await setup(project)).stdout).toBe(`Added the plugin to ${project.path(mine)}.\n`);
  expect(await project.json(mine)).toMatchObject({ plugin: [here] });
  await setup(project, "--undo");
  expect(await project.exists("~/.config/opencode")).toBe(false);
});

test("undo cleans up after two files from which you have taken the plugin yourself", async () => {
  await using project = await tmpProject({ files: { [mine]: "{}\n" } });
  const other = mine.replace(".json", ".jsonc");
  for (const file of [mine, other]) {
    await project.write(file, "{}\n");
    await setup(project);
    expect(await project.read(file)).toContain(here);
    await project.write(file, '{ "theme": "sea" }\n');
  }
  const undone = await setup(project, "--undo");
  expect({ code: undone.code, stdout: undone.stdout }).toMatchObject({ code: 0 });
  expect(await Promise.all([project.json(mine), project.json(other)])).toEqual([{ theme: "sea" }, { theme: "sea" }]);
  expect(await project.exists("~/.local/state/atomic/setup")).toBe(false);
});

test.each([
  ['{ "plugin": ["@atomic/cli@0.0.1"] }\n', "already lists the plugin", "but atomic setup did not add it"],
  ['{ "plugin": [["@atomic/cli", { "x": 1 }], "b"] }\n', "already lists the plugin", "but atomic setup did not add it"],
  [
    '{ "plugin": ["./.hugo/store/cli-1/node_modules/@atomic/cli"] }\n',
    "Hugo manages that entry: hugo remove cli",
    "Hugo manages that entry: hugo remove cli",
  ],
])("an entry that setup did not add is left alone: %j", async (text, said, saidToUndo) => {
  for (const [file, ...flags] of [[mine], [".opencode/tui.json", "--project"]] as const) {
    await using project = await tmpProject({ files: { [file]: text } });
    expect((await setup(project, ...flags, "--undo")).stdout).toContain(saidToUndo);
    expect((await setup(project, ...flags)).stdout).toContain(said);
    expect((await setup(project, ...flags, "--undo")).stdout).toContain(saidToUndo);
    expect(await project.read(file)).toBe(text);
  }
});

test.each([
  here,
  `${here}/`,
  `${here}/dist/bundle/tui.js`,
  pathToFileURL(here).href,
  "npm:@atomic/cli@0.1.0",
  "./node_modules/@atomic/cli/dist/bundle/tui.js",
])("an entry that leads to the plugin in another way is not repeated: %s", async (spec) => {
  for (const entry of [spec, [spec, { x: 1 }]]) {
    const text = `{ "plugin": [${JSON.stringify(entry)}] } // mine\n`;
    await using project = await tmpProject({ files: { [mine]: text } });
    expect((await setup(project)).stdout).toContain("already lists the plugin");
    expect((await setup(project, "--undo")).stdout).toContain("but atomic setup did not add it");
    expect(await project.read(mine)).toBe(text);
  }
});

test("so is one that leads there from the config's folder, or through a link", async () => {
  await using project = await tmpProject({ files: { [mine]: '{ "plugin": ["./link"] }\n' } });
  await symlink(here, project.path("~/.config/opencode/link"), "junction");
  expect((await setup(project)).stdout).toContain("already lists the plugin");
  const path = relative(project.path("~/.config/opencode"), here).replaceAll("\\", "/");
  await project.write(mine, JSON.stringify({ plugin: [path] }));
  expect((await setup(project)).stdout).toContain("already lists the plugin");
});

test.each(["null\n", "[]\n", '{ "plugin": null }\n', '{ "plugin": "a" }\n', '{ "plugin": {} }\n'])(
  "a tui.json that OpenCode would refuse is left alone: %j",
  async (text) => {
    await using project = await tmpProject({ files: { [mine]: text } });
    const refused = await setup(project);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("tui.json:1:");
    expect((await setup(project, "--undo")).stdout).toContain("does not list the plugin");
    expect(await project.read(mine)).toBe(text);
  },
);

test("a project names the exact version, because others do not have your folders", async () => {
  await using project = await tmpProject({ files: { "tui.json": '{\n  "theme": "sea"\n}\n' } });
  await setup(project, "--project");
  expect(await project.json("tui.json")).toEqual({ theme: "sea", plugin: ["@atomic/cli@0.1.0"] });
  await setup(project, "--project", "--undo");
  expect(await project.read("tui.json")).toBe('{\n  "theme": "sea"\n}\n');
});

test.each([
  ["/home/you/.npm/_npx/0123abcd/node_modules/@atomic/cli", true],
  ["/home/you/.bun/install/cache/.bunx-0/@atomic/cli@latest/node_modules/@atomic/cli", true],
  ["/tmp/bunx-0-@atomic/cli@latest/node_modules/@atomic/cli", true],
  ["/home/you/.cache/pnpm/dlx/0123abcd/pkg/node_modules/@atomic/cli", true],
  ["/home/you/.npm-global/lib/node_modules/@atomic/cli", false],
  ["/home/you/bunx/node_modules/@atomic/cli", false],
])("what was only fetched is named by its version, because caches are emptied: %s", (folder, wasFetched) => {
  expect(specFor(folder, "0.1.0")).toBe(wasFetched ? "@atomic/cli@0.1.0" : folder);
});

test("a broken tui.json and another program are refused, and nothing is written", async () => {
  await using project = await tmpProject({ files: { [mine]: '{ "plugin": [ }\n' } });
  const broken = await setup(project);
  expect(broken.code).not.toBe(0);
  expect(broken.stderr).toContain("tui.json:1:");
  expect(await project.read(mine)).toBe('{ "plugin": [ }\n');
  const other = await atomic(project, ["setup", "claude"]);
  expect(other).toMatchObject({ code: 2 });
  expect(other.stderr).toContain('atomic: cannot set up "claude"');
});

test.each<[string, ...string[]]>([[mine], [".opencode/tui.json", "--project"]])(
  "a refusal leaves nothing behind: %s is a link to nothing",
  async (file, ...flags) => {
    await using project = await tmpProject({ files: { ".opencode/mine.md": "mine\n" } });
    await symlink("nowhere.json", project.path(file));
    const folders = ["~/.local", ".atomic"] as const;
    const before = folders.map((each) => existsSync(project.path(each)));
    const refused = await setup(project, ...flags);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 3, stdout: "" });
    expect(folders.map((each) => existsSync(project.path(each)))).toEqual(before);
    expect(await readlink(project.path(file))).toBe("nowhere.json");
  },
);

test.each([
  ["@atomic/cli", true],
  ["@atomic/cli@0.1.0", true],
  ["./.opencode/.hugo/store/cli-1/node_modules/@atomic/cli", true],
  ["npm:@atomic/cli", true],
  ["@atomic/client", false],
  ["my-atomic-cli", false],
])("%s is ours: %p", (spec, expected) => {
  expect(isOurs(spec)).toBe(expected);
});

test.each([[{}], [{ ".atomic/workflows/mine.ts": "export default 1;\n" }]])(
  "undo in a project leaves nothing of setup behind beside %j",
  async (files) => {
    await using project = await tmpProject({ files });
    const before = await project.tree(".");
    await setup(project, "--project");
    expect(await project.exists(".opencode/tui.json")).toBe(true);
    await setup(project, "--project", "--undo");
    expect(await project.tree(".")).toEqual(before);
    expect(
      ["init", ".opencode"].map((name) => existsSync(project.path(name === "init" ? ".atomic/init" : name))),
    ).toEqual([false, false]);
  },
);
