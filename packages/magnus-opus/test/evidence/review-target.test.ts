import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { reviewTarget } from "../../src/evidence/review-target.ts";

let project: Project;
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...args], {
    cwd: project.dir,
    encoding: "utf8",
  });
const target = async (words: string, directory = project.dir): Promise<string> => {
  const found = await reviewTarget(words, { worktree: project.dir, directory });
  return "about" in found ? found.about : `refused: ${found.problem}`;
};

beforeAll(async () => {
  project = await tmpProject({ files: { "src/ü b.ts": "1\n", "src/a.ts": "1\n", "README.md": "1\n" } });
  git("add", "-A");
  git("commit", "-qm", "one", "--allow-empty");
  git("branch", "before");
  await project.write("src/a.ts", "2\n");
  git("commit", "-qam", "two");
  symlinkSync("/etc", project.path("away"));
});
afterAll(() => project[Symbol.asyncDispose]());

test.each([
  ["src/a.ts", "`src/a.ts`"],
  ["src/ü b.ts", "`src/ü b.ts`"],
  ['"src/ü b.ts" src/a.ts', "`src/ü b.ts`, `src/a.ts`"],
  ["src", "`src`"],
  [".", "the whole project"],
  ["before..HEAD", "the changes in `before..HEAD` (`git diff before..HEAD`)"],
  ["before...", "the changes in `before...` (`git diff before...`)"],
  ["before", "the changes since `before` (`git diff before`)"],
  ["HEAD~1", "the changes since `HEAD~1` (`git diff HEAD~1`)"],
  ["HEAD..HEAD", "refused: There are no changes in HEAD..HEAD."],
  ["scr/a.ts", 'refused: There is no file, folder or range of commits "scr/a.ts". Did you mean src/a.ts?'],
  ["nowhere..HEAD", 'refused: There is no file, folder or range of commits "nowhere..HEAD". Name a file'],
  ["src/a.ts the login", 'refused: There is no file, folder or range of commits "the".'],
  ["--output=x", "refused: There is no file"],
  ["-Ox", "refused: There is no file"],
  ["before..HEAD --stat", "refused: There is no file"],
  ["/etc", 'refused: "/etc" is outside the project.'],
  ["../..", 'refused: "../.." is outside the project.'],
  ["away/passwd", 'refused: "away/passwd" is outside the project.'],
])("%s", async (words, expected) => {
  expect(await target(words)).toStartWith(expected);
});

test("a path is read from where OpenCode was started", async () => {
  expect(await target("a.ts", project.path("src"))).toBe("`src/a.ts`");
});

test("the uncommitted changes are meant if nothing is named, and there must be some", async () => {
  await using clean = await tmpProject({ git: false, files: { "a.ts": "1\n" } });
  const place = { worktree: clean.dir, directory: clean.dir };
  const run = (...args: readonly string[]) => execFileSync("git", args, { cwd: clean.dir });
  run("init", "-q");
  expect(await reviewTarget("", place)).toEqual({ about: "the uncommitted changes (`git status`)" });
  run("add", "-A");
  run("-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-qm", "one");
  const none = { problem: "There are no uncommitted changes. Name a file, a folder or a range such as main..HEAD." };
  expect(await reviewTarget("", place)).toEqual(none);
  await clean.write("ai-docs/sessions/x/plan.md", "1\n");
  expect(await reviewTarget("diff", place)).toEqual(none);
  await clean.write("b.ts", "1\n");
  expect(await reviewTarget("diff", place)).toEqual({
    about: "the uncommitted changes (`git status` and `git diff HEAD`)",
  });
});

test("without git there is no diff, but there are files", async () => {
  await using plain = await tmpProject({ git: false, files: { "a.ts": "1\n" } });
  const place = { worktree: plain.dir, directory: plain.dir };
  expect(await reviewTarget("", place)).toEqual({
    problem: "This project is not in a git repository, so nothing is uncommitted. Name a file or a folder.",
  });
  expect(await reviewTarget("a.ts", place)).toEqual({ about: "`a.ts`" });
});
