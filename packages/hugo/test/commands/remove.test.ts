import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { remove } from "../../src/commands/remove.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { contents, contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const files = {
  "agents/orchestrator.md": "---\ndescription: Leads\n---\n",
  "agents/reviewer.md": "---\ndescription: Reviews\n---\n",
  "skills/git-diff/SKILL.md": "---\nname: git-diff\ndescription: Diffs\n---\n",
  "skills/git-diff/scripts/get-diff.sh": "#!/bin/sh\n",
};

const mine = "agents/reviewer.md";

/** As if one of its files had been there before. */
function adopting(workflow: LockedWorkflow, path: string): LockedWorkflow {
  if (workflow.delivery.kind !== "copy") throw new Error("Only copied files are adopted.");
  const file = workflow.delivery.files.get(path);
  if (file?.kind !== "installed") throw new Error(`${path} is not installed.`);
  const files = new Map([...workflow.delivery.files, [path, { ...file, adopted: true } as const]]);
  return { ...workflow, delivery: { ...workflow.delivery, files } };
}

describe("removing a plugin", () => {
  test("removes it from every file, however it is written, and keeps all other bytes", async () => {
    const texts = {
      "opencode.json": '{\n\t"$schema": "x", /* mine */\n\t"plugin": ["a", "@org/review@1.0.0"]\n}\n',
      ".opencode/opencode.jsonc": '{ "plugin": [["@org/review", { "x": 1 }], "b"] }',
    };
    await using project = await tmpProject({ files: texts });
    await install(project, { review: pluginWorkflow("review") });
    const result = await remove.run(contextOf(project), { ...input, name: ["review"] });
    expect(await contents(project)).toEqual({
      "opencode.json": texts["opencode.json"].replace(', "@org/review@1.0.0"', ""),
      ".opencode/opencode.jsonc": '{ "plugin": ["b"] }',
    });
    expect(remove.report.text(result, page)).toBe(
      'Removed workflow "review".\n  - @org/review in opencode.json\n  - @org/review in .opencode/opencode.jsonc\n',
    );
  });

  test.each([
    ["the array", '{ "$schema": "x", "model": "m" }\n'],
    ["the array with a comment beside it", '{\n  // mine\n  "$schema": "x"\n}\n'],
  ])("removes %s that Hugo made", async (_, text) => {
    await using project = await tmpProject({ files: { "opencode.json": text } });
    await install(project, { review: pluginWorkflow("review") });
    await enable.run(contextOf(project), { ...input, all: false, name: ["review"] });
    expect(await project.read("opencode.json")).toContain("plugin");
    await remove.run(contextOf(project), { ...input, name: ["review"] });
    expect(await contents(project)).toEqual({ "opencode.json": text });
  });

  test("removes the file that Hugo made", async () => {
    await using project = await tmpProject();
    await install(project, { review: pluginWorkflow("review") });
    await enable.run(contextOf(project), { ...input, all: false, name: ["review"] });
    await remove.run(contextOf(project), { ...input, name: ["review"] });
    expect(await contents(project)).toEqual({});
  });

  test("works for a disabled one, and moves up those that were disabled behind it", async () => {
    const specs = ["@org/a@1.0.0", "@org/c", "@org/b@1.0.0", "@org/c@1.0.0", "@org/d@1.0.0"];
    await using project = await tmpProject({ files: { "opencode.json": { $schema: "x", plugin: specs } } });
    const names = ["a", "b", "c", "d"];
    await install(project, Object.fromEntries(names.map((name) => [name, pluginWorkflow(name)])));
    const run = { ...input, all: false };
    await disable.run(contextOf(project), { ...run, name: ["a"] });
    await disable.run(contextOf(project), { ...run, name: ["c"] });
    await remove.run(contextOf(project), { ...input, name: ["b", "a"] });
    expect(await project.json("opencode.json")).toEqual({ $schema: "x", plugin: ["@org/d@1.0.0"] });
    await enable.run(contextOf(project), { ...run, name: ["c"] });
    expect(await project.json("opencode.json")).toEqual({
      $schema: "x",
      plugin: ["@org/c", "@org/c@1.0.0", "@org/d@1.0.0"],
    });
  });
});

