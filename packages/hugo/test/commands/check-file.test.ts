// `.opencode/plugins/hugo-check.js` tells people who have only OpenCode that a clone lacks its plugins.
import { describe, expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { type Project, tmpProject } from "@atomic/testing/project";
import { ci } from "../../src/commands/ci.ts";
import { disable } from "../../src/commands/disable.ts";
import { health } from "../../src/commands/health.ts";
import { install } from "../../src/commands/install.ts";
import { remove } from "../../src/commands/remove.ts";
import { status } from "../../src/commands/status.ts";
import { undo } from "../../src/commands/undo.ts";
import { verify } from "../../src/commands/verify.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { copy, type Hugo, hugoIn, plugin, refusalOf } from "./hugo-project.ts";
import { common } from "./quiet-context.ts";
import { contents } from "./workspace.ts";

const page = { colour: false } as const;
const path = ".opencode/plugins/hugo-check.js";
const mine = "// Written by Hugo, and then edited by me\n";

async function world(): Promise<{ registry: NpmRegistry; project: Project; hugo: Hugo } & AsyncDisposable> {
  const registry = await npmRegistry();
  registry.publish(
    plugin("1.0.0"),
    plugin("1.0.0", {}, "@org/second"),
    copy("1.0.0", { "commands/note.md": "Note.\n" }),
  );
  const project = await tmpProject({ registry, files: { "opencode.json": '{ "plugin": [] }\n' } });
  return {
    registry,
    project,
    hugo: hugoIn(project),
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await registry[Symbol.asyncDispose]();
    },
  };
}

test("comes with the first plugin, goes with the last one, and every report and dry run says so", async () => {
  await using at = await world();
  const { project, hugo } = at;
  const before = await contents(project);
  const planned = await hugo.install("@org/review", { dryRun: true });
  expect(install.report.notes(planned, page)).toContain(
    `Would add ${path}: in a clone, it says which plugins are missing.`,
  );
  expect(await contents(project)).toEqual(before);
  const copied = await hugo.install("@org/notes");
  expect(copied.checkFile).toBeUndefined();
  expect(await project.exists(path)).toBe(false);
  const first = await hugo.install("@org/review");
  expect(install.report.json(first)).toMatchObject({ checkFile: { path, did: "added" } });
  expect(install.report.notes(first, page)).toContain(`Added ${path}: in a clone, it says which plugins are missing.`);
  expect(JSON.parse(await project.read(".opencode/hugo.json")).check).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect((await hugo.install("@org/second")).checkFile).toBeUndefined();

  const one = await remove.run(hugo.context, { ...common, name: ["review"] });
  expect(one.checkFile).toBeUndefined();
  const dry = await remove.run(hugo.context, { ...common, dryRun: true, name: ["second"] });
  expect(remove.report.notes(dry, page)).toContain(`Would remove ${path}, because no plugin is left.`);
  expect(await project.exists(path)).toBe(true);
  const last = await remove.run(hugo.context, { ...common, name: ["second", "notes"] });
  expect(remove.report.json(last)).toMatchObject({ checkFile: { path, did: "removed" } });
  expect(await project.exists(".opencode/plugins")).toBe(false);
  expect(await project.exists(".opencode/hugo.json")).toBe(false);
  await undo.run(hugo.context, common);
  expect(await project.exists(path)).toBe(true);
});

test("is verified, and restored by ci and by the next change", async () => {
  await using at = await world();
  const { project, hugo } = at;
  await hugo.install(["@org/review", "@org/second"]);
  const original = await project.read(path);
  const looks = async () => {
    const [verified, ill, now] = [
      await verify.run(hugo.context, { ...common, name: undefined }),
      await health.run(hugo.context, { ...common, name: undefined, all: false, static: true }),
      await status.run(hugo.context, { ...common, name: undefined }),
    ];
    return [
      verify.report.text(verified, page),
      health.report.notes(ill, page),
      status.report.notes(now, page),
      ...[verify.report.json(verified), health.report.json(ill), status.report.json(now)].map(
        (json) => (json as { checkFile: { state: string } }).checkFile.state,
      ),
    ];
  };
  const clean = await looks();
  expect(clean.slice(0, 3).join("")).not.toContain(path);
  expect(clean.slice(3)).toEqual(["clean", "clean", "clean"]);

  await project.remove(path);
  const gone = await looks();
  const said = `${path} is missing, so a clone without its plugins does not say that they are missing. \`hugo ci\` restores it.`;
  for (const text of gone.slice(0, 3)) expect(text).toContain(said);
  expect(gone[0]).toContain("all match hugo.json except the file above");
  expect(gone.slice(3)).toEqual(["deleted", "deleted", "deleted"]);
  const planned = await hugo.ci({ dryRun: true });
  expect(ci.report.notes(planned, page)).toContain(`Would add ${path}`);
  expect(await project.exists(path)).toBe(false);
  expect(ci.report.json(await hugo.ci())).toMatchObject({ checkFile: { path, did: "added" } });
  expect(await project.read(path)).toBe(original);
  expect((await hugo.ci()).checkFile).toBeUndefined();

  await project.remove(path);
  expect(await disable.run(hugo.context, { ...common, name: ["second"], all: false })).toMatchObject({
    checkFile: { did: "added" },
  });
  expect(await project.read(path)).toBe(original);

  await project.write(path, mine);
  const edited = await looks();
  for (const text of edited.slice(0, 3)) expect(text).toContain(`${path} is locally modified.`);
  expect(edited.slice(3)).toEqual(["modified", "modified", "modified"]);
  expect(edited[0]).toContain(`\n! ${path} is locally modified.\n`);
});

