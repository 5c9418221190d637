import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { remove } from "../../src/commands/remove.ts";
import { undo } from "../../src/commands/undo.ts";
import { contents, contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const files = { "agents/linter.md": "lint\n", "skills/lint/SKILL.md": "skill\n" };
const workflows = { lint: copiedWorkflow("lint", files), review: pluginWorkflow("review") };
const config = '{\n  "plugin": ["@org/review@1.0.0"] // mine\n}\n';

describe("undo", () => {
  test("undoes one change after the other, byte for byte, and says which", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows, files);
    await project.write(".opencode/agents/linter.md", "edited\n");
    const first = await contents(project);
    await disable.run(contextOf(project), { ...input, name: [], all: true });
    const second = await contents(project);
    await remove.run(contextOf(project), { ...input, name: ["lint", "review"] });

    const removal = await undo.run(contextOf(project), input);
    expect(undo.report.text(removal, page)).toStartWith("Undid: remove lint review\n");
    expect(await contents(project)).toEqual(second);
    const disabling = await undo.run(contextOf(project), input);
    expect(disabling.title).toBe("disable lint review");
    expect(undo.report.text(disabling, page)).toContain("  + .opencode/agents/linter.md\n");
    expect(await contents(project)).toEqual(first);
  });

  test("as a dry run shows what would be restored and writes nothing", async () => {
    await using project = await tmpProject({ files: { "opencode.json": config } });
    await install(project, workflows, files);
    await remove.run(contextOf(project), { ...input, name: ["lint"] });
    const before = await contents(project);
    const rehearsed = await undo.run(contextOf(project), { ...input, dryRun: true });
    expect(rehearsed.files).toContainEqual({ path: ".opencode/agents/linter.md", did: "brought-back" });
    expect(undo.report.text(rehearsed, page)).toStartWith("Would undo: remove lint\n");
    expect(undo.report.notes(rehearsed, page)).toBe("Dry run: nothing was written.\n");
    expect(await contents(project)).toEqual(before);
    const done = await undo.run(contextOf(project), input);
    expect({ ...rehearsed, dryRun: false }).toEqual(done);
  });

  test("refuses to destroy what was done since", async () => {
    await using project = await tmpProject();
    await install(project, workflows, files);
    await remove.run(contextOf(project), { ...input, name: ["lint"] });
    await project.write(".opencode/agents/linter.md", "new\n");
    const run = undo.run(contextOf(project), input);
    await expect(run).rejects.toMatchObject({ code: "undo-blocked" });
    expect(await project.read(".opencode/agents/linter.md")).toBe("new\n");
  });

  test("with nothing to undo says so", async () => {
    await using project = await tmpProject();
    await expect(undo.run(contextOf(project), input)).rejects.toMatchObject({ code: "nothing-to-undo" });
  });
});
