import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import type { LockedFile, LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { diff } from "../../src/commands/diff.ts";
import { disable } from "../../src/commands/disable.ts";
import { hashOf } from "../../src/packages/hash.ts";
import { contextOf, copiedWorkflow, input, install, pluginWorkflow } from "./workspace.ts";

const page = { colour: false } as const;
const files = { "agents/reviewer.md": "one\ntwo\nthree\n", "agents/other.md": "other\n" };

describe("diff", () => {
  test("shows local edits as a patch that git can revert", async () => {
    await using project = await tmpProject();
    await install(project, { review: copiedWorkflow("review", files) }, files);
    await project.write(".opencode/agents/reviewer.md", "one\nTWO\nthree\n");
    const result = await diff.run(contextOf(project), { ...input, name: undefined });
    const patch = diff.report.text(result, page);
    expect(patch).toBe(`# review v2.1.0: local edits
--- a/.opencode/agents/reviewer.md
+++ b/.opencode/agents/reviewer.md
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
`);
    const applied = await project.run(["git", "apply", "--reverse"], { stdin: patch });
    expect(applied).toMatchObject({ code: 0 });
    expect(await project.read(".opencode/agents/reviewer.md")).toBe(files["agents/reviewer.md"]);
    expect(diff.report.exitCode(result)).toBe(0);
  });

  test("shows both the user's and the update's changes in a conflict", async () => {
    await using project = await tmpProject();
    const workflow = copiedWorkflow("review", files);
    if (workflow.delivery.kind !== "copy") throw new Error("It is a copy.");
    const base = hashOf(files["agents/reviewer.md"]);
    const file = { kind: "installed", source: "agents/reviewer.md", base, pending: hashOf("one\n2\nthree\n") } as const;
    const delivery = { ...workflow.delivery, files: new Map([["agents/reviewer.md", file]]) };
    await install(project, { review: { ...workflow, delivery } satisfies LockedWorkflow }, files);
    await project.write(".opencode/agents/reviewer.md", "one\nTWO\nthree\n");
    await project.write(".opencode/agents/reviewer.md.hugo-new", "one\n2\nthree\n");
    const result = await diff.run(contextOf(project), { ...input, name: undefined });
    expect(result.files.map(({ side }) => side)).toEqual(["local", "update"]);
    const text = diff.report.text(result, page);
    expect(text).toContain("# review v2.1.0: an update that could not be merged\n");
    expect(text).toEndWith(
      "# +++ b/.opencode/agents/reviewer.md.hugo-new\n# @@ -1,3 +1,3 @@\n#  one\n# -two\n# +2\n#  three\n",
    );
    // What git takes of it is what the user changed.
    expect(await project.run(["git", "apply", "--reverse"], { stdin: text })).toMatchObject({ code: 0 });
    expect(await project.read(".opencode/agents/reviewer.md")).toBe(files["agents/reviewer.md"]);
    expect(await project.exists(".opencode/agents/reviewer.md.hugo-new")).toBe(true);
  });

  test("has one heading for all local edits, also with a conflict between them", async () => {
    await using project = await tmpProject();
    const names = ["a", "b", "c"].map((name) => `agents/${name}.md`);
    const three = Object.fromEntries(names.map((name) => [name, "one\n"]));
    const workflow = copiedWorkflow("review", three);
    if (workflow.delivery.kind !== "copy") throw new Error("It is a copy.");
    const recorded = new Map(workflow.delivery.files);
    const conflict = { ...recorded.get("agents/b.md"), pending: hashOf("two\n") } as LockedFile;
    const delivery = { ...workflow.delivery, files: recorded.set("agents/b.md", conflict) };
    await install(project, { review: { ...workflow, delivery } }, three);
    for (const name of names) await project.write(`.opencode/${name}`, "mine\n");
    await project.write(".opencode/agents/b.md.hugo-new", "two\n");
    const result = await diff.run(contextOf(project), { ...input, name: undefined });
    const lines = diff.report.text(result, page).split("\n");
    expect(lines.filter((line) => /^(# review|(# )?\+\+\+)/.test(line))).toEqual([
      "# review v2.1.0: local edits",
      "+++ b/.opencode/agents/a.md",
      "+++ b/.opencode/agents/b.md",
      "+++ b/.opencode/agents/c.md",
      "# review v2.1.0: an update that could not be merged",
      "# +++ b/.opencode/agents/b.md.hugo-new",
    ]);
  });

  test("shows a deleted file as a patch that git applies in both directions", async () => {
    await using project = await tmpProject();
    const both = { ...files, "skills/s/.keep": "" };
    await install(project, { review: copiedWorkflow("review", both) }, both);
    await project.remove(".opencode/agents/reviewer.md");
    await project.remove(".opencode/skills/s/.keep");
    const patch = diff.report.text(await diff.run(contextOf(project), { ...input, name: undefined }), page);
    expect(patch).toBe(`# review v2.1.0: local edits
diff --git a/.opencode/agents/reviewer.md b/.opencode/agents/reviewer.md
deleted file mode 100644
--- a/.opencode/agents/reviewer.md
+++ /dev/null
@@ -1,3 +0,0 @@
-one
-two
-three
diff --git a/.opencode/skills/s/.keep b/.opencode/skills/s/.keep
deleted file mode 100644
`);
    const apply = async (...flags: string[]) => (await project.run(["git", "apply", ...flags], { stdin: patch })).code;
    expect(await apply("--reverse")).toBe(0);
    expect(await project.read(".opencode/agents/reviewer.md")).toBe(files["agents/reviewer.md"]);
    expect(await apply()).toBe(0);
    expect(await project.exists(".opencode/agents/reviewer.md")).toBe(false);
  });

  test("looks at parked files too", async () => {
    await using project = await tmpProject();
    await install(project, { review: copiedWorkflow("review", files) }, files);
    await project.write(".opencode/agents/other.md", "mine\n");
    await disable.run(contextOf(project), { ...input, all: false, name: ["review"] });
    const { files: found } = await diff.run(contextOf(project), { ...input, name: "review" });
    expect(found.map(({ path }) => path)).toEqual(["hugo-disabled/review/agents/other.md"]);
  });

  test("reports what cannot be shown: binary files and missing bases", async () => {
    await using project = await tmpProject();
    const more = { ...files, "skills/s/logo.png": "\x89PNG\0", "skills/s/old.png": "\0" };
    await install(project, { review: copiedWorkflow("review", more) }, more);
    await project.remove(".opencode/skills/s/old.png");
    await project.write(".opencode/skills/s/logo.png", "other\0");
    await project.write(".opencode/agents/other.md", "mine\n");
    await project.remove(`.opencode/.hugo/bases/${hashOf("other\n").slice(7)}`);
    const result = await diff.run(contextOf(project), { ...input, name: undefined });
    expect(result.files.map(({ change }) => change.kind)).toEqual(["unknown-base", "binary", "deleted"]);
    expect(diff.report.text(result, page)).toBe(`# review v2.1.0: local edits
# .opencode/agents/other.md differs, but the package's version is not in the store
# .opencode/skills/s/logo.png differs, but is not text
# .opencode/skills/s/old.png was deleted
`);
    expect(diff.report.notes(result, page)).toContain("hugo ci");
  });

  test("keeps lines that end with a carriage return, and makes other control characters visible", async () => {
    await using project = await tmpProject();
    await install(project, { review: copiedWorkflow("review", files) }, files);
    await project.write(".opencode/agents/other.md", "a\tb\r\n\x1b[31mred\n");
    const result = await diff.run(contextOf(project), { ...input, name: undefined });
    expect(diff.report.text(result, page)).toEndWith("-other\n+a\tb\r\n+\\x1b[31mred\n");
  });

  test("without local edits prints nothing but a note", async () => {
    await using project = await tmpProject();
    await install(project, { review: copiedWorkflow("review", files), plug: pluginWorkflow("plug") }, files);
    const result = await diff.run(contextOf(project), { ...input, name: undefined });
    expect(diff.report.text(result, page)).toBe("");
    expect(diff.report.notes(result, page)).toBe("No local edits.\n");
  });
});
