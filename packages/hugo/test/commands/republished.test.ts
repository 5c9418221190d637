// The same version with other bytes, and versions that would go back: neither happens without a word.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { outdated } from "../../src/commands/outdated.ts";
import { update } from "../../src/commands/update.ts";
import { commands } from "../../src/commands.ts";
import { describeDependencies } from "../../src/trust/changed-dependencies.ts";
import { hugo } from "../cli/hugo.ts";
import { hugoIn, plugin } from "./hugo-project.ts";
import { plain } from "./quiet-context.ts";
import { input } from "./workspace.ts";

setDefaultTimeout(120_000);

/** Hugo in a project, at the end of a pipe or on a terminal. */
async function run({ dir: cwd, home, env }: Project, words: string, more: object = {}) {
  const { code, stdout, stderr } = await hugo(words.split(" "), { table: commands, cwd, home, env, ...more });
  return { code, stdout, stderr, said: stderr.replace(/\s+/g, " ") };
}

function needing(version: string, dependencies: Record<string, string>) {
  const base = plugin(version);
  return { ...base, manifest: { ...base.manifest, dependencies } };
}

function again(registry: NpmRegistry, name: string, version: string, text: string): void {
  registry.unpublish(name, version);
  registry.publish({ name, version, files: { "index.js": text } });
}

async function versionsIn(project: Project): Promise<Record<string, string>> {
  const lock = (await project.json(".opencode/hugo.json")) as {
    workflows: { review: { dependencies: Record<string, string> } };
  };
  const all = Object.entries(lock.workflows.review.dependencies);
  return Object.fromEntries(all.map(([path, text]) => [path, text.split(" ")[0] ?? ""]));
}

const all = { ...input, name: undefined, exitCode: true };
const OFTEN = "deep 1.0.0, which it depends on, has different content than when it was installed";

test.each(["install @org/review --force", "update"])(
  "%s --yes does not cover a dependency that was published again; the hash of its report does",
  async (command) => {
    await using registry = await npmRegistry();
    registry.publish({ name: "deep", version: "1.0.0" });
    registry.publish({ name: "tool", version: "1.0.0", manifest: { dependencies: { deep: "^1.0.0" } } });
    registry.publish(needing("1.0.0", { tool: "^1.0.0" }));
    await using project = await tmpProject({ registry });
    expect((await run(project, "install @org/review --yes")).code).toBe(0);
    const before = await project.read(".opencode/hugo.json");
    again(registry, "deep", "1.0.0", "evil();\n");
    const refused = await run(project, `${command} --yes`);
    expect(refused.code).toBe(4);
    expect(refused.said).toContain(OFTEN);
    expect(await project.read(".opencode/hugo.json")).toBe(before);

    const asked = await run(project, command, { columns: 100, answers: ["n"] });
    expect(asked.stderr).toContain("published again with different content: deep 1.0.0");
    expect(asked.stderr).not.toContain("under another name");

    const [, printed = ""] = /then run `hugo (.+? --yes=[0-9a-f-]+)`/.exec(refused.said) ?? [];
    expect((await run(project, printed)).code).toBe(0);
    expect(await project.read(".opencode/hugo.json")).not.toBe(before);
    // What was accepted is now the locked one.
    expect((await run(project, `${command} --yes`)).code).toBe(0);
  },
);

test("a dependency that was published again is noticed wherever it now is", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0" }, { name: "deep", version: "2.0.0" });
  registry.publish({ name: "tool", version: "1.0.0", manifest: { dependencies: { deep: "^1.0.0" } } });
  registry.publish(needing("1.0.0", { tool: "^1.0.0" }));
  await using project = await tmpProject({ registry });
  await run(project, "install @org/review --yes");
  expect(Object.keys(await versionsIn(project))).toEqual(["deep", "tool"]);
  again(registry, "deep", "1.0.0", "evil();\n");
  registry.publish(needing("1.1.0", { deep: "2.0.0", tool: "^1.0.0" }));
  const refused = await run(project, "update --yes");
  expect({ code: refused.code, isSaid: refused.said.includes(OFTEN) }).toEqual({ code: 4, isSaid: true });
});

test("without a terminal, content that changed under its version is named", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  await run(project, "install @org/review --yes");
  registry.unpublish("@org/review", "1.0.0");
  registry.publish(plugin("1.0.0", { "index.js": "export default async () => ({ evil: 1 });\n" }));
  for (const option of ["", " --yes"]) {
    const refused = await run(project, `install @org/review --force${option}`);
    expect(refused.code).toBe(4);
    expect(refused.said).toContain("its content has changed since it was installed, though its version has not");
  }
});

test("an update keeps a dependency that was accepted with --allow-new, and so does outdated", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0" });
  registry.publish({ name: "deep", version: "1.0.1", time: new Date().toISOString() });
  registry.publish(needing("1.0.0", { deep: "^1.0.0" }));
  await using project = await tmpProject({ registry });
  const it = hugoIn(project);
  await it.install("@org/review", { allowNew: true });
  expect(await versionsIn(project)).toEqual({ deep: "1.0.1" });
  expect(outdated.report.text(await outdated.run(it.context, all), plain)).toBe("Everything is up to date.\n");
  expect((await it.update()).updated).toEqual([]);

  registry.publish(needing("1.1.0", { deep: "^1.0.0" }));
  expect((await it.update()).updated).toHaveLength(1);
  expect(await versionsIn(project)).toEqual({ deep: "1.0.1" });
  // Neither a tag that moved back nor a deprecation takes it away.
  registry.tag("deep", "latest", "1.0.0");
  registry.deprecate("deep", "1.0.1", "Use another one.");
  expect((await it.update()).updated).toEqual([]);
  await it.install("@org/review", { force: true });
  expect(await versionsIn(project)).toEqual({ deep: "1.0.1" });
});