describe("removing a copy", () => {
  test.each(["in place", "disabled"])("names the edited version beside a file, %s", async (how) => {
    const path = "agents/reviewer.md";
    await using project = await tmpProject();
    const workflow = copiedWorkflow("code-review", files);
    const records = new Map((workflow.delivery as Extract<typeof workflow.delivery, { kind: "copy" }>).files);
    records.set(path, { ...(records.get(path) as object), pending: hashOf("new\n") } as never);
    const delivery = { kind: "copy", parked: false, files: records } as const;
    await install(project, { "code-review": { ...workflow, delivery } }, files);
    await project.write(`.opencode/${path}.hugo-new`, "new, edited\n");
    await project.run(["rm", project.path(`.opencode/${path}`)]);
    const names = { ...input, name: ["code-review"] };
    if (how === "disabled") await disable.run(contextOf(project), { ...names, all: false });
    const result = await remove.run(contextOf(project), names);
    const place = how === "disabled" ? `hugo-disabled/code-review/${path}` : path;
    expect(await contents(project)).toEqual({ [`.opencode/${place}.hugo-new`]: "new, edited\n" });
    expect(result.workflows[0]?.left).toEqual([{ path: `${place}.hugo-new`, because: "modified", owners: [] }]);
    expect(remove.report.notes(result, page)).toContain(`Leaving .opencode/${place}.hugo-new`);
  });

  test("deletes clean files, keeps edited ones and says so", async () => {
    await using project = await tmpProject({ files: { ".opencode/agents/mine.md": "mine\n" } });
    await install(project, { "code-review": copiedWorkflow("code-review", files) }, files);
    await project.write(".opencode/agents/reviewer.md", "edited\n");
    const result = await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    expect(await contents(project)).toEqual({
      ".opencode/agents/mine.md": "mine\n",
      ".opencode/agents/reviewer.md": "edited\n",
    });
    expect(remove.report.text(result, page).split("\n")[0]).toBe(
      'Removed workflow "code-review". 1 file left in place (locally modified).',
    );
    expect(remove.report.notes(result, page)).toBe(
      "Warning: Leaving .opencode/agents/reviewer.md — locally modified. Delete manually if desired.\n" +
        "Restart OpenCode to see the change.\n",
    );
    expect(remove.report.exitCode(result)).toBe(0);
  });

  test("removes empty skill folders, but not one that contains something else", async () => {
    await using project = await tmpProject({ files: { ".opencode/skills/git-diff/notes.txt": "mine\n" } });
    await install(project, { "code-review": copiedWorkflow("code-review", files) }, files);
    await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    expect(await project.tree(".opencode/skills")).toEqual(["git-diff/notes.txt"]);
  });

  test("removes parked files, and leaves parked edits where they are", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": copiedWorkflow("code-review", files) }, files);
    await project.write(".opencode/agents/reviewer.md", "edited\n");
    await disable.run(contextOf(project), { ...input, all: false, name: ["code-review"] });
    const result = await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    const left = "hugo-disabled/code-review/agents/reviewer.md";
    expect(await contents(project)).toEqual({ [`.opencode/${left}`]: "edited\n" });
    expect(result.workflows).toMatchObject([{ left: [{ path: left, because: "modified" }] }]);
    expect(remove.report.notes(result, page)).not.toContain("Restart OpenCode");
  });

  test("keeps a file that existed before, and says so", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": adopting(copiedWorkflow("code-review", files), mine) }, files);
    const result = await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    expect(await contents(project)).toEqual({ [`.opencode/${mine}`]: files[mine] });
    expect(remove.report.text(result, page).split("\n")[0]).toBe(
      'Removed workflow "code-review". 1 file left in place (already there).',
    );
    expect(remove.report.notes(result, page)).toContain(
      `Leaving .opencode/${mine} — it existed before "code-review" was installed.`,
    );
  });

  test("brings a parked file back that was there before", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": adopting(copiedWorkflow("code-review", files), mine) }, files);
    await disable.run(contextOf(project), { ...input, all: false, name: ["code-review"] });
    const result = await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    expect(await contents(project)).toEqual({ [`.opencode/${mine}`]: files[mine] });
    expect(result.workflows).toMatchObject([{ left: [{ path: mine, because: "adopted" }] }]);
    expect(result.workflows[0]?.deleted).not.toContain(mine);
  });

  test("leaves such a file parked if its place is occupied", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": adopting(copiedWorkflow("code-review", files), mine) }, files);
    await disable.run(contextOf(project), { ...input, all: false, name: ["code-review"] });
    await project.write(`.opencode/${mine}`, "another\n");
    await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    expect(await contents(project)).toEqual({
      [`.opencode/${mine}`]: "another\n",
      [`.opencode/hugo-disabled/code-review/${mine}`]: files[mine],
    });
  });

  test("keeps a file that another workflow uses, and removes it with the last one", async () => {
    const shared = { "agents/both.md": "---\ndescription: Both\n---\n" };
    await using project = await tmpProject();
    await install(project, { a: copiedWorkflow("a", shared), b: copiedWorkflow("b", shared) }, shared);
    const result = await remove.run(contextOf(project), { ...input, name: ["a"] });
    expect(remove.report.text(result, page)).toBe('Removed workflow "a". 1 file left in place (shared).\n');
    expect(remove.report.notes(result, page)).toContain('it also belongs to "b"');
    expect(await project.exists(".opencode/agents/both.md")).toBe(true);
    await remove.run(contextOf(project), { ...input, name: ["b"] });
    expect(await contents(project)).toEqual({});
  });

  test("removes a shared file if all its workflows are removed at once", async () => {
    const shared = { "agents/both.md": "---\ndescription: Both\n---\n" };
    await using project = await tmpProject();
    await install(project, { a: copiedWorkflow("a", shared), b: copiedWorkflow("b", shared) }, shared);
    await remove.run(contextOf(project), { ...input, name: ["a", "b"] });
    expect(await contents(project)).toEqual({});
  });
});

describe("remove", () => {
  test("accepts the package's name as well", async () => {
    await using project = await tmpProject();
    await install(project, { review: pluginWorkflow("review") });
    const { workflows } = await remove.run(contextOf(project), { ...input, name: ["@org/review"] });
    expect(workflows).toMatchObject([{ name: "review" }]);
  });

  test("names all wrong names at once and changes nothing", async () => {
    await using project = await tmpProject();
    await install(project, { review: pluginWorkflow("review") });
    const before = await contents(project);
    const run = remove.run(contextOf(project), { ...input, name: ["review", "a", "b"] });
    await expect(run).rejects.toMatchObject({ message: 'Workflow not found: "a", "b"', exitCode: 1 });
    expect(await contents(project)).toEqual(before);
  });

  test("as a dry run reports the same and writes nothing", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": copiedWorkflow("code-review", files) }, files);
    const before = await project.tree();
    const rehearsed = await remove.run(contextOf(project), { ...input, dryRun: true, name: ["code-review"] });
    expect(await project.tree()).toEqual(before);
    const done = await remove.run(contextOf(project), { ...input, name: ["code-review"] });
    expect({ ...rehearsed, dryRun: false }).toEqual(done);
    expect(remove.report.text(rehearsed, page)).toStartWith('Would remove workflow "code-review".\n');
  });
});
