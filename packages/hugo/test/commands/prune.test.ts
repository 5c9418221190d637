// What is no longer installed takes no space, and undo keeps its promise.
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { prune } from "../../src/commands/prune.ts";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { verify } from "../../src/commands/verify.ts";
import { copy, hugoIn, plugin } from "./hugo-project.ts";
import { plain } from "./quiet-context.ts";
import { contents, input } from "./workspace.ts";

const notes = { "agents/writer.md": "---\ndescription: Writes\n---\nWrite.\n" };
const store = ".opencode/.hugo/store";

test("prune deletes the packages that are no longer installed and says what that frees", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "tool", version: "1.0.0", files: { "big.js": "x".repeat(100_000) } });
  const needing = { ...plugin("1.0.0").manifest, dependencies: { tool: "1" } };
  registry.publish({ ...plugin("1.0.0"), manifest: needing }, copy("1.0.0", notes));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  await hugo.install(["@org/review", "@org/notes"]);
  const kept = readdirSync(project.path(store));
  expect(prune.report.text(await prune.run(hugo.context, { ...input, cache: false }), plain)).toBe(
    "There is nothing to prune.\n",
  );
  expect(readdirSync(project.path(store))).toEqual(kept);

  const installed = await contents(project);
  await remove.run(hugo.context, { ...input, name: ["review"] });
  expect(readdirSync(project.path(store))).toEqual(kept);
  const [name = ""] = kept.filter((entry) => entry.startsWith("review-"));

  const before = await project.tree();
  const preview = await prune.run(hugo.context, { ...input, dryRun: true, cache: true });
  expect(prune.report.text(preview, plain)).toMatch(
    /^Would delete 1 package from the store: 100\.\d kB\n {2}- review-[0-9a-f]{16} \(100\.\d kB\)\nWould delete 3 downloads from your cache: /,
  );
  expect(await project.tree()).toEqual(before);

  const done = await prune.run(hugo.context, { ...input, cache: false });
  expect(prune.report.json(done)).toMatchObject({ packages: [{ name }], bytes: preview.packages[0]?.bytes });
  expect(readdirSync(project.path(store))).toEqual(kept.filter((entry) => entry !== name));
  const cache = join(project.home, ".cache/hugo/tarballs");
  expect(readdirSync(cache)).toHaveLength(3);

  // Everything comes back but the package, and that is said.
  const undone = await undo.run(hugo.context, input);
  expect(undone.notices).toEqual(["Run `hugo ci` to fetch what is no longer in the store: review."]);
  expect(await contents(project)).toEqual(installed);
  await hugo.ci();
  const { workflows } = await verify.run(hugo.context, { ...input, name: undefined });
  expect(workflows.flatMap(({ differences }) => differences)).toEqual([]);
  expect(readdirSync(project.path(store))).toEqual(kept);

  expect((await prune.run(hugo.context, { ...input, cache: true })).cache?.tarballs).toBe(3);
  expect(existsSync(cache)).toBe(false);
});

test("prune leaves no trace where nothing is installed", async () => {
  await using project = await tmpProject();
  const before = await project.tree();
  const result = await prune.run(hugoIn(project).context, { ...input, cache: true });
  expect(prune.report.text(result, plain)).toBe("There is nothing to prune.\n");
  expect(await project.tree()).toEqual(before);
});

test("no command on one branch deletes what another branch needs, except prune, and there ci brings it back", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"), copy("1.0.0", notes), copy("1.0.0", { "agents/x.md": "---\n---\nX.\n" }, "other"));
  await using project = await tmpProject({ registry });
  const hugo = hugoIn(project);
  const git = async (command: string): Promise<void> => {
    const { code, stderr } = await project.run(["sh", "-c", command]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
  };
  const state = async (): Promise<string[]> =>
    (await project.tree(".opencode/.hugo")).filter((path) => /^(?:store|bases)\//.test(path));
  const isVerified = async (): Promise<boolean> =>
    verify.report.exitCode(await verify.run(hugo.context, { ...input, name: undefined })) === 0;

  await hugo.install(["@org/review", "@org/notes"]);
  await git("git add -A && git commit -qm both && git checkout -q -b other HEAD~1");
  const first = await state();
  await hugo.install("other");
  const both = await state();
  expect(both).toEqual(expect.arrayContaining(first));
  await git("git add -A && git commit -qm other");
  for (let i = 0; i < 3; i++) {
    await hugo.update();
    await hugo.ci();
    await remove.run(hugo.context, { ...input, name: ["other"] });
    await undo.run(hugo.context, input);
  }
  expect(await state()).toEqual(both);
  await undo.run(hugo.context, input);
  expect(await state()).toEqual(first);
  await git("git checkout -q main");
  expect(await isVerified()).toBe(true);

  await git("git checkout -q other");
  expect(prune.report.json(await prune.run(hugo.context, { ...input, cache: false }))).toMatchObject({
    packages: [{ name: expect.stringMatching(/^notes-/) }, { name: expect.stringMatching(/^review-/) }],
    contents: { count: expect.any(Number) },
  });
  await git("git checkout -q main");
  expect(await isVerified()).toBe(false);
  await hugo.ci();
  expect(await isVerified()).toBe(true);
  expect(await state()).toEqual(first);
});
