import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { tmpProject } from "@atomic/testing/project";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { FileChanges } from "../../src/hosts/file-changes.ts";

const left = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("atomic-changes-"));

test("a name that is not ASCII is in the diff as it is", async () => {
  await using project = await tmpProject({ git: true });
  const files = new FileChanges(project.dir);
  const first = await files.before();
  writeFileSync(project.path("note ü.txt"), "new\n");
  expect(await files.between(first!, (await files.now())!)).toContain("diff --git a/note ü.txt b/note ü.txt\n");
  files.dispose();
});

test("everything that changed is in the diff, and the repository is as it was", async () => {
  await using project = await tmpProject({
    git: true,
    files: { "kept.txt": "a\n", "gone.txt": "b\n", "dirty.txt": "c\n" },
  });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project.dir, encoding: "utf8" });
  writeFileSync(project.path("dirty.txt"), "c\nmine\n");
  const status = git("status", "--porcelain");
  const before = left();
  const files = new FileChanges(project.dir);
  const first = await files.before();
  expect(git("status", "--porcelain")).toBe(status);
  // Two changes on top of mine, a removal, a new file, a commit, and what belongs to Atomic.
  writeFileSync(project.path("kept.txt"), "a\nmore\n");
  git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qam", "two");
  writeFileSync(project.path("dirty.txt"), "c\nmine\ntheirs\n");
  rmSync(project.path("gone.txt"));
  writeFileSync(project.path("new.txt"), "new\n");
  mkdirSync(project.path(".atomic"));
  writeFileSync(project.path(".atomic/run"), "run\n");
  const diff = (await files.between(first!, (await files.now())!)) ?? "";
  expect([...diff.matchAll(/^diff --git a\/(\S+)/gm)].map(([, name]) => name)).toEqual([
    "dirty.txt",
    "gone.txt",
    "kept.txt",
    "new.txt",
  ]);
  expect(diff).toContain(" c\n mine\n+theirs\n");
  expect(await files.between(first!, first!)).toBeUndefined();
  files.dispose();
  expect(left()).toEqual(before);
  expect(git("diff", "--cached", "--name-only")).toBe("");
});

test("without git there is nothing, and nothing is made", async () => {
  await using folder = await temporaryFolder();
  const before = left();
  const files = new FileChanges(folder.path);
  expect(await files.before()).toBeUndefined();
  expect(left()).toEqual(before);
  files.dispose();
});
