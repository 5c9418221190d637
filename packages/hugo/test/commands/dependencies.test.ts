// The packages that a plugin's code needs are locked, hashed, compared and shown, like the plugin itself.
import { expect, setDefaultTimeout, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { ci as ciCommand } from "../../src/commands/ci.ts";
import { health } from "../../src/commands/health.ts";
import { list } from "../../src/commands/list.ts";
import { outdated } from "../../src/commands/outdated.ts";
import { undo } from "../../src/commands/undo.ts";
import { update as updateCommand } from "../../src/commands/update.ts";
import { verify } from "../../src/commands/verify.ts";
import { type Hugo, hugoIn, pinIn, plugin } from "./hugo-project.ts";
import { plain } from "./quiet-context.ts";
import { input } from "./workspace.ts";

setDefaultTimeout(120_000);

interface Installed extends AsyncDisposable {
  readonly registry: NpmRegistry;
  readonly project: Project;
  readonly hugo: Hugo;
}

function needing(version: string, dependencies: Record<string, string>) {
  const base = plugin(version);
  return { ...base, manifest: { ...base.manifest, dependencies } };
}

/** A plugin that needs `tool`, which needs `deep`. */
async function installed(): Promise<Installed> {
  const registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0", files: { "index.js": "exports.deep = 1;\n" } });
  registry.publish({ name: "tool", version: "1.0.0", manifest: { dependencies: { deep: "^1.0.0" } } });
  registry.publish(needing("1.0.0", { tool: "^1.0.0" }));
  const project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  return {
    registry,
    project,
    hugo,
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

async function modulesOf(project: Project): Promise<string> {
  return (await pinIn(project)).replace("/@org/review", "");
}

async function storeOf(project: Project): Promise<string[]> {
  return (await project.tree()).filter((path) => path.startsWith(".opencode/.hugo/store/"));
}

async function lockedIn(project: Project): Promise<Record<string, string> | undefined> {
  const lock = (await project.json(".opencode/hugo.json")) as {
    workflows: { review: { dependencies?: Record<string, string> } };
  };
  return lock.workflows.review.dependencies;
}

const all = { ...input, name: undefined };

test("an install records every dependency in hugo.json, and the report names them", async () => {
  await using at = await installed();
  expect(await lockedIn(at.project)).toEqual({
    deep: expect.stringMatching(/^1\.0\.0 sha512-\S{88} sha256:[0-9a-f]{64}$/),
    tool: expect.stringMatching(/^1\.0\.0 sha512-\S{88} sha256:[0-9a-f]{64}$/),
  });
  expect(at.hugo.asked[0]?.notes).toContain("review comes with 2 dependencies: deep 1.0.0, tool 1.0.0.");
  expect(await at.project.read(`${await modulesOf(at.project)}/deep/index.js`)).toBe("exports.deep = 1;\n");
});

test.each([
  ["a changed file", "deep/index.js", "exports.deep = 'evil';\n", "node_modules/deep", "deep (changed)"],
  ["a file more", "tool/more.js", "evil();\n", "node_modules/tool", "tool (changed)"],
  ["a package more", "evil/index.js", "evil();\n", "node_modules/evil", "an unknown package, evil"],
  ["one in a package", "tool/node_modules/deep/index.js", "evil();\n", "node_modules/tool/node_modules/deep", "tool/"],
  [
    "one in the plugin",
    "@org/review/node_modules/tool/index.js",
    "evil();\n",
    "node_modules/@org/review/node_modules/tool",
    "@org/review/",
  ],
])("%s below node_modules is found, and `hugo ci` restores what was locked", async (_, path, text, where, said) => {
  await using at = await installed();
  const [{ hugo }, before] = [at, await storeOf(at.project)];
  await at.project.write(`${await modulesOf(at.project)}/${path}`, text);
  const found = await verify.run(hugo.context, all);
  expect(found.workflows).toMatchObject([
    { differences: [{ kind: "dependency-changed", at: where, next: "hugo ci" }] },
  ]);
  expect(verify.report.exitCode(found)).toBe(1);
  const ill = await health.run(hugo.context, { ...all, all: false, static: true });
  expect(ill.workflows[0]?.findings).toMatchObject([{ severity: "problem", code: "tampered" }]);
  expect(ill.workflows[0]?.findings[0]?.message).toContain(said);

  expect(ciCommand.report.exitCode(await hugo.ci())).toBe(0);
  expect((await verify.run(hugo.context, all)).workflows).toMatchObject([{ differences: [] }]);
  expect(await storeOf(at.project)).toEqual(before);
});

test.each([
  [
    "a changed tsconfig.json",
    "/tsconfig.json",
    '{ "extends": "../../../../tsconfig.json" }',
    ".hugo/store/…/tsconfig.json",
  ],
  ["a jsconfig.json", "/jsconfig.json", "{}", ".hugo/store/…/jsconfig.json"],
  ["a package.json", "/package.json", '{ "imports": {} }', ".hugo/store/…/package.json"],
  ["a package for all of the store", "/../node_modules/deep/index.js", "evil();\n", ".hugo/store/node_modules"],
  ["a package for all of Hugo", "/../../node_modules/deep/index.js", "evil();\n", ".hugo/node_modules"],
])("%s around node_modules is found, and `hugo ci` repairs it without a registry", async (_, path, text, where) => {
  await using at = await installed();
  const [{ hugo }, before] = [at, await storeOf(at.project)];
  const entry = (await modulesOf(at.project)).replace("/node_modules", "");
  await at.project.write(`${entry}${path}`, text);
  const found = await verify.run(hugo.context, all);
  expect(found.workflows[0]?.differences.map((each) => each.at.replace(/review-[0-9a-f]+/, "…"))).toEqual([where]);
  expect(found.workflows).toMatchObject([{ differences: [{ kind: "store-changed", next: "hugo ci" }] }]);
  expect(verify.report.exitCode(found)).toBe(1);
  const ill = await health.run(hugo.context, { ...all, all: false, static: true });
  expect(ill.workflows[0]?.findings).toMatchObject([{ severity: "problem", code: "tampered" }]);

  const asked = at.registry.requests.length;
  expect(ciCommand.report.exitCode(await hugo.ci())).toBe(0);
  expect(at.registry.requests.length).toBe(asked);
  expect((await verify.run(hugo.context, all)).workflows).toMatchObject([{ differences: [] }]);
  expect(await storeOf(at.project)).toEqual(before);
});

test("a missing dependency is found and restored", async () => {
  await using at = await installed();
  await at.project.remove(`${await modulesOf(at.project)}/deep`);
  const { workflows } = await verify.run(at.hugo.context, all);
  expect(workflows).toMatchObject([{ differences: [{ detail: "This dependency is missing." }] }]);
  await at.hugo.ci();
  expect((await verify.run(at.hugo.context, all)).workflows).toMatchObject([{ differences: [] }]);
});

test("a clone gets the locked releases, whatever has been published since, and refuses other bytes", async () => {
  await using at = await installed();
  await at.project.remove(".opencode/.hugo");
  at.registry.publish({ name: "deep", version: "1.0.1", files: { "index.js": "exports.deep = 2;\n" } });
  expect(ciCommand.report.exitCode(await at.hugo.ci())).toBe(0);
  expect(await at.project.read(`${await modulesOf(at.project)}/deep/index.js`)).toBe("exports.deep = 1;\n");

  await at.project.remove(".opencode/.hugo");
  at.registry.unpublish("deep", "1.0.0");
  at.registry.publish({ name: "deep", version: "1.0.0", files: { "index.js": "evil();\n" } });
  const refused = await at.hugo.ci();
  expect(refused.failed).toMatchObject([
    { code: "integrity-mismatch", message: "deep 1.0.0, a dependency of @org/review, does not match the lock" },
  ]);
  expect(ciCommand.report.exitCode(refused)).toBe(1);
});

test("an update that changes only a dependency is shown, and undo brings the former one back", async () => {
  await using at = await installed();
  const [before, old] = [await at.project.read(".opencode/hugo.json"), await pinIn(at.project)];
  expect((await at.hugo.update()).updated).toEqual([]);
  at.registry.publish({ name: "deep", version: "1.0.1", files: { "index.js": "exports.deep = 2;\n" } });
  const result = await at.hugo.update();
  expect(updateCommand.report.text(result, plain)).toBe("Updated review v1.0.0\n  @org/review in opencode.json\n");
  expect(result.notices).toEqual(["review: changed dependencies: deep 1.0.0 → 1.0.1."]);
  expect(at.hugo.asked.length).toBe(1);
  expect(await pinIn(at.project)).not.toBe(old);
  expect(await at.project.read(`${await modulesOf(at.project)}/deep/index.js`)).toBe("exports.deep = 2;\n");

  await undo.run(at.hugo.context, input);
  expect(await at.project.read(".opencode/hugo.json")).toBe(before);
  expect((await verify.run(at.hugo.context, all)).workflows).toMatchObject([{ differences: [] }]);
});

test("a package that was not there before needs your approval, however deep it is", async () => {
  await using at = await installed();
  at.registry.publish({ name: "fresh", version: "1.0.0" });
  at.registry.publish({ name: "deep", version: "1.1.0", manifest: { dependencies: { fresh: "1" } } });
  at.hugo.answer = "declined";
  expect((await at.hugo.update()).failed).toMatchObject([{ name: "review", code: "declined" }]);
  expect(at.hugo.asked.at(-1)?.capabilities).toEqual([{ kind: "dependency", subject: "fresh", detail: "loaded" }]);
  at.hugo.answer = "approved";
  const { notices } = await at.hugo.update();
  expect(notices).toContain("review: new dependencies: fresh 1.0.0.");
});

test("the dependencies of a plugin from git are updated, too, while its commit stays", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0" });
  const manifest = { name: "@org/review", version: "1.0.0", main: "index.js", dependencies: { tool: "^1.0.0" } };
  await using repo = await gitRepo({
    files: {
      "package.json": JSON.stringify(manifest),
      "workflow.json": "{}",
      "index.js": "export default { id: 'review', server: async () => ({}) };\n",
    },
  });
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install(repo.packageUrl);
  registry.publish({ name: "tool", version: "1.1.0" });
  const { updated, notices } = await hugo.update();
  expect(updated).toHaveLength(1);
  expect(notices).toContain("review: changed dependencies: tool 1.0.0 → 1.1.0.");
});

test("a lock from an earlier Hugo gets its dependencies recorded by `hugo ci`", async () => {
  await using at = await installed();
  const lock = (await at.project.json(".opencode/hugo.json")) as { workflows: { review: object } };
  const { dependencies, ...review } = lock.workflows.review as { dependencies: object };
  await at.project.write(".opencode/hugo.json", { ...lock, workflows: { review } });
  await at.project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
  await at.project.remove(".opencode/.hugo");
  const result = await at.hugo.ci();
  expect(ciCommand.report.exitCode(result)).toBe(0);
  expect(result.notices).toContain("hugo.json now records the dependencies of review.");
  expect(await lockedIn(at.project)).toEqual(dependencies as Record<string, string>);
  expect(await at.project.json("opencode.json")).toMatchObject({ plugin: [await pinIn(at.project)] });
  expect((await verify.run(at.hugo.context, all)).workflows).toMatchObject([{ differences: [] }]);
});

test("a dependency that was published again with other bytes is asked about", async () => {
  await using at = await installed();
  at.registry.unpublish("deep", "1.0.0");
  at.registry.publish({ name: "deep", version: "1.0.0", files: { "index.js": "evil();\n" } });
  at.hugo.answer = "declined";
  expect((await at.hugo.update()).failed).toMatchObject([{ name: "review", code: "declined" }]);
  expect(at.hugo.asked.at(-1)?.capabilities).toEqual([
    { kind: "dependency", subject: "deep 1.0.0", detail: "published again with different content" },
  ]);
});

test("a lock without dependencies gets none that are too new, and `hugo ci` names what it records", async () => {
  await using at = await installed();
  at.registry.publish({ name: "deep", version: "1.0.1", time: new Date().toISOString() });
  const lock = (await at.project.json(".opencode/hugo.json")) as { workflows: { review: object } };
  const { dependencies, ...review } = lock.workflows.review as { dependencies: object };
  await at.project.write(".opencode/hugo.json", { ...lock, workflows: { review } });
  await at.project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
  await at.project.remove(".opencode/.hugo");
  const { notices } = await at.hugo.ci();
  expect(await lockedIn(at.project)).toEqual(dependencies as Record<string, string>);
  expect(notices).toContain("review comes with 2 dependencies: deep 1.0.0, tool 1.0.0.");

  // With a contradiction elsewhere, nothing is recorded, and nothing is said to be.
  await at.project.write(".opencode/hugo.json", { ...lock, workflows: { review } });
  await at.project.write("opencode.json", { plugin: [] });
  await at.project.remove(".opencode/.hugo");
  const refused = await at.hugo.ci();
  expect(refused.differences).toHaveLength(1);
  expect(refused.notices.join("\n")).not.toContain("records the dependencies");
});

test("`hugo ci` has no --allow-new: where a lock names no dependencies, it says what works instead", async () => {
  await using at = await installed();
  at.registry.unpublish("deep", "1.0.0");
  at.registry.publish({ name: "deep", version: "1.0.1", time: new Date().toISOString() });
  const lock = (await at.project.json(".opencode/hugo.json")) as { workflows: { review: object } };
  const { dependencies, ...review } = lock.workflows.review as { dependencies: object };
  await at.project.write(".opencode/hugo.json", { ...lock, workflows: { review } });
  await at.project.write("opencode.json", { plugin: ["@org/review@1.0.0"] });
  await at.project.remove(".opencode/.hugo");
  const { failed } = await at.hugo.ci();
  expect(failed[0]?.code).toBe("release-too-new");
  expect(failed[0]?.hint).toEndWith("To install it now, set HUGO_MINIMUM_RELEASE_AGE=0.");
  const env = { ...at.hugo.context.env, HUGO_MINIMUM_RELEASE_AGE: "0" };
  expect((await ciCommand.run({ ...at.hugo.context, env }, { ...input, strict: false })).failed).toEqual([]);
});

test("a newer dependency makes a workflow outdated, and one that `hugo update` leaves alone does not", async () => {
  await using at = await installed();
  const ask = async () => await outdated.run(at.hugo.context, { ...all, exitCode: true });
  expect(outdated.report.text(await ask(), plain)).toBe("Everything is up to date.\n");
  at.registry.publish({ name: "deep", version: "1.0.2", time: new Date().toISOString() });
  expect(outdated.report.exitCode(await ask())).toBe(0);
  at.registry.publish({ name: "deep", version: "1.0.1" });
  const result = await ask();
  expect(result.workflows).toMatchObject([
    { name: "review", newDependencies: true, notices: ["review: changed dependencies: deep 1.0.0 → 1.0.1."] },
  ]);
  expect(outdated.report.text(result, plain)).toContain("review");
  expect(outdated.report.notes(result, plain)).toContain("`hugo update` installs the wanted versions.");
  expect(outdated.report.exitCode(result)).toBe(1);
});

test("dependencies that cannot be compared are not up to date: the exit code says so", async () => {
  await using at = await installed();
  const ask = async (exitCode: boolean) => await outdated.run(at.hugo.context, { ...all, exitCode });
  at.registry.unpublish("deep", "1.0.0");
  const result = await ask(true);
  expect(outdated.report.text(result, plain)).not.toContain("up to date");
  expect(outdated.report.notes(result, plain)).toContain(
    "Warning: review could not be checked. Its dependencies could not be compared with the registry's: ",
  );
  expect([outdated.report.exitCode(result), outdated.report.exitCode(await ask(false))]).toEqual([6, 1]);
  // After a clone, nothing says what its code needs.
  await at.project.remove(".opencode/.hugo");
  const cloned = await ask(true);
  expect(outdated.report.exitCode(cloned)).toBe(6);
  expect(outdated.report.error?.(cloned)).toMatchObject({ hint: "Run `hugo ci` first: it fetches what is missing." });
});

test.each([
  ["a list", ["deep"]],
  ["true", true],
])("a dependency's bundled copies are not used, and the report says so: %s", async (_, bundleDependencies) => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0", files: { "index.js": "exports.deep = 'registry';\n" } });
  const manifest = { dependencies: { deep: "^1.0.0" }, bundleDependencies };
  const bundled = { "node_modules/deep/index.js": "exports.deep = 'bundled';\n" };
  registry.publish({ name: "tool", version: "1.0.0", manifest, files: bundled });
  registry.publish(needing("1.0.0", { tool: "^1.0.0" }));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  expect(hugo.asked[0]?.notes).toContain("Hugo takes the registry's releases instead of bundled copies: tool (deep).");
  expect(await project.read(`${await modulesOf(project)}/deep/index.js`)).toContain("registry");
});

test.each([
  ["a plugin with workflow.json", true],
  ["a plain plugin", false],
])("the copies that %s bundles are not used, and the report names them", async (_, hasManifest) => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0", files: { "index.js": "exports.deep = 'registry';\n" } });
  const base = needing("1.0.0", { deep: "^1.0.0" });
  const { "workflow.json": listed, ...code } = base.files ?? {};
  registry.publish({
    ...base,
    manifest: { ...base.manifest, keywords: ["opencode-plugin"], bundledDependencies: ["deep", "gone"] },
    files: { ...code, ...(hasManifest && { "workflow.json": listed! }), "node_modules/deep/index.js": "patched" },
  });
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install("@org/review");
  expect(hugo.asked[0]?.notes).toContain('Left out of @org/review 1.0.0: folder "node_modules" (with deep)');
  expect(hugo.asked[0]?.notes).toContain(
    "Hugo takes the registry's releases instead of bundled copies: @org/review (deep).",
  );
  expect(await project.read(`${await modulesOf(project)}/deep/index.js`)).toContain("registry");
});

test("`hugo list` says after a clone that a plugin is missing, until `hugo ci` has fetched it", async () => {
  await using at = await installed();
  const show = async () => await list.run(at.hugo.context, all);
  expect((await show()).workflows[0]?.missing).toBeUndefined();
  await at.project.remove(".opencode/.hugo");
  const shown = await show();
  expect(list.report.text(shown, plain)).toMatch(/review +v1\.0\.0 +missing /);
  expect(list.report.notes(shown, plain)).toBe("OpenCode does not load what is missing. `hugo ci` fetches it.\n");
  await at.hugo.ci();
  expect(list.report.text(await show(), plain)).toMatch(/review +v1\.0\.0 +enabled /);
});
