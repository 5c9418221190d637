import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@atomic/testing/temporary-folder";
import { type Built, build } from "../../src/commands/build.ts";
import { readManifest } from "../../src/packages/manifest.ts";
import { readPackageTree } from "../../src/packages/read-tree.ts";
import { type Files, manifest, workflowPackage, writeFiles } from "./package-folder.ts";
import { common, plain, quietContext } from "./quiet-context.ts";

// npm takes seconds on a busy machine.
setDefaultTimeout(180_000);

async function packageFolder(files: Files = workflowPackage()): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  writeFiles(folder.path, files);
  return folder;
}

type Input = { readonly check?: boolean; readonly dryRun?: boolean; readonly path?: string };

async function run(folder: string, { path = process.env.PATH, ...input }: Input = {}): Promise<Built> {
  const env = { PATH: path };
  return await build.run(quietContext(folder, { env }), { ...common, folder: undefined, check: false, ...input });
}

/** The problems of a package as `severity place`, and the whole report to look into. */
async function problemsOf(files: Files, path = ""): Promise<{ places: string[]; report: string; built: Built }> {
  await using folder = await packageFolder(files);
  const built = await run(folder.path, { path });
  const places = built.problems.map(({ severity, at }) => `${severity} ${at}`);
  return { places, report: build.report.notes(built, plain), built };
}

const text = '{\n  "agents": ["poet"],\n  "commands": ["sing"],\n  "skills": ["meter"]\n}\n';

test("workflow.json lists what the folders contain", async () => {
  await using folder = await packageFolder();
  const built = await run(folder.path);
  expect(built).toMatchObject({ name: "@org/verse", delivery: "plugin", manifest: "written", problems: [] });
  expect(readFileSync(join(folder.path, "workflow.json"), "utf8")).toBe(text);
  expect(existsSync(join(folder.path, ".hugo-author"))).toBe(false);
  expect(build.report.exitCode(built)).toBe(0);
  expect(build.report.text(built, plain)).toBe(`@org/verse: OpenCode loads it as a plugin
  agents    poet
  commands  sing
  skills    meter
  workflow.json was written
`);
  expect(build.report.notes(built, plain)).toBe("");
  expect(build.report.json(built)).toMatchObject({
    package: "@org/verse",
    agents: ["poet"],
    manifest: "written",
    packed: expect.arrayContaining(["agents/poet.md", "workflow.json"]),
    opencode: "not asked",
  });
});

test("a workflow.json that is not JSON is replaced, or reported if other errors prevent that", async () => {
  const broken = { "workflow.json": "{ agents: " };
  expect((await problemsOf(workflowPackage(broken))).built).toMatchObject({ manifest: "written", problems: [] });
  const { places, report, built } = await problemsOf({ ...broken, "package.json": manifest(), "plugin.js": "" });
  expect(built.manifest).toBe("withheld");
  expect(places).toEqual(["error undefined", "error workflow.json:1:3"]);
  expect(report).toContain("Fix it, or delete it: `hugo build` writes it once the package has no errors.\n");
});

test("a second build leaves the file alone", async () => {
  await using folder = await packageFolder();
  await run(folder.path);
  const file = join(folder.path, "workflow.json");
  utimesSync(file, 1000, 1000);
  expect((await run(folder.path)).manifest).toBe("unchanged");
  expect(statSync(file).mtimeMs).toBe(1_000_000);
  writeFileSync(join(folder.path, "agents/critic.md"), "Be kind.");
  expect((await run(folder.path)).manifest).toBe("written");
  expect(readFileSync(file, "utf8")).toContain('"agents": ["critic", "poet"]');
});

test("names are sorted, and long lists have one name per line", async () => {
  const names = Array.from({ length: 12 }, (_, i) => `a-poet-with-a-long-name-${String(12 - i).padStart(2, "0")}`);
  const agents = Object.fromEntries(names.map((name) => [`agents/${name}.md`, "Rhyme."]));
  await using folder = await packageFolder(workflowPackage({ "agents/poet.md": undefined, ...agents }));
  await run(folder.path);
  const written = readFileSync(join(folder.path, "workflow.json"), "utf8");
  expect(written).toStartWith(
    '{\n  "agents": [\n    "a-poet-with-a-long-name-01",\n    "a-poet-with-a-long-name-02",\n',
  );
  expect(JSON.parse(written).agents).toEqual(names.toSorted());
});

