// OpenCode plugins that were not made for Hugo: they have no workflow.json.
import { describe, expect, test } from "bun:test";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { list } from "../../src/commands/list.ts";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { readOpencodeConfig } from "../../src/opencode/read-config.ts";
import { hugoIn, refusalOf } from "./hugo-project.ts";
import { common } from "./quiet-context.ts";

const config = `{
  // Mine.
  "$schema": "https://opencode.ai/config.json",
  "plugin": [
    ["./own.ts", { "loud": true }], // keep
  ]
}
`;

/** What OpenCode says about them is tested elsewhere. */
const env = { HUGO_OPENCODE: "/not/there/opencode" };

const code = "export const Plugin = async () => ({});\n";

function plain(name: string, more: Partial<PackageToPublish> & { version?: string } = {}): PackageToPublish {
  const { version = "1.0.0", files = {}, manifest = {} } = more;
  const declared = { main: "index.js", type: "module", dependencies: { "@opencode-ai/plugin": "1.0.0" } };
  return { name, version, manifest: { ...declared, ...manifest }, files: { "index.js": code, ...files } };
}

test("a plugin without workflow.json is installed as a plugin, and none of its own folders is copied", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@opencode-ai/plugin", version: "1.0.0" });
  const internal = { ".opencode/commands/publish.md": "Publish it.", ".claude/agents/triage.md": "Triage." };
  registry.publish(plain("@org/helper", { files: internal }));
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
  const hugo = hugoIn(project);
  const { workflows } = await hugo.install("@org/helper");
  expect(workflows).toMatchObject([{ name: "helper", delivery: "plugin", agents: [], commands: [], files: [] }]);
  expect(hugo.asked[0]?.notes[0]).toBe("An OpenCode plugin.");
  expect(hugo.asked[0]?.capabilities).toContainEqual({
    kind: "registers",
    subject: "index.js",
    detail: "unknown until OpenCode loads it",
  });
  expect(await project.read("opencode.json")).toContain('["./own.ts", { "loud": true }], // keep\n');
  const copied = ["agents", "commands", "skills"].map((folder) => `.opencode/${folder}`);
  for (const folder of copied) expect(await project.exists(folder)).toBe(false);
});

test("a plugin in a folder gets its dependencies, next to its code", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0", manifest: { main: "i.js" }, files: { "i.js": "" } });
  const manifest = { name: "near", version: "1.0.0", main: "i.js", engines: { opencode: "*" } };
  const files = {
    "near/package.json": { ...manifest, dependencies: { tool: "1" } },
    "near/i.js": code,
    "opencode.json": config,
  };
  await using project = await tmpProject({ registry, env, files });
  const { workflows } = await hugoIn(project).install("./near");
  const [entry] = workflows[0]?.entries ?? [];
  expect(entry?.spec).toEndWith("/node_modules/near");
  expect(await project.exists(`${entry?.spec}/../tool/package.json`)).toBe(true);
});

test("a library is refused with a reason, and nothing is written", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "lowdash", version: "4.0.0", manifest: { main: "i.js" }, files: { "i.js": "" } });
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
  const error = await refusalOf(hugoIn(project).install("lowdash"));
  expect(error.code).toBe("no-workflow");
  expect(error.message).toContain("lowdash is not a workflow and not an OpenCode plugin");
  expect(await project.read("opencode.json")).toBe(config);
  expect(await project.exists(".opencode/hugo.json")).toBe(false);
});

test("a doubtful plugin, and one that OpenCode ignores, are pointed out in the question", async () => {
  await using registry = await npmRegistry();
  const dependencies = {};
  registry.publish(
    plain("opencode-colors", { manifest: { dependencies } }),
    plain("opencode-copilot-auth", { manifest: { dependencies } }),
  );
  await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
  const hugo = hugoIn(project);
  await hugo.install(["opencode-colors", "opencode-copilot-auth"]);
  expect(hugo.asked[0]?.notes).toContain(
    'Its author does not say that it is an OpenCode plugin. Hugo thinks so because its name contains "opencode".',
  );
  expect(hugo.asked[1]?.notes).toContain(
    "OpenCode will not load opencode-copilot-auth: it ignores this plugin, because it has opencode-copilot-auth built in.",
  );
});

