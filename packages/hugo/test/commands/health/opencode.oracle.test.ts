// What Hugo says about plugins without OpenCode is what OpenCode does with them: one start with all of them.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { askOpencode, failedPlugins, findOpencode, type Opencode } from "../../../src/opencode/opencode.ts";
import { problemOfLoading } from "../../../src/opencode/opencode-entry.ts";
import { type Registered, readConfigAnswer } from "../../../src/opencode/query-opencode.ts";
import { entryCases, filesOf } from "../../opencode/entry-cases.ts";

setDefaultTimeout(120_000);

/** Modules of plugins, and what Hugo says about them; undefined for those that load. */
const shapes: Readonly<Record<string, readonly [code: string, said?: string]>> = {
  "an object": ['export default { id: "$", server };'],
  "an object and a value": ['export const VERSION = "1"; export default { id: "$", server };'],
  functions: ["export const one = server; export const two = async () => ({});"],
  "an object under another name": ["export const one = { server };"],
  "a function and a value": [
    'export const VERSION = "1"; export const one = server;',
    'its export "VERSION" is not a function',
  ],
  "no id": ["export default { server };", 'has no "id"'],
  "an empty id": ['export default { id: " ", server };', 'an "id" that is not text'],
  "no server": ['export default { id: "$" };', 'no function "server"'],
  "server and tui": ['export default { id: "$", server, tui: server };', 'both "server" and "tui"'],
  "an import of nothing": ['import "not-there"; export default { id: "$", server };', "cannot be imported"],
  "a syntax error": ["export default {{", "cannot be imported"],
  "a throw": ['throw new Error("not today");', "cannot be imported: not today"],
};

const preamble =
  'const server = async () => ({ config: async (c) => { c.agent = { ...c.agent, "$": { prompt: "x" } }; } });\n';

const stack = new AsyncDisposableStack();
let project: Project;
let opencode: Opencode;
let registered: Pick<Registered, "agents">;
let failed: ReadonlyMap<string, string>;

beforeAll(async () => {
  const registry = stack.use(await npmRegistry());
  const files: Record<string, string | object> = {};
  const plugins: string[] = [];
  for (const [i, entryCase] of Object.values(entryCases).entries()) {
    for (const [path, content] of Object.entries(filesOf(`path-${i}`, entryCase)))
      files[`cases/path-${i}/${path}`] = content;
    const own = Object.entries(filesOf(`npm-${i}`, entryCase)).map(([path, content]) => [
      path,
      typeof content === "string" ? content : JSON.stringify(content),
    ]);
    registry.publish({ name: `npm-${i}`, version: "1.0.0", files: Object.fromEntries(own) });
    plugins.push(`./cases/path-${i}`, `npm-${i}@1.0.0`);
  }
  for (const [i, [code]] of Object.values(shapes).entries()) {
    files[`shapes/${i}.js`] = (preamble + code).replaceAll("$", `shape-${i}`);
    plugins.push(`./shapes/${i}.js`);
  }
  files["opencode.json"] = {
    $schema: "https://opencode.ai/config.json",
    plugin: plugins,
    agent: { long: { prompt: "x".repeat(300_000) } },
  };
  project = stack.use(await tmpProject({ registry, files }));
  await project.skipPluginInstall();
  opencode = findOpencode({ cwd: project.dir, home: project.home, env: project.env }, project.dir)!;
  const answer = await askOpencode(opencode, ["config"]);
  if (answer.kind === "silent") throw new Error(answer.because);
  registered = readConfigAnswer(answer.value);
  failed = failedPlugins(answer.errors);
});
afterAll(() => stack.disposeAsync());

test("all of OpenCode's output is read, however long it is", () => {
  expect(String(registered.agents.get("long")?.prompt)).toHaveLength(300_000);
});

test.each(Object.entries(entryCases).map(([name, entryCase], i) => [name, i, entryCase] as const))(
  "OpenCode finds the same entry in a package with %s",
  (_, i, { ofPackage, ofPath }) => {
    expect(registered.agents.get(`npm-${i}`)?.prompt).toBe(ofPackage);
    expect(registered.agents.get(`path-${i}`)?.prompt).toBe(ofPath);
  },
);

test.each(Object.entries(shapes).map(([name, [, said]], i) => [name, i, said] as const))(
  "OpenCode and Hugo agree about a plugin with %s",
  async (_, i, said) => {
    const entry = pathToFileURL(project.path(`shapes/${i}.js`)).href;
    const problem = await problemOfLoading(opencode, { entry, isPath: true });
    if (said === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(said);
    const isLoaded = registered.agents.has(`shape-${i}`);
    expect(isLoaded).toBe(said === undefined);
    // Of what cannot be imported OpenCode says nothing at all.
    expect(failed.has(entry)).toBe(said !== undefined && !said.startsWith("cannot"));
  },
);

test("a plugin that ends the program, or that runs for ever behind its back, is understood", async () => {
  await project.write("exit.js", "process.exit(0);");
  await project.write("timer.js", 'setInterval(() => {}, 1000); export default { id: "t", server: async () => ({}) };');
  const load = (file: string) =>
    problemOfLoading(opencode, { entry: pathToFileURL(project.path(file)).href, isPath: true });
  expect(await load("exit.js")).toBe("it exits the process that imports it");
  expect(await load("timer.js")).toBeUndefined();
});

test("the versions that a plugin wants are compared by the runtime's own rules", async () => {
  const entry = pathToFileURL(project.path("shapes/0.js")).href;
  const load = (range: string) =>
    problemOfLoading(opencode, { entry, isPath: false, engine: { range, version: "1.18.33" } });
  expect(await load("^1.18.0 || >=3")).toBeUndefined();
  expect(await load(">=2")).toBe("it requires OpenCode >=2, but this is 1.18.33");
});

test("nothing of the project's own settings is run by the trial", async () => {
  await project.write("bunfig.toml", 'preload = ["./preload.ts"]\n');
  await project.write("preload.ts", `require("node:fs").writeFileSync(${JSON.stringify(project.path("ran"))}, "");`);
  await problemOfLoading(opencode, { entry: pathToFileURL(project.path("shapes/0.js")).href, isPath: true });
  expect(await project.exists("ran")).toBe(false);
  expect(readFileSync(project.path("bunfig.toml"), "utf8")).toContain("preload");
});

test("OpenCode is searched for outside the project, and can be set explicitly", async () => {
  await project.write("node_modules/.bin/opencode", "#!/bin/sh\n");
  const world = { cwd: project.dir, home: project.home };
  expect(findOpencode({ ...world, env: { PATH: project.path("node_modules/.bin") } }, project.dir)).toBeUndefined();
  expect(findOpencode({ ...world, env: { HUGO_OPENCODE: "/opt/opencode" } }, project.dir)?.program).toBe(
    "/opt/opencode",
  );
  const silent = await askOpencode({ ...opencode, program: "/nowhere/opencode" }, ["config"]);
  const because = expect.stringMatching(/^\/nowhere\/opencode cannot be started: /);
  expect(silent).toMatchObject({ kind: "silent", because });
  const plugin = { entry: "file:///x.mjs", isPath: true };
  expect(await problemOfLoading({ ...opencode, program: "/nowhere/opencode" }, plugin)).toEqual(because);
});