test("a dry run checks everything and writes nothing", async () => {
  await using folder = await packageFolder();
  const built = await run(folder.path, { dryRun: true });
  expect(built).toMatchObject({ manifest: "written", dryRun: true, problems: [] });
  expect(existsSync(join(folder.path, "workflow.json"))).toBe(false);
  expect(build.report.text(built, plain)).toContain("workflow.json would be written");
});

test("a package without an entry is one that Hugo copies", async () => {
  const { built } = await problemsOf(
    workflowPackage({ "plugin.js": undefined, "package.json": manifest({ main: undefined, dependencies: undefined }) }),
  );
  expect(built).toMatchObject({ delivery: "copy", manifest: "written", problems: [] });
  expect(build.report.text(built, plain)).toStartWith("@org/verse: Hugo copies its files\n");
});

test("all problems of all files are reported at once, with their locations", async () => {
  const { places, report, built } = await problemsOf(
    workflowPackage({
      "agents/boss.md": "---\ndescription: Rules\nmode: boss\n---\nRule.\n",
      "agents/loose.md": "---\ndisallowedTools: Write\n---\nDo not write.\n",
      "agents/broken.md": "---\ndescription: [\n---\n",
      "commands/other.md": "---\nmodel: sonnet\n---\nDo.\n",
      "skills/lost/SKILL.md": "---\ndescription: Has no name\n---\n",
      "skills/folder/SKILL.md": "---\nname: another\ndescription: d\n---\n",
    }),
  );
  expect(places).toEqual([
    "error agents/boss.md:3:1",
    expect.stringMatching(/^error agents\/broken\.md:\d+:\d+$/),
    "error agents/loose.md:2:1",
    "error commands/other.md:2:1",
    "error skills/folder/SKILL.md:2:1",
    expect.stringMatching(/^error skills\/lost\/SKILL\.md/),
  ]);
  expect(built.manifest).toBe("withheld");
  expect(build.report.text(built, plain)).toContain("workflow.json was not written because of the errors");
  expect(build.report.exitCode(built)).toBe(1);
  expect(report).toContain('error: agents/boss.md:3:1 OpenCode does not accept this value for "mode".\n  ');
  expect(report).toEndWith("\n6 errors\n");
});

test.each([
  [
    "an export that is not a function",
    { "plugin.js": 'export const VERSION = "1";\nexport const plugin = async () => ({});\n' },
    "plugin.js:1:1",
    "VERSION",
  ],
  [
    "an import that is not declared",
    { "plugin.js": 'import x from "left-pad/lib";\nexport default { id: "w", server: x };\n' },
    "plugin.js:1:16",
    "npm install left-pad",
  ],
  [
    "an import that only its author has",
    { "package.json": manifest({ dependencies: {}, devDependencies: { "@atomic/workflows": "*" } }) },
    "plugin.js:1:33",
    "dependencies",
  ],
  [
    "an entry that is not there",
    { "package.json": manifest({ main: "dist/plugin.js" }) },
    "package.json:9:11",
    "not in the package",
  ],
  [
    "exports without a server",
    { "package.json": manifest({ main: undefined, exports: { ".": "./plugin.js" } }) },
    "package.json:12:14",
    "report no error",
  ],
  ["a folder in the singular", { "agent/critic.md": "Be kind." }, "agent/critic.md", "Move it to agents/critic.md"],
  [
    "a skill in a folder below",
    { "skills/deep/rhyme/SKILL.md": "---\nname: rhyme\ndescription: d\n---\n" },
    "skills/deep/rhyme",
    "Move it to skills/rhyme",
  ],
  ["a name with a space", { "agents/a poet.md": "Rhyme." }, "agents/a poet.md", "a poet"],
  ["an agent of OpenCode itself", { "agents/build.md": "Build." }, "agents/build.md", "a built-in OpenCode agent"],
])("%s is an error", async (_, files, place, said) => {
  const { places, report, built } = await problemsOf(workflowPackage(files));
  expect(places).toContain(`error ${place}`);
  expect(report).toContain(said);
  expect(built.manifest).toBe("withheld");
});