describe("a plugin that draws in the terminal", () => {
  const manifest = (more: object = {}) => ({
    exports: { "./server": "./index.js", "./tui": { import: "./tui.js" } },
    dependencies: {},
    keywords: ["opencode-plugin"],
    ...more,
  });
  const files = { "tui.js": "export default { id: 'panel', tui: async () => {} };\n" };
  const panel = (version: string, more: object = {}) =>
    plain("@org/panel", { version, manifest: manifest(more), files });
  const tui = '{\n  "theme": "sea", // mine\n  "plugin": [["./own.tsx", { "x": 1 }]],\n}\n';
  const specIn = async (project: Project, file: string): Promise<string | undefined> =>
    readOpencodeConfig(file, await project.read(file)).plugins.find(({ spec }) => spec.includes("panel"))?.spec;

  test("is in tui.json like in opencode.json: pinned, disabled, enabled, undone and removed byte for byte", async () => {
    await using registry = await npmRegistry();
    registry.publish(panel("1.0.0"), panel("1.1.0"));
    await using project = await tmpProject({ registry, env, files: { "opencode.json": config, "tui.json": tui } });
    const hugo = hugoIn(project);
    const { workflows } = await hugo.install("@org/panel@^1.0.0");
    expect(workflows[0]?.entries.map(({ file }) => file)).toEqual(["opencode.json", "tui.json"]);
    expect(hugo.asked[0]?.capabilities).toContainEqual({
      kind: "plugin-code",
      subject: "tui.js",
      detail: "draws inside OpenCode and runs with all your permissions",
    });
    const installed = await project.read("tui.json");
    expect(installed).toStartWith(
      '{\n  "theme": "sea", // mine\n  "plugin": [["./own.tsx", { "x": 1 }], "./.opencode/',
    );
    expect(await project.json(".opencode/hugo.json")).toMatchObject({
      workflows: { panel: { delivery: "plugin", parts: ["server", "tui"] } },
    });
    const listed = await list.run(hugo.context, { ...common, name: undefined });
    expect(listed.workflows[0]?.entries.map(({ file }) => file)).toEqual(["opencode.json", "tui.json"]);

    await disable.run(hugo.context, { ...common, all: false, name: ["panel"] });
    expect(await project.read("tui.json")).toBe(tui);
    expect(await project.read("opencode.json")).toBe(config);
    await enable.run(hugo.context, { ...common, all: false, name: ["panel"] });
    expect(await project.read("tui.json")).toBe(installed);
    await undo.run(hugo.context, common);
    expect(await project.read("tui.json")).toBe(tui);
    await enable.run(hugo.context, { ...common, all: false, name: ["panel"] });
    await remove.run(hugo.context, { ...common, name: ["panel"] });
    expect(await project.read("tui.json")).toBe(tui);
    expect(await project.read("opencode.json")).toBe(config);
    await undo.run(hugo.context, common);
    expect(await project.read("tui.json")).toBe(installed);
  });

  test("gets a tui.json of its own, which goes with it", async () => {
    await using registry = await npmRegistry();
    registry.publish(panel("1.0.0"));
    await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
    const hugo = hugoIn(project);
    await hugo.install("@org/panel");
    expect(await project.read(".opencode/tui.json")).toContain('"$schema": "https://opencode.ai/tui.json"');
    expect(await specIn(project, ".opencode/tui.json")).toMatch(/^\.\/\.hugo\/store\/.*\/node_modules\/@org\/panel$/);
    await remove.run(hugo.context, { ...common, name: ["panel"] });
    expect(await project.exists(".opencode/tui.json")).toBe(false);
    expect(await project.read("opencode.json")).toBe(config);
  });

  test("may gain and lose a part with an update", async () => {
    await using registry = await npmRegistry();
    const alone = { exports: { "./tui": "./tui.js" }, main: undefined };
    registry.publish(plain("@org/panel", { manifest: { dependencies: {}, keywords: ["opencode-plugin"] } }));
    await using project = await tmpProject({ registry, env, files: { "opencode.json": config } });
    const hugo = hugoIn(project);
    await hugo.install("@org/panel");
    expect(await project.exists(".opencode/tui.json")).toBe(false);
    registry.publish(panel("2.0.0"));
    await hugo.update();
    expect(hugo.asked.at(-1)?.capabilities.map(({ detail }) => detail)).toContain(
      "draws inside OpenCode and runs with all your permissions",
    );
    expect(await specIn(project, ".opencode/tui.json")).toBeDefined();
    registry.publish(panel("3.0.0", alone));
    await hugo.update();
    expect(await specIn(project, "opencode.json")).toBeUndefined();
    expect(await specIn(project, ".opencode/tui.json")).toBeDefined();
  });

  test("waits for OpenCode if a new tui.json would hide the user's settings", async () => {
    await using registry = await npmRegistry();
    registry.publish(panel("1.0.0"));
    const old = '{ "theme": "sea" }\n';
    await using project = await tmpProject({ registry, env, files: { ".opencode/opencode.json": old } });
    const error = await refusalOf(hugoIn(project).install("@org/panel"));
    expect(error.message).toContain("has settings for the terminal, which OpenCode moves to tui.json");
    expect(await project.read(".opencode/opencode.json")).toBe(old);
    expect(await project.exists(".opencode/hugo.json")).toBe(false);
  });
});