test("with an edit of yours, it is kept by every command, and left with the last plugin", async () => {
  await using at = await world();
  const { registry, project, hugo } = at;
  await hugo.install("@org/review");
  await project.write(path, mine);
  registry.publish(plugin("1.1.0"));
  await hugo.update();
  await hugo.install("@org/second");
  const kept = await hugo.ci();
  expect(ci.report.notes(kept, page)).toBe(`Keeping ${path} — locally modified.\n`);
  const strict = await hugo.ci({ strict: true });
  expect(ci.report.exitCode(strict)).toBe(1);
  expect(strict.differences).toEqual([
    { workflow: "hugo-check.js", message: `${path} has local edits`, hint: "delete it, then run `hugo ci`" },
  ]);
  expect(await project.read(path)).toBe(mine);
  const last = await remove.run(hugo.context, { ...common, name: ["review", "second"] });
  expect(remove.report.notes(last, page)).toContain(`Leaving ${path} — locally modified. Delete manually if desired.`);
  expect(await project.read(path)).toBe(mine);
  expect(await project.exists(".opencode/hugo.json")).toBe(false);

  // From now on it is not Hugo's.
  const again = await hugo.install("@org/review");
  expect(install.report.notes(again, page)).toContain(`Keeping ${path} — Hugo did not write it.`);
  expect((await verify.run(hugo.context, { ...common, name: undefined })).checkFile?.state).toBe("foreign");
  expect((await hugo.ci({ strict: true })).differences).toEqual([
    {
      workflow: "hugo-check.js",
      message: `${path} was not written by Hugo`,
      hint: "move it somewhere else, then run `hugo ci`",
    },
  ]);
  await remove.run(hugo.context, { ...common, name: ["review"] });
  expect(await project.read(path)).toBe(mine);
});

test("as an earlier Hugo wrote it, it is updated, because hugo.json knows it", async () => {
  await using at = await world();
  const { project, hugo } = at;
  await hugo.install("@org/review");
  const [current, lock] = [await project.read(path), JSON.parse(await project.read(".opencode/hugo.json"))];
  await project.write(path, "// Written by Hugo 0.0\n");
  await project.write(".opencode/hugo.json", { ...lock, check: hashOf("// Written by Hugo 0.0\n") });
  expect((await verify.run(hugo.context, { ...common, name: undefined })).checkFile?.state).toBe("clean");
  expect((await hugo.install("@org/second")).checkFile).toEqual({ path, did: "updated" });
  expect(await project.read(path)).toBe(current);
  // Before hugo.json knew it at all.
  const { check, ...unknown } = JSON.parse(await project.read(".opencode/hugo.json"));
  await project.write(".opencode/hugo.json", unknown);
  expect((await hugo.ci()).checkFile).toBeUndefined();
  expect(JSON.parse(await project.read(".opencode/hugo.json")).check).toBe(check);
});

