// What the author sees about a package after the real OpenCode has loaded it.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { opencodeBinary, toolsDir } from "@atomic/testing/opencode/binary";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Built, build } from "../../src/commands/build.ts";
import { init } from "../../src/commands/init.ts";
import { type Files, manifest, workflowPackage, writeFiles } from "./package-folder.ts";
import { common, plain, quietContext } from "./quiet-context.ts";

setDefaultTimeout(180_000);

/** A package with @atomic/workflows beside it, as after `npm install`. */
async function installed(files: Files = {}): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  writeFiles(folder.path, files);
  mkdirSync(join(folder.path, "node_modules"), { recursive: true });
  symlinkSync(join(toolsDir, "../@atomic"), join(folder.path, "node_modules/@atomic"));
  return folder;
}

async function check(folder: string): Promise<Built> {
  const env = { PATH: `${toolsDir}:${process.env.PATH}` };
  return await build.run(quietContext(folder, { env }), { ...common, folder: undefined, check: true });
}

test("files written by init load unchanged, and nothing is left behind", async () => {
  await using folder = await installed();
  await init.run(quietContext(folder.path), { ...common, folder: "verse", name: "@org/verse" });
  // A folder of its own: other tests use the usual one at the same time.
  const temporary = join(folder.path, "temporary");
  mkdirSync(temporary);
  const usual = tmpdir();
  process.env.TMPDIR = temporary;
  const built = await check(join(folder.path, "verse")).finally(() => {
    process.env.TMPDIR = usual;
  });
  expect(built).toMatchObject({ manifest: "unchanged", problems: [], check: { kind: "asked", problems: [] } });
  expect(build.report.text(built, plain)).toEndWith("  OpenCode loaded everything\n");
  expect(build.report.exitCode(built)).toBe(0);
  expect(readdirSync(temporary).filter((name) => name.startsWith("hugo-"))).toEqual([]);
});

test("every difference between workflow.json and OpenCode is named", async () => {
  const own = `export default { id: "verse", server: async () => ({ config: async (config) => {
    console.log("{");
    config.agent = { ...config.agent, extra: { prompt: "I am not listed." } };
    config.command = { ...config.command, sing: { template: "Sing." } };
  } }) };`;
  await using folder = await installed(workflowPackage({ "plugin.js": own }));
  const { check: checked, ...built } = await check(folder.path);
  const problems = checked?.kind === "asked" ? checked.problems : [];
  expect(problems.map(({ severity, at, message }) => `${severity} ${at} ${message}`)).toEqual([
    'error agents/poet.md workflow.json lists the agent "poet", but OpenCode did not load it',
    'warning workflow.json OpenCode loaded the agent "extra", but workflow.json does not list it',
    'error skills/meter workflow.json lists the skill "meter", but OpenCode did not load it',
  ]);
  const whole: Built = { ...built, ...(checked !== undefined && { check: checked }) };
  expect(build.report.exitCode(whole)).toBe(1);
  expect(build.report.text(whole, plain)).toContain("OpenCode did not load everything");
  expect(build.report.json(whole)).toMatchObject({ opencode: "asked", problems: { length: 3 } });
});

test.each([
  [
    "an import of what is not packed",
    'import "./lib.js";\nexport default { id: "verse", server: async () => ({}) };',
    "cannot be imported",
  ],
  [
    "an init that throws",
    'export default { id: "verse", server: async () => { throw new Error("no verse today"); } };',
    "no verse today",
  ],
  [
    "a config hook that throws",
    'export default { id: "verse", server: async () => ({ config() { throw new Error("too late"); } }) };',
    "too late",
  ],
  ["no id", "export default { server: async () => ({}) };", "must export id"],
  ["an exit", "process.exit(0);", "failed to start"],
])("%s is reported as the reason why nothing was loaded", async (_, code, said) => {
  const files = {
    "plugin.js": code,
    "lib.js": "",
    "package.json": manifest({ files: ["agents", "commands", "skills", "plugin.js", "workflow.json"] }),
  };
  await using folder = await installed(workflowPackage(files));
  const built = await check(folder.path);
  expect(build.report.notes(built, plain)).toContain(said);
  expect(built.check).toMatchObject({ kind: "asked", problems: { length: 1 } });
});

test("a dependency that is not installed is the reason, with what to do", async () => {
  const files = {
    "plugin.js": 'import "not-there";\nexport default { id: "verse", server: async () => ({}) };',
    "package.json": manifest({ dependencies: { "not-there": "1.0.0" } }),
  };
  await using folder = await installed(workflowPackage(files));
  const notes = build.report.notes(await check(folder.path), plain);
  expect(notes).toContain("Install its dependencies first: run `npm install` in its folder.");
});

test("without npm, everything in the folder is tried", async () => {
  const code =
    'import { id } from "./lib/id.js";\nexport default { id, server: async () => ({ config: async (c) => {\n  c.agent = { poet: {} };\n} }) };';
  await using folder = await installed({
    "package.json": manifest(),
    "plugin.js": code,
    "lib/id.js": 'export const id = "verse";',
    "agents/poet.md": "Rhyme.",
  });
  const env = { PATH: "", HUGO_OPENCODE: opencodeBinary };
  const built = await build.run(quietContext(folder.path, { env }), { ...common, folder: undefined, check: true });
  expect(built).toMatchObject({ packed: { kind: "unknown" }, check: { kind: "asked", problems: [] } });
});