test.each([
  [
    "a value beside a plugin object",
    'export const VERSION = "1";\nexport default { id: "w", server: async () => ({}) };\n',
  ],
  ["functions", "export const one = async () => ({});\nexport async function two() { return {}; }\n"],
  [
    "what is part of the runtime",
    'import fs from "fs";\nimport { join } from "node:path";\nimport "./other.js";\nexport default () => fs ?? join;\n',
  ],
  ["types", 'import type { Plugin } from "@opencode-ai/plugin";\nexport const plugin: Plugin = async () => ({});\n'],
  [
    "words in a comment",
    '// export const VERSION = "1"; import x from "left-pad";\n/* import y from "y" */\nexport default () => ({});\n',
  ],
])("%s in an entry is not an error", async (_, code) => {
  const entry = { "plugin.ts": code, "plugin.js": undefined, "package.json": manifest({ main: "plugin.ts" }) };
  expect((await problemsOf(workflowPackage(entry))).places).toEqual([]);
});

test("fields missing from package.json are a warning, not an error", async () => {
  const bare = {
    main: "plugin.js",
    dependencies: { "@atomic/workflows": "*" },
    scripts: { postinstall: "x", prepare: "y" },
  };
  const { places, report, built } = await problemsOf(workflowPackage({ "package.json": bare }));
  expect(places).toEqual([
    "warning package.json:1:1",
    "warning package.json:1:1",
    "warning package.json:1:1",
    "warning package.json:1:1",
    "warning package.json:7:20",
  ]);
  for (const said of ['"name"', '"version"', '"description"', '"opencode-workflow"', '"postinstall"'])
    expect(report).toContain(said);
  expect(report).toContain("\n5 warnings\n");
  expect(built.manifest).toBe("written");
  expect(build.report.exitCode(built)).toBe(0);
});

test("a listed file that npm would not pack is an error, whatever excludes it", async () => {
  const { report, places } = await problemsOf(
    workflowPackage({
      "package.json": manifest({ files: ["agents", "plugin.js", "skills"] }),
      "skills/meter/table.md": "1",
      "skills/meter/.npmignore": "table.md\n",
    }),
    process.env.PATH,
  );
  expect(places).toEqual(["error commands/sing.md", "error skills/meter/table.md", "error workflow.json"]);
  expect(report).toContain('error: commands/sing.md would be missing from the package\n  Add "commands" to "files"');
});

test("without npm the packing is not checked, and the report says so", async () => {
  await using folder = await packageFolder(workflowPackage({ "package.json": manifest({ files: [] }) }));
  await using empty = await temporaryFolder();
  const built = await run(folder.path, { path: empty.path });
  expect(built).toMatchObject({ manifest: "written", problems: [], packed: { kind: "unknown" } });
  expect(build.report.notes(built, plain)).toBe("Could not check what npm would pack: npm is not installed.\n");
});

test("neither the project that Hugo runs in nor the package's own brings npm or OpenCode along", async () => {
  await using folder = await packageFolder();
  await using project = await temporaryFolder();
  const evil = '#!/bin/sh\necho "$0" >> "$(dirname "$0")/../../ran"\n';
  for (const place of [folder.path, project.path]) {
    writeFiles(place, { "node_modules/.bin/npm": evil, "node_modules/.bin/opencode": evil });
    for (const name of ["npm", "opencode"]) chmodSync(join(place, "node_modules/.bin", name), 0o755);
  }
  const path = [project.path, folder.path].map((place) => join(place, "node_modules/.bin")).join(delimiter);
  const built = await build.run(quietContext(project.path, { env: { PATH: path } }), {
    ...common,
    folder: folder.path,
    check: true,
  });
  expect(built).toMatchObject({ packed: { kind: "unknown", because: "npm is not installed" } });
  expect(built.check).toMatchObject({ kind: "impossible" });
  for (const place of [folder.path, project.path]) expect(existsSync(join(place, "ran"))).toBe(false);
});

test.each([
  ["exit 0", "it exited with code 0 and listed no files"],
  ["echo '[null]'", "it exited with code 0 and listed no files"],
  ["echo broken", "it exited with code 0 and listed no files"],
  ["echo 'npm error: no' >&2; exit 1", "npm error: no"],
])("an npm that does `%s` is an error with its output", async (script, said) => {
  await using folder = await packageFolder();
  await using programs = await temporaryFolder();
  writeFiles(programs.path, { npm: `#!/bin/sh\n${script}\n` });
  chmodSync(join(programs.path, "npm"), 0o755);
  const built = await run(folder.path, { path: programs.path });
  expect(build.report.notes(built, plain)).toStartWith(`error: package.json \`npm pack\` failed: ${said}\n`);
  expect(build.report.exitCode(built)).toBe(1);
});

