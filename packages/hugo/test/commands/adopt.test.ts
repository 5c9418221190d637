// Plugins that the user added to a config by hand: Hugo shows them, and manages them on request.
import { expect, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { adopt } from "../../src/commands/adopt.ts";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { health } from "../../src/commands/health.ts";
import { list } from "../../src/commands/list.ts";
import { outdated } from "../../src/commands/outdated.ts";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { readOpencodeConfig } from "../../src/opencode/read-config.ts";
import { type Hugo, hugoIn, refusalOf } from "./hugo-project.ts";
import { common, plain } from "./quiet-context.ts";

/** What OpenCode says about plugins is tested elsewhere. */
const env = { HUGO_OPENCODE: "/not/there/opencode" };

function published(name: string, version: string, more: object = {}): PackageToPublish {
  const manifest = { main: "index.js", type: "module", engines: { opencode: "*" }, ...more };
  return { name, version, manifest, files: { "index.js": "export const P = async () => ({});\n", "tui.js": "" } };
}

const config = `{
  // mine
  "$schema": "https://opencode.ai/config.json",
  "plugin": [
    "./own.ts", // a file
    ["@org/alpha", { "loud": true }], // with options
    "beta@^1.0.0",
    "gamma@1.0.0" /* exact */,
  ],
}
`;

/** What OpenCode's installer leaves in its cache. */
async function cached(project: Project, spec: string, name: string, version: string): Promise<void> {
  await project.write(`../home/.cache/opencode/packages/${spec}/node_modules/${name}/package.json`, { name, version });
}

const adopting = (hugo: Hugo, ...plugin: string[]) =>
  adopt.run(hugo.context, { ...common, plugin, details: false, allowNew: false });
const matching = (text: RegExp | string): unknown => (typeof text === "string" ? text : expect.stringMatching(text));
const listing = (hugo: Hugo) => list.run(hugo.context, { ...common, name: undefined });

async function withPlugins(files: Record<string, string | object> = {}) {
  const stack = new AsyncDisposableStack();
  const registry = stack.use(await npmRegistry());
  for (const name of ["@org/alpha", "beta", "gamma"]) {
    registry.publish(published(name, "1.0.0"), published(name, "1.1.0"));
  }
  const own = { "opencode.json": config, "own.ts": "export default {};" };
  const project = stack.use(await tmpProject({ registry, env, files: { ...own, ...files } }));
  await cached(project, "@org/alpha@latest", "@org/alpha", "1.0.0");
  await cached(project, "beta@^1.0.0", "beta", "1.0.0");
  return { project, registry, hugo: hugoIn(project), [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("unmanaged plugins are listed with the version that OpenCode uses", async () => {
  await using it = await withPlugins();
  const result = await listing(it.hugo);
  expect(list.report.text(result, plain)).toBe(
    `No workflows are installed. \`hugo install <package>\` installs one.
Not managed by Hugo:
  Name        Version  Config
  @org/alpha  v1.0.0   opencode.json
  beta        v1.0.0   opencode.json
  gamma       v1.0.0   opencode.json
  ./own.ts             opencode.json  it is a file of your own, so there is nothing to install or update
`,
  );
  expect(list.report.notes(result, plain)).toBe("`hugo adopt` lets Hugo manage them.\n");
  expect(list.report.json(result)).toMatchObject({
    unmanaged: [{ name: "@org/alpha", version: "1.0.0", source: "@org/alpha" }, {}, { source: "gamma@1.0.0" }, {}],
  });
  const old = await outdated.run(it.hugo.context, { ...common, name: undefined } as never);
  expect(old.workflows.map(({ name, installed, wanted }) => [name, installed, wanted])).toEqual([
    ["@org/alpha", "1.0.0", "1.1.0"],
    ["beta", "1.0.0", "1.1.0"],
    ["gamma", "1.0.0", "1.0.0"],
  ]);
  expect(outdated.report.notes(old, plain)).toContain(
    "`hugo adopt` lets `hugo update` update what Hugo does not manage: @org/alpha, beta, gamma.",
  );
  const { notices } = await health.run(it.hugo.context, { ...common, name: undefined, all: false, static: true });
  expect(notices).toContain(
    "@org/alpha in opencode.json is not managed by Hugo: OpenCode keeps v1.0.0, which it fetched first, because the entry has no exact version. `hugo adopt @org/alpha` lets Hugo check, pin and update it.",
  );
});

test("for the user's own plugins, the next command has -g", async () => {
  await using it = await withPlugins();
  await it.project.write("../home/.config/opencode/opencode.json", { plugin: ["beta@^1.0.0"] });
  const own = { ...common, global: true, name: undefined };
  const listed = await list.run(it.hugo.context, own);
  expect(list.report.notes(listed, plain)).toBe("`hugo adopt -g` lets Hugo manage them.\n");
  const old = await outdated.run(it.hugo.context, { ...own, exitCode: true });
  const hint = "`hugo adopt -g` lets `hugo update -g` update what Hugo does not manage: beta.";
  expect(outdated.report.notes(old, plain)).toContain(hint);
  expect(outdated.report.error?.(old)).toMatchObject({ hint });
  const { notices } = await health.run(it.hugo.context, { ...own, all: false, static: true });
  expect(notices.join("\n")).toContain("`hugo adopt -g beta` lets Hugo check, pin and update it.");
});

test("what `atomic setup` added is not there to be adopted", async () => {
  await using project = await tmpProject({ env });
  const folder = project.path("../lib/node_modules/@atomic/cli");
  await project.write("../lib/node_modules/@atomic/cli/package.json", { name: "@atomic/cli", version: "1.0.0" });
  await project.write("tui.json", { plugin: [folder, "@atomic/cli@1.0.0"] });
  const hugo = hugoIn(project);
  const result = await listing(hugo);
  expect(list.report.text(result, { ...plain, columns: 300 })).toContain("`atomic setup` adds and removes it");
  expect(list.report.notes(result, plain)).toBe("");
  expect((await refusalOf(adopting(hugo))).message).toStartWith("None of these can be managed: ");
  expect((await refusalOf(adopting(hugo, "@atomic/cli"))).message).toBe(
    "@atomic/cli cannot be managed: `atomic setup` adds and removes it",
  );
});

test("one is adopted as OpenCode uses it: its place and its options stay, and nothing else changes", async () => {
  await using it = await withPlugins();
  const { hugo, project } = it;
  const { workflows } = await adopting(hugo, "alpha");
  expect(hugo.asked[0]?.title).toBe("Adopt alpha v1.0.0 from @org/alpha");
  const adopted = await project.read("opencode.json");
  const spec = workflows[0]?.entries[0]?.spec ?? "";
  expect(spec).toEndWith("/node_modules/@org/alpha");
  expect(adopted).toBe(config.replace('"@org/alpha"', `"${spec}"`));
  expect((await listing(hugo)).unmanaged.map(({ name }) => name)).toEqual(["beta", "gamma", "./own.ts"]);
  expect(await project.json(".opencode/hugo.json")).toMatchObject({
    workflows: { alpha: { source: "@org/alpha", version: "1.0.0" } },
  });

  await undo.run(hugo.context, common);
  expect(await project.read("opencode.json")).toBe(config);
  expect(await project.exists(".opencode/hugo.json")).toBe(false);

  // From now on it is a workflow like any other.
  await adopting(hugo, "@org/alpha");
  await hugo.update(["alpha"]);
  const updated = await project.read("opencode.json");
  expect(updated.replace(/"[^"]*\/@org\/alpha"/, '"@org/alpha"')).toBe(config);
  expect(updated).not.toBe(adopted);
  await disable.run(hugo.context, { ...common, all: false, name: ["alpha"] });
  const without = config.replace('    ["@org/alpha", { "loud": true }], // with options\n', "");
  expect(await project.read("opencode.json")).toBe(without);
  await enable.run(hugo.context, { ...common, all: false, name: ["alpha"] });
  const { plugins } = readOpencodeConfig("opencode.json", await project.read("opencode.json"));
  expect(plugins[1]).toMatchObject({ isTuple: true, options: { loud: true } });
  await remove.run(hugo.context, { ...common, name: ["alpha"] });
  expect(await project.read("opencode.json")).toBe(without);
});

test("all are adopted at once: ranges stay ranges, exact versions stay exact, and files are left alone", async () => {
  await using it = await withPlugins();
  const { workflows } = await adopting(it.hugo);
  expect(workflows.map(({ name, version, source }) => [name, version, source])).toEqual([
    ["alpha", "1.0.0", "@org/alpha"],
    ["beta", "1.0.0", "beta@^1.0.0"],
    ["gamma", "1.0.0", "gamma@1.0.0"],
  ]);
  expect(await it.project.read("opencode.json")).toContain('"./own.ts", // a file\n');
  expect((await refusalOf(adopting(it.hugo))).message).toBe("None of these can be managed: ./own.ts");
});

test("one that cannot be adopted does not keep the others from it, unless it was named", async () => {
  const plugins = { plugin: ["beta@^1.0.0", "nowhere", "gamma@1.0.0"] };
  await using it = await withPlugins({ "opencode.json": JSON.stringify(plugins) });
  const result = await adopting(it.hugo);
  expect(result.workflows.map(({ name }) => name)).toEqual(["beta", "gamma"]);
  expect(result.failed).toMatchObject([{ name: "nowhere", code: "package-not-found" }]);
  expect(adopt.report.notes(result, plain)).toStartWith("nowhere was not adopted: The registry ");
  expect(adopt.report.exitCode(result)).toBe(result.failed[0]!.exitCode);
  expect(adopt.report.error?.(result)).toMatchObject({ code: "package-not-found" });
  expect(await it.project.json("opencode.json")).toMatchObject({ plugin: [/beta/, "nowhere", /gamma/].map(matching) });
  expect((await refusalOf(adopting(it.hugo, "nowhere"))).code).toBe("package-not-found");

  await undo.run(it.hugo.context, common);
  it.hugo.answer = "declined";
  const declined = await adopting(it.hugo);
  expect(declined.failed.map(({ name, code }) => `${name} ${code}`)).toEqual([
    "beta declined",
    "nowhere package-not-found",
    "gamma declined",
  ]);
  const notes = adopt.report.notes(declined, plain);
  expect(notes).toContain("beta was not adopted: the adoption was declined.");
  expect(notes).not.toContain("Restart OpenCode");
  expect(await it.project.json("opencode.json")).toEqual(plugins);
});

test("outdated names the next step for an unmanaged plugin, also if it is named", async () => {
  await using it = await withPlugins();
  const named = async (name: string | undefined) =>
    await outdated.run(it.hugo.context, { ...common, name, exitCode: true });
  const one = await named("alpha");
  expect(one.workflows.map(({ name, installed, wanted }) => [name, installed, wanted])).toEqual([
    ["@org/alpha", "1.0.0", "1.1.0"],
  ]);
  const hint = "`hugo adopt` lets `hugo update` update what Hugo does not manage: @org/alpha.";
  expect(outdated.report.error?.(one)).toMatchObject({ hint });
  expect(outdated.report.notes(one, plain)).not.toContain("installs the wanted versions");
  await adopting(it.hugo, "alpha");
  expect(outdated.report.error?.(await named(undefined))).toMatchObject({
    hint: "`hugo update` installs the wanted versions. `hugo adopt` lets `hugo update` update what Hugo does not manage: beta, gamma.",
  });
  expect(await refusalOf(named("./own.ts"))).toMatchObject({
    code: "not-installed",
    message: "./own.ts has no version to compare: it is a file of your own, so there is nothing to install or update",
  });
});

test("what OpenCode has not fetched yet is adopted in the version that it would fetch", async () => {
  await using it = await withPlugins({ "opencode.json": '{ "plugin": ["beta"] }' });
  const { workflows } = await adopting(it.hugo, "beta");
  expect(workflows[0]?.version).toBe("1.1.0");
});

test("a plugin of the terminal keeps its file, and gets no entry that it did not have", async () => {
  const tui = '{\n  "plugin": ["delta", "@org/alpha"], // mine\n}\n';
  await using it = await withPlugins({ "tui.json": tui });
  const exports = { "./server": "./index.js", "./tui": "./tui.js" };
  it.registry.publish(published("delta", "1.0.0", { exports, main: undefined }));
  const { workflows } = await adopting(it.hugo, "delta");
  expect(workflows[0]?.entries.map(({ file }) => file)).toEqual(["tui.json"]);
  expect(await it.project.read("opencode.json")).toBe(config);
  expect((await it.project.read("tui.json")).replace(/"[^"]*\/delta"/, '"delta"')).toBe(tui);
  // Nor with an update: the user did not want the server.
  it.registry.publish(published("delta", "1.1.0", { exports, main: undefined }));
  await it.hugo.update(["delta"]);
  expect(await it.project.read("opencode.json")).toBe(config);
});

test("a repository is adopted at the commit that OpenCode has, and a folder as it is", async () => {
  await using repository = await gitRepo();
  const files = {
    "package.json": JSON.stringify(published("epsilon", "1.0.0").manifest),
    "index.js": "export const P = async () => ({});",
  };
  const first = await repository.commit({ files });
  await repository.commit({ files: { ...files, "more.txt": "later" } });
  const spec = repository.packageUrl;
  await using it = await withPlugins({
    "opencode.json": JSON.stringify({ plugin: [spec, "./near"] }),
    "near/package.json": { name: "near", version: "2.0.0", ...published("near", "2.0.0").manifest },
    "near/index.js": "export const P = async () => ({});",
  });
  await it.project.write(`../home/.cache/opencode/packages/${spec}/node_modules/.package-lock.json`, {
    packages: { "node_modules/epsilon": { resolved: `${spec}#${first}` } },
  });
  const { workflows } = await adopting(it.hugo);
  expect(workflows.map(({ version, source }) => [version, source])).toEqual([
    [first, spec],
    ["2.0.0", "./near"],
  ]);
});

test("a wrong name, a file and an unreadable entry are refused with a reason", async () => {
  await using it = await withPlugins({ "opencode.json": '{ "plugin": ["beta", "./own.ts", "x@npm:gamma@1"] }' });
  const { hugo } = it;
  expect((await refusalOf(adopting(hugo, "bta"))).message).toContain('did you mean "beta"');
  expect((await refusalOf(adopting(hugo, "./own.ts"))).message).toContain("./own.ts cannot be managed: it is a file");
  expect((await refusalOf(adopting(hugo, "gamma"))).message).toContain("gamma cannot be managed");
  hugo.answer = "declined";
  expect((await refusalOf(adopting(hugo, "beta"))).code).toBe("declined");
  expect(await it.project.exists(".opencode/hugo.json")).toBe(false);
});

test("only the version in OpenCode's cache may be younger than the minimum age, not what it needs or what would replace it", async () => {
  await using registry = await npmRegistry();
  const time = new Date().toISOString();
  registry.publish({ name: "need", version: "1.0.0" }, { name: "need", version: "1.0.1", time });
  for (const version of ["1.0.0", "1.1.0"]) {
    const release = published("fresh", version, { dependencies: { need: "^1.0.0" } });
    registry.publish(version === "1.0.0" ? release : { ...release, time });
  }
  await using project = await tmpProject({ registry, env, files: { "opencode.json": { plugin: ["fresh"] } } });
  const hugo = hugoIn(project);
  const dry = (allowNew = false) =>
    adopt.run(hugo.context, { ...common, dryRun: true, plugin: [], details: false, allowNew });
  const notes = ({ notices }: { notices: readonly string[] }) =>
    notices.filter((each) => !each.startsWith("To accept"));
  const old = await dry();
  expect(old.workflows).toMatchObject([{ version: "1.0.0" }]);
  expect(notes(old).at(-1)).toBe("fresh comes with 1 dependency: need 1.0.0.");
  expect((await dry(true)).workflows).toMatchObject([{ version: "1.1.0" }]);
  await cached(project, "fresh@latest", "fresh", "1.1.0");
  const used = await dry();
  expect(used.workflows).toMatchObject([{ version: "1.1.0" }]);
  expect(notes(used).at(-1)).toBe("fresh comes with 1 dependency: need 1.0.0.");
  await project.write("opencode.json", { plugin: ["fresh@1.1.0"] });
  expect((await refusalOf(dry())).code).toBe("release-too-new");
});