describe("something in its way is refused before anything is fetched", () => {
  const ways: Record<string, { make: (project: Project) => Promise<unknown>; says: string }> = {
    "a folder in its place": {
      make: (project) => mkdir(project.path(path), { recursive: true }),
      says: "hugo-check.js is a folder, but Hugo needs a file there",
    },
    "a link in its place": {
      make: async (project) => {
        await project.write("own.js", "mine\n");
        await mkdir(project.path(".opencode/plugins"), { recursive: true });
        await symlink("../../own.js", project.path(path));
      },
      says: "hugo-check.js is a link, but Hugo needs a file there",
    },
    "a file called plugins": {
      make: (project) => project.write(".opencode/plugins", "mine\n"),
      says: "plugins is not a folder, but Hugo needs a folder there",
    },
    "a link called plugins that leads elsewhere": {
      make: async (project) => {
        await project.write("shared/own.js", "mine\n");
        await mkdir(project.path(".opencode"), { recursive: true });
        await symlink("../shared", project.path(".opencode/plugins"));
      },
      says: "plugins is a link that leads elsewhere, but Hugo needs a folder there",
    },
    "a link called plugins that points back to itself": {
      make: async (project) => {
        await mkdir(project.path(".opencode"), { recursive: true });
        await symlink("plugins", project.path(".opencode/plugins"));
      },
      says: "plugins is a broken link, but Hugo needs a folder there",
    },
    "a broken link called plugins": {
      make: async (project) => {
        await mkdir(project.path(".opencode"), { recursive: true });
        await symlink("nowhere", project.path(".opencode/plugins"));
      },
      says: "plugins is a broken link, but Hugo needs a folder there",
    },
  };

  test.each(Object.keys(ways))("%s", async (name) => {
    await using at = await world();
    const { registry, project, hugo } = at;
    const { make, says } = ways[name]!;
    await make(project);
    const asked = registry.requests.length;
    const before = await project.read("opencode.json");
    const error = await refusalOf(hugo.install("@org/review"));
    expect({ code: error.code, message: error.message.slice(-says.length) }).toEqual({
      code: "file-taken",
      message: says,
    });
    expect(error.hint).toEndWith("Nothing was changed.");
    expect(registry.requests.length).toBe(asked);
    expect(await project.read("opencode.json")).toBe(before);
    expect(await project.exists(".opencode/.hugo")).toBe(false);
  });

  test("also in an installed project, where removing the plugin still works", async () => {
    await using at = await world();
    const { registry, project, hugo } = at;
    await hugo.install("@org/review");
    await project.remove(path);
    await mkdir(project.path(path));
    const asked = registry.requests.length;
    for (const work of [hugo.update(), hugo.ci()]) expect((await refusalOf(work)).code).toBe("file-taken");
    expect(registry.requests.length).toBe(asked);
    const said = `${path} is a folder, so a clone without its plugins does not say that they are missing. Move it somewhere else, then run \`hugo ci\`.`;
    const verified = await verify.run(hugo.context, { ...common, name: undefined });
    expect(verified.checkFile).toEqual({ path, state: "blocked", because: `${path} is a folder` });
    expect(verify.report.text(verified, page)).toContain(`\n✗ ${said}\n`);
    expect(verify.report.exitCode(verified)).toBe(1);
    const found = await health.run(hugo.context, { ...common, name: undefined, all: false, static: true });
    expect(health.report.notes(found, page)).toContain(said);
    expect(health.report.exitCode(found)).toBe(1);
    const error = { code: "file-taken", message: `${path} is a folder` };
    expect([verify.report.error?.(verified), health.report.error?.(found)]).toMatchObject([error, error]);
    const result = await remove.run(hugo.context, { ...common, name: ["review"] });
    expect(remove.report.notes(result, page)).toContain(`Leaving ${path} — Hugo did not write it.`);
  });

  test("a folder for it that is a broken link is not mentioned when the plugin is removed", async () => {
    await using at = await world();
    const { project, hugo } = at;
    await hugo.install("@org/review");
    await project.remove(".opencode/plugins");
    await symlink("nowhere", project.path(".opencode/plugins"));
    const verified = await verify.run(hugo.context, { ...common, name: undefined });
    expect(verified.checkFile).toMatchObject({ state: "blocked", because: ".opencode/plugins is a broken link" });
    const result = await remove.run(hugo.context, { ...common, name: ["review"] });
    expect(remove.report.notes(result, page)).not.toContain("hugo-check.js");
  });

  test("a link to another folder in .opencode is not in its way", async () => {
    await using at = await world();
    const { project, hugo } = at;
    await project.write(".opencode/plugin/own.js", "export default async () => ({});\n");
    await symlink("plugin", project.path(".opencode/plugins"));
    await hugo.install("@org/review");
    expect(await project.exists(".opencode/plugin/hugo-check.js")).toBe(true);
    await remove.run(hugo.context, { ...common, name: ["review"] });
    expect(await project.exists(".opencode/plugin/hugo-check.js")).toBe(false);
  });
});