test("a package that npm cannot pack without a version is not asked about, and the report says so", async () => {
  const { report, built } = await problemsOf(
    workflowPackage({ "package.json": manifest({ version: undefined }) }),
    process.env.PATH,
  );
  expect(report).toContain("Could not check what npm would pack: package.json has no version.\n");
  expect(build.report.exitCode(built)).toBe(0);
});

test("without OpenCode a check is unavailable, and says why", async () => {
  await using folder = await packageFolder();
  await using empty = await temporaryFolder();
  const built = await run(folder.path, { path: empty.path, check: true });
  expect(built.check).toEqual({ kind: "impossible", because: "OpenCode is not installed, or not on the PATH" });
  expect(build.report.exitCode(built)).toBe(6);
  expect(build.report.error?.(built)).toMatchObject({ code: "opencode-missing", hint: expect.stringContaining("npm") });
  expect(build.report.notes(built, plain)).toContain("Not checked in OpenCode: OpenCode is not installed");
  expect(build.report.json(built)).toMatchObject({ opencode: "OpenCode is not installed, or not on the PATH" });
});

test("a folder that is not a package, and an empty one, are refused with a hint", async () => {
  await using folder = await packageFolder({ "agents/poet.md": "Rhyme." });
  await expect(run(folder.path)).rejects.toMatchObject({
    code: "no-workflow",
    hint: expect.stringContaining("hugo init"),
  });
  await expect(run(`${folder.path}/nowhere`)).rejects.toMatchObject({ code: "package-not-found", exitCode: 1 });
  const { places, report } = await problemsOf({
    "package.json": manifest(),
    "plugin.js": "export default () => ({});",
  });
  expect(places).toEqual(["error undefined"]);
  expect(report).toContain("error: this package has no agents, commands, skills or workflows\n");
});

test("a workflow whose name cannot be typed or stored is refused", async () => {
  const { places, report } = await problemsOf({
    "package.json": manifest(),
    "plugin.js": "export default () => ({});",
    "workflows/release.ts": "",
    "workflows/my flow.ts": "",
  });
  expect(places).toEqual(["error workflows/my flow.ts"]);
  expect(report).toContain("Rename the file.");
});

test("a link in a folder of the workflow is refused", async () => {
  await using folder = await packageFolder();
  symlinkSync("/etc/hosts", join(folder.path, "agents/hosts.md"));
  await expect(run(folder.path)).rejects.toMatchObject({ code: "package-unsafe" });
});

test("foreign text cannot command the terminal", async () => {
  const { report } = await problemsOf(
    workflowPackage({ "package.json": manifest({ files: ["agents"] }), "agents/x.md": '---\n"a\\u001b[2J": 1\n---\n' }),
  );
  expect(report).not.toContain("\u001b");
});

test("the example packages are as build wants them", async () => {
  const examples = join(import.meta.dirname, "../../../../examples");
  expect(await run(join(examples, "code-review"), { dryRun: true, path: "" })).toMatchObject({
    delivery: "plugin",
    manifest: "unchanged",
    problems: [],
  });
  expect(await run(join(examples, "commit-helper"), { dryRun: true, path: "" })).toMatchObject({
    delivery: "copy",
    problems: [],
  });
  expect(readManifest(readPackageTree(join(examples, "commit-helper")))).toMatchObject({
    from: "hugo-workflow.json",
    delivery: { kind: "copy" },
    agents: [{ name: "historian" }],
    commands: [{ name: "commit-message" }],
    skills: [{ name: "commit-style" }],
  });
});

test("a package in another folder has its places named from where you are", async () => {
  await using folder = await temporaryFolder();
  const broken = { "pk/package.json": "{\n", "other/package.json": "{}", "other/workflows/my flow.ts": "" };
  writeFiles(folder.path, broken);
  const context = quietContext(folder.path);
  const inFolder = (name: string) => build.run(context, { ...common, folder: name, check: false });
  await expect(inFolder("pk")).rejects.toMatchObject({
    at: "pk/package.json:2:1",
    message: expect.stringMatching(/^pk\/package\.json:2:1: /),
  });
  const { problems } = await inFolder("./other/");
  expect(problems.map(({ at }) => at)).toContain("other/workflows/my flow.ts");
  expect(problems.map(({ at }) => at)).toContain("other/package.json:1:1");
});
