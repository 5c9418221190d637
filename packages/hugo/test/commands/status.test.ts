import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import type { LockedFile, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { disable } from "../../src/commands/disable.ts";
import { status } from "../../src/commands/status.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const files = {
  "agents/orchestrator.md": "one\n",
  "agents/reviewer.md": "two\n",
  "commands/check-coverage.md": "three\n",
  "skills/git-diff/SKILL.md": "four\n",
};

function withFile(workflow: LockedWorkflow, path: string, file: LockedFile): LockedWorkflow {
  if (workflow.delivery.kind !== "copy") throw new Error("It is a copy.");
  return {
    ...workflow,
    delivery: { ...workflow.delivery, files: new Map([...workflow.delivery.files, [path, file]]) },
  };
}

describe("status", () => {
  test("shows whether each file is clean, modified or deleted", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": copiedWorkflow("code-review", files) }, files);
    await project.write(".opencode/agents/reviewer.md", "edited\n");
    await project.remove(".opencode/commands/check-coverage.md");
    const result = await status.run(contextOf(project), { ...input, name: undefined });
    expect(status.report.text(result, page)).toBe(`Workflow: code-review v2.1.0 (@org/code-review-workflow)
  agents/orchestrator.md      clean
  agents/reviewer.md          modified
  commands/check-coverage.md  deleted
  skills/git-diff/SKILL.md    clean
`);
    expect(status.report.exitCode(result)).toBe(0);
    expect(status.report.notes(result, page)).toBe("");
  });

  test("shows files that were left out, so an incomplete install is visible", async () => {
    await using project = await tmpProject({ files: { ".opencode/agents/linter.md": "mine\n" } });
    const workflow = copiedWorkflow("code-review", files);
    const skipped: LockedFile = { kind: "skipped", source: "agents/linter.md" };
    await install(project, { "code-review": withFile(workflow, "agents/linter.md", skipped) }, files);
    const result = await status.run(contextOf(project), { ...input, name: "code-review" });
    expect(result.workflows).toMatchObject([{ complete: false }]);
    expect(status.report.text(result, page)).toMatch(/agents\/linter\.md +skipped\n/);
    expect(status.report.notes(result, page)).toContain(
      "code-review is incomplete: installation left out 1 file. To try again and see why: `hugo install --force @org/code-review-workflow`",
    );
  });

  test("shows a conflict until the version beside the file is gone", async () => {
    await using project = await tmpProject();
    const pending = hashOf("new\n");
    const file: LockedFile = { kind: "installed", source: "agents/reviewer.md", base: hashOf("two\n"), pending };
    const workflow = withFile(copiedWorkflow("code-review", files), "agents/reviewer.md", file);
    await install(project, { "code-review": workflow }, files);
    await project.write(".opencode/agents/reviewer.md", "mine\n");
    await project.write(".opencode/agents/reviewer.md.hugo-new", "new\n");
    const states = async () => {
      const result = await status.run(contextOf(project), { ...input, name: undefined });
      const reviewer = result.workflows[0]?.files.find(({ path }) => path === "agents/reviewer.md");
      return { state: reviewer?.state, notes: status.report.notes(result, page) };
    };
    const open = await states();
    expect(open.state).toBe("conflict");
    expect(open.notes).toContain("rm .opencode/agents/reviewer.md.hugo-new");
    const below = await status.run(
      { ...contextOf(project), cwd: project.path("src/deep") },
      { ...input, name: undefined },
    );
    expect(status.report.notes(below, page)).toContain("delete it: `rm ../../.opencode/agents/reviewer.md.hugo-new`");
    await project.remove(".opencode/agents/reviewer.md.hugo-new");
    expect(await states()).toEqual({ state: "modified", notes: "" });
    await project.write(".opencode/agents/reviewer.md", "new\n");
    expect((await states()).state).toBe("clean");
  });

  test("looks at parked files where they are parked", async () => {
    await using project = await tmpProject();
    await install(project, { "code-review": copiedWorkflow("code-review", files) }, files);
    await project.write(".opencode/agents/reviewer.md", "edited\n");
    await disable.run(contextOf(project), { ...input, all: false, name: ["code-review"] });
    const result = await status.run(contextOf(project), { ...input, name: undefined });
    expect(result.workflows[0]?.files.map(({ state }) => state)).toEqual(["clean", "modified", "clean", "clean"]);
    expect(status.report.text(result, page)).toStartWith(
      "Workflow: code-review v2.1.0 (@org/code-review-workflow) disabled\n",
    );
  });

  test("shows whether a plugin's entry has the installed version", async () => {
    const plugin = ["@org/review", "@org/lint@1.0.0"];
    await using project = await tmpProject({ files: { "opencode.json": { plugin } } });
    await install(project, { review: pluginWorkflow("review"), lint: pluginWorkflow("lint") });
    const result = await status.run(contextOf(project), { ...input, name: undefined });
    expect(status.report.text(result, page)).toBe(`Workflow: lint v1.0.0 (@org/lint)
  @org/lint@1.0.0 in opencode.json  clean

Workflow: review v1.0.0 (@org/review)
  @org/review in opencode.json  modified
`);
    expect(status.report.notes(result, page)).toContain(
      "opencode.json says @org/review, but hugo.json says @org/review@1.0.0. Next: `hugo install --force @org/review`,",
    );
  });
});
