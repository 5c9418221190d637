// The shapes of the OpenCode plugins on npm, with code of our own, from the first installation to the last byte of the config.
// All of them live in one project, so that OpenCode starts once for each step.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { health } from "../../src/commands/health.ts";
import { remove } from "../../src/commands/remove.ts";
import { type Hugo, hugoIn } from "./hugo-project.ts";
import { common } from "./quiet-context.ts";

setDefaultTimeout(240_000);

interface Shape {
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
    manifest: { main: "dist/index.js" },
    files: { "dist/index.js": `${plain}export { plugin };\nexport const second = async () => ({});` },
  },
  "default-function": { manifest: { main: "./i.mjs" }, files: { "i.mjs": `${plain}export default plugin;` } },
  "default-and-named": {
    manifest: { main: "i.js", exports: { ".": { import: "./i.js" } } },
    files: { "i.js": `${plain}export { plugin };\nexport default plugin;` },
  },
  "module-only": { manifest: { module: "index.ts" }, files: { "index.ts": `${typed}export { plugin };` } },
  "module-elsewhere": { manifest: { module: "src/p.ts" }, files: { "src/p.ts": `${typed}export default plugin;` } },
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
    manifest: { exports: { "./server": "./s.js", "./tui": { import: "./t.js" } } },
    files: {
      "s.js": `${plain}export default { id: "server-and-tui", server: plugin };`,
      "t.js": 'export default { id: "server-and-tui", tui: async () => {} };',
    },
  },
  "@org/with-dependency": {
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

/** Each registers an agent with its own name and version, and a tool. */
function shapeOf(name: string, version: string, more = ""): PackageToPublish {
  const { manifest, files } = shapes[name]!;
  const agent = name.replace(/^.*\//, "");
  const code = `async () => ({
    config: async (c) => { c.agent = { ...c.agent, "${agent}": { prompt: "${version}" }${more} }; },
    tool: { "${agent.replaceAll("-", "_")}": { description: "x", args: {}, execute: async () => "x" } },
  })`;
  const written = Object.entries(files).map(([path, text]) => [path, text.replace("$", () => code)]);
  const json = { type: "module", ...declared, ...manifest };
  return { name, version, manifest: json, files: Object.fromEntries(written) };
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
const workflows = names.map((name) => name.replace(/^.*\//, ""));
/** An update is asked about by another start of OpenCode, so not every shape gets one. */
const renewed = ["module-only", "named-function", "server-and-tui"];
const stack = new AsyncDisposableStack();
let project: Project;
let hugo: Hugo;

async function loaded(): Promise<Record<string, string>> {
  const { workflows, opencode } = await health.run(hugo.context, {
    ...common,
    name: undefined,
    all: true,
    static: false,
  });
  expect(opencode.kind).toBe("asked");
  return Object.fromEntries(workflows.map(({ workflow, state }) => [workflow, state.kind]));
}
const allOf = (state: string) => Object.fromEntries(workflows.map((name) => [name, state]));

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
  await hugo.install(names);
  for (const name of renewed) registry.publish(shapeOf(name, "1.1.0", `, "${name}-2": { prompt: "new" }`));
});
afterAll(() => stack.disposeAsync());

describe("every shape of a plugin", () => {
  test("is asked about before its code runs, and what it registers is recorded", async () => {
    expect(hugo.asked).toHaveLength(names.length);
    for (const { capabilities } of hugo.asked) expect(capabilities.map(({ kind }) => kind)).toContain("registers");
    const { workflows: locked } = (await project.json(".opencode/hugo.json")) as {
      workflows: Record<string, { registers?: object }>;
    };
    for (const name of workflows) {
      expect(locked[name]?.registers, name).toEqual({ agents: [name], tools: [name.replaceAll("-", "_")] });
    }
    expect(await project.exists(".opencode/agents")).toBe(false);
  });

  test("is loaded by OpenCode", async () => {
    expect(await loaded()).toEqual(allOf("loaded"));
  });

  test("is updated, which says what it registers now, and loaded again", async () => {
    const { notices, updated } = await hugo.update();
    expect(updated.map(({ name, to }) => `${name} ${to}`)).toEqual(renewed.map((name) => `${name} 1.1.0`));
    for (const name of renewed) {
      expect(notices).toContain(`${name} v1.1.0 registers more than before: 1 agent (${name}-2).`);
    }
    expect(await loaded()).toEqual(allOf("loaded"));
  });

  test("is disabled and enabled exactly as it was", async () => {
    const files = ["opencode.json", ".opencode/tui.json"];
    const before = await Promise.all(files.map((file) => project.read(file)));
    await disable.run(hugo.context, { ...common, all: true, name: [] });
    expect(await project.read("opencode.json")).toBe(config);
    expect(await loaded()).toEqual(allOf("disabled"));
    await enable.run(hugo.context, { ...common, all: true, name: [] });
    expect(await Promise.all(files.map((file) => project.read(file)))).toEqual(before);
  });

  test("is removed without a trace in the configs", async () => {
    await remove.run(hugo.context, { ...common, name: workflows });
    expect(await project.read("opencode.json")).toBe(config);
    expect(await project.exists(".opencode/tui.json")).toBe(false);
  });
});