test.each<[string, (registry: NpmRegistry) => void]>([
  ["its range", (registry) => registry.publish(needing("1.1.0", { deep: "1.0.0" }))],
  ["a release that is gone", (registry) => registry.unpublish("deep", "1.0.1")],
])("an older dependency is taken only because of %s, and the update says so", async (_, change) => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0" }, { name: "deep", version: "1.0.1" });
  registry.publish(needing("1.0.0", { deep: "^1.0.0" }));
  await using project = await tmpProject({ registry });
  const it = hugoIn(project);
  await it.install("@org/review");
  change(registry);
  const result = await it.update();
  const said = "review: older dependencies, because newer ones are gone or out of range: deep 1.0.1 → 1.0.0.";
  expect(result.notices).toContain(said);
  expect(update.report.notes(result, plain)).toContain(said);
});

test("the hash of a report covers every dependency, also those that it only counts", async () => {
  await using registry = await npmRegistry();
  const names = ["a", "b", "c", "d", "e"].map((name) => `dep-${name}`);
  for (const name of names) registry.publish({ name, version: "1.0.0" });
  registry.publish(needing("1.0.0", Object.fromEntries(names.map((name) => [name, "^1.0.0"]))));
  await using project = await tmpProject({ registry });
  const dry = async () =>
    /--yes=([0-9a-f-]+)/.exec((await run(project, "install @org/review --dry-run")).said)?.[1] ?? "";
  const first = await dry();
  again(registry, "dep-e", "1.0.0", "evil();\n");
  const second = await dry();
  registry.publish({ name: "dep-d", version: "1.0.1" });
  const third = await dry();
  expect(new Set([first, second, third]).size).toBe(3);
  for (const hash of [first, second]) expect((await run(project, `install @org/review --yes=${hash}`)).code).toBe(4);
  const listed = await run(project, "install @org/review --details");
  expect(listed.said).toContain("dep-a 1.0.0, dep-b 1.0.0, dep-c 1.0.0, dep-d 1.0.1, dep-e 1.0.0.");
  expect((await run(project, `install @org/review --yes=${third}`)).code).toBe(0);
});

test("reinstalling a plugin does not run the new code of a dependency before you approve it", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0" });
  const manifest = { main: "i.js", type: "module", engines: { opencode: "*" }, dependencies: { deep: "^1.0.0" } };
  registry.publish({
    name: "helper",
    version: "1.0.0",
    manifest,
    files: { "i.js": "export const P = async () => ({});\n" },
  });
  await using project = await tmpProject({ registry, env: { HUGO_OPENCODE: "/not/there/opencode" } });
  expect((await run(project, "install helper --yes")).code).toBe(0);
  expect((await run(project, "install helper --force")).code).toBe(0);
  registry.publish({ name: "deep", version: "1.0.1" });
  const refused = await run(project, "install helper --force");
  expect(refused.code).toBe(4);
  expect(refused.said).toContain("helper: changed dependencies: deep 1.0.0 → 1.0.1.");
});

test("a reinstallation that goes back to an older version says so", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), plugin("1.1.0"));
  await using project = await tmpProject({ registry });
  expect((await run(project, "install @org/review --yes")).code).toBe(0);
  registry.tag("@org/review", "latest", "1.0.0");
  const older = await run(project, "install @org/review --force", { columns: 100, answers: ["n"] });
  expect(older.said).toContain("It is older than v1.1.0, which it replaces.");
});

test("a dependency that is left in one of its two versions is not an older one", () => {
  const locked = (versions: Record<string, string>) =>
    new Map(Object.entries(versions).map(([path, version]) => [path, { version, integrity: `sha512-${version}` }]));
  const two = locked({ deep: "2.0.0", "tool/node_modules/deep": "1.0.0" });
  expect(describeDependencies("review", two, locked({ deep: "1.0.0" }))).toEqual([
    "review: changed dependencies: deep 1.0.0 and 2.0.0 → 1.0.0.",
  ]);
  expect(describeDependencies("review", two, locked({ deep: "1.5.0" }))).toEqual([
    "review: older dependencies, because newer ones are gone or out of range: deep 1.0.0 and 2.0.0 → 1.5.0.",
  ]);
});

test("outdated notices a version and a dependency that were published again", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "deep", version: "1.0.0" });
  registry.publish(needing("1.0.0", { deep: "^1.0.0" }));
  await using project = await tmpProject({ registry });
  const it = hugoIn(project);
  await it.install("@org/review");
  again(registry, "deep", "1.0.0", "evil();\n");
  const deep = await run(project, "outdated --exit-code");
  expect(deep.code).toBe(1);
  expect(deep.stdout).toMatch(/^review +v1\.0\.0 +v1\.0\.0 +v1\.0\.0/m);
  expect(deep.said).toContain("review: published again with different content: deep 1.0.0.");

  registry.unpublish("@org/review", "1.0.0");
  registry.publish({ ...needing("1.0.0", {}), files: { "index.js": "export default async () => ({});\n" } });
  const own = await run(project, "outdated --exit-code");
  expect(own.code).toBe(1);
  expect(own.said).toContain(
    "review v1.0.0 was published again with different content, so `hugo update` refuses it. Review it first: `hugo info @org/review@1.0.0`",
  );
  expect(own.said).not.toContain("installs the wanted versions");
  expect(JSON.parse((await run(project, "outdated --json")).stdout)).toMatchObject({
    workflows: [{ name: "review", outdated: true, republished: true }],
  });
  expect(JSON.parse((await run(project, "outdated --exit-code --json")).stdout)).toMatchObject({
    error: { hint: "Review what was published again before you install it: `hugo info @org/review@1.0.0`." },
  });
});
