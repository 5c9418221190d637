// The shapes of the OpenCode plugins on npm, with code of our own, from the first installation to the last byte of the config.
// All of them live in one project, so that OpenCode starts once for each step. Hugo asks OpenCode about each plugin alone, which
// takes a start each, so it does that for one shape of each kind of module.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { debugConfig } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { health } from "../../src/commands/health.ts";
import { remove } from "../../src/commands/remove.ts";
import { type Hugo, hugoIn } from "./hugo-project.ts";
import { common } from "./quiet-context.ts";

setDefaultTimeout(240_000);

interface Shape {
  readonly isProbed?: true;
  readonly manifest: object;
  /** `$` is the code of a function that OpenCode can call. */
  readonly files: Readonly<Record<string, string>>;
}

const declared = { devDependencies: { "@opencode-ai/plugin": "1" } };
const typed = "const plugin = async (input: unknown, options?: object) => ($)(input, options);\n";
const plain = "const plugin = async (input, options) => ($)(input, options);\n";

const shapes: Readonly<Record<string, Shape>> = {
  "named-function": { manifest: { main: "dist/index.js" }, files: { "dist/index.js": `${plain}export { plugin };` } },
  "two-functions": {
    isProbed: true,
    manifest: { main: "dist/index.js" },
    files: { "dist/index.js": `${plain}export { plugin };\nexport const second = async () => ({});` },
  },
  "default-function": { manifest: { main: "./i.mjs" }, files: { "i.mjs": `${plain}export default plugin;` } },
  "default-and-named": {
    manifest: { main: "i.js", exports: { ".": { import: "./i.js" } } },
    files: { "i.js": `${plain}export { plugin };\nexport default plugin;` },
  },
  "module-only": { manifest: { module: "index.ts" }, files: { "index.ts": `${typed}export { plugin };` } },
  "module-elsewhere": {
    isProbed: true,
    manifest: { module: "src/p.ts" },
    files: { "src/p.ts": `${typed}export default plugin;` },
  },
  "index-only": { manifest: {}, files: { "index.js": `${plain}export { plugin };` } },
  "server-object": {
    manifest: { exports: { "./server": "./s.js" } },
    files: { "s.js": `${plain}export default { id: "server-object", server: plugin };` },
  },
  "server-for-import": {
    manifest: { main: "gone.js", exports: { "./server": { types: "./s.d.ts", import: "./s.js" } } },
    files: { "s.js": `${plain}export default { id: "server-for-import", server: plugin };` },
  },
  "server-and-tui": {
    isProbed: true,
    manifest: { exports: { "./server": "./s.js", "./tui": { import: "./t.js" } } },
    files: {
      "s.js": `${plain}export default { id: "server-and-tui", server: plugin };`,
      "t.js": 'export default { id: "server-and-tui", tui: async () => {} };',
    },
  },
  "@org/with-dependency": {
    isProbed: true,
    manifest: { main: "i.js", dependencies: { "small-tool": "^1.0.0" } },
    files: {
      "i.js": `import { add } from "small-tool";\n${plain}export const P = async (i, o) => add(await plugin(i, o));`,
    },
  },
  "authors-folders": {
    manifest: { main: "i.js" },
    files: { "i.js": `${plain}export { plugin };`, ".opencode/agents/internal.md": "x", ".claude/commands/y.md": "y" },
  },
};

/** Each registers an agent with its own name and version, and a tool; from version 1.1.0 on, another agent. */
function shapeOf(name: string, version: string): PackageToPublish {
  const { manifest, files } = shapes[name]!;
  const agent = workflowOf(name);
  const more = version === "1.0.0" ? "" : `, "${agent}-2": { prompt: "${version}" }`;
  const code = `async () => ({
    config: async (c) => { c.agent = { ...c.agent, "${agent}": { prompt: "${version}" }${more} }; },
    tool: { "${agent.replaceAll("-", "_")}": { description: "x", args: {}, execute: async () => "x" } },
  })`;
  const written = Object.entries(files).map(([path, text]) => [path, text.replace("$", () => code)]);
  const json = { type: "module", ...declared, ...manifest };
  return { name, version, manifest: json, files: Object.fromEntries(written) };
}

