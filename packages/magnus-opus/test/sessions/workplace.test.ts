import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { folderOf, realPath, runPlace, workplaceOf } from "../../src/sessions/workplace.ts";

test("links are followed, even to files that do not exist yet", async () => {
  await using project = await tmpProject({ git: false, files: { "src/a.ts": "", "../outside/b.ts": "" } });
  const from = project.dir;
  symlinkSync(project.path("../outside"), project.path("door"));
  symlinkSync("../outside/new.ts", project.path("later.ts"));
  symlinkSync("later.ts", project.path("chain.ts"));
  symlinkSync("loop", project.path("loop"));
  expect(realPath("src/a.ts", from)).toBe(project.path("src/a.ts"));
  expect(realPath("src/../src/new/deep.ts", from)).toBe(project.path("src/new/deep.ts"));
  expect(realPath("door/b.ts", from)).toBe(project.path("../outside/b.ts"));
  expect(realPath("door/new.ts", from)).toBe(project.path("../outside/new.ts"));
  expect(realPath("later.ts", from)).toBe(project.path("../outside/new.ts"));
  expect(realPath("chain.ts", from)).toBe(project.path("../outside/new.ts"));
  expect(realPath("src/a.ts/not-a-folder.ts", from)).toBe(project.path("src/a.ts/not-a-folder.ts"));
  expect(() => realPath("loop", from)).toThrow();
});

test("the worktree is the repository, or the folder itself", async () => {
  await using project = await tmpProject({ git: false, files: { "apps/web/package.json": {}, "other/x": "" } });
  const web = project.path("apps/web");
  expect(workplaceOf({ directory: web, worktree: project.dir })).toEqual({ directory: web, worktree: project.dir });
  expect(workplaceOf({ directory: web, worktree: "/" })).toEqual({ directory: web, worktree: web });
  expect(workplaceOf({ directory: web, worktree: project.path("other") }).worktree).toBe(web);
  symlinkSync(web, project.path("short"));
  expect(workplaceOf({ directory: project.path("short"), worktree: "/" })).toEqual({ directory: web, worktree: web });
  const workplace = workplaceOf({ directory: web, worktree: project.dir });
  expect(folderOf(workplace, "impl-1")).toBe("apps/web/ai-docs/sessions/impl-1");
  expect(runPlace(workplace, "impl-1").journal).toBe(project.path("apps/web/ai-docs/sessions/impl-1/journal.jsonl"));
});