function workflowOf(name: string): string {
  return name.replace(/^.*\//, "");
}

const config = `{
  // Mine.
  "$schema": "https://opencode.ai/config.json",
  "plugin": [
    ["./own.js", { "loud": true }], // stays
  ], /* and so does this */
}
`;
const names = Object.keys(shapes);
const workflows = names.map(workflowOf);
const probed = names.filter((name) => shapes[name]?.isProbed);
const probedAgain = ["two-functions", "server-and-tui"];
const others = names.filter((name) => !probed.includes(name));
const stack = new AsyncDisposableStack();
let project: Project;
let hugo: Hugo;
/** The same without an OpenCode to ask. */
let alone: Hugo;

beforeAll(async () => {
  const registry = stack.use(await npmRegistry());
  registry.publish({
    name: "small-tool",
    version: "1.0.0",
    manifest: { main: "t.js", type: "module" },
    files: { "t.js": "export const add = (hooks) => ({ ...hooks });" },
  });
  for (const name of names) registry.publish(shapeOf(name, "1.0.0"));
  const own = "export default { id: 'own', server: async () => ({}) };";
  project = stack.use(await tmpProject({ registry, files: { "opencode.json": config, "own.js": own } }));
  await project.skipPluginInstall();
  hugo = hugoIn(project);
  const { dir, home, env } = project;
  alone = hugoIn({ dir, home, env: { ...env, PATH: "" } });
  await hugo.install(probed);
  await alone.install(others);
  for (const name of names) registry.publish(shapeOf(name, "1.1.0"));
});
afterAll(() => stack.disposeAsync());

async function recorded(): Promise<Record<string, object | undefined>> {
  const { workflows } = (await project.json(".opencode/hugo.json")) as {
    workflows: Record<string, { registers?: object }>;
  };
  return Object.fromEntries(Object.entries(workflows).map(([name, { registers }]) => [name, registers]));
}

describe("every shape of a plugin", () => {
  test("is asked about before its code runs, and what it registers is recorded", async () => {
    const asked = [...hugo.asked, ...alone.asked];
    expect(asked).toHaveLength(names.length);
    for (const { capabilities } of asked) expect(capabilities.map(({ kind }) => kind)).toContain("registers");
    const registers = await recorded();
    for (const name of probed.map(workflowOf)) {
      expect(registers[name], name).toEqual({ agents: [name], tools: [name.replaceAll("-", "_")] });
    }
    expect(await project.exists(".opencode/agents")).toBe(false);
  });

  test("is loaded by OpenCode", async () => {
    const input = { ...common, name: undefined, all: true, static: false };
    const { workflows: found, opencode } = await health.run(hugo.context, input);
    expect(opencode.kind).toBe("asked");
    const states = Object.fromEntries(found.map(({ workflow, state }) => [workflow, state.kind]));
    expect(states).toEqual(Object.fromEntries(workflows.map((name) => [name, "loaded"])));
  });

  test("is updated, which says what it registers now, and loaded again", async () => {
    const { notices, updated } = await hugo.update(probedAgain);
    for (const name of probedAgain) {
      expect(notices).toContain(`${name} v1.1.0 registers more than before: 1 agent (${name}-2).`);
    }
    const rest = await alone.update();
    const versions = [...updated, ...rest.updated].map(({ name, from, to }) => `${name} ${from} ${to}`);
    expect(versions.sort()).toEqual(workflows.map((name) => `${name} 1.0.0 1.1.0`).sort());
    // Each was asked about before its new code ran, and again if that registers more.
    expect(hugo.asked.length + alone.asked.length).toBe(2 * names.length + probedAgain.length);

    await project.skipPluginInstall();
    const { agent = {} } = await debugConfig(project);
    const prompts = Object.fromEntries(Object.entries(agent).map(([name, value]) => [name, value?.prompt]));
    expect(prompts).toEqual(
      Object.fromEntries(workflows.flatMap((name) => [name, `${name}-2`]).map((name) => [name, "1.1.0"])),
    );
  });

  test("is disabled and enabled exactly as it was", async () => {
    const files = ["opencode.json", ".opencode/tui.json"];
    const before = await Promise.all(files.map((file) => project.read(file)));
    await disable.run(hugo.context, { ...common, all: true, name: [] });
    // As before the first installation, so OpenCode has nothing to load.
    expect(await project.read("opencode.json")).toBe(config);
    expect(await project.exists(".opencode/tui.json")).toBe(false);
    await enable.run(hugo.context, { ...common, all: true, name: [] });
    expect(await Promise.all(files.map((file) => project.read(file)))).toEqual(before);
  });

  test("is removed without a trace in the configs", async () => {
    await remove.run(hugo.context, { ...common, name: workflows });
    expect(await project.read("opencode.json")).toBe(config);
    expect(await project.exists(".opencode/tui.json")).toBe(false);
  });
});
