// A run's files on a machine, when processes were killed at the worst moments.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { git } from "../../src/fleet/git.ts";
import { prepareWorkspace, type StepAttempt, saveWorkspace } from "../../src/fleet/workspace.ts";
import type { RunRepository } from "../../src/runs/run-setup.ts";
import { sharedProject } from "./fleet.ts";

const fleet = "f1";
const steps = { a: { key: "a", attempt: 1 }, again: { key: "a", attempt: 2 }, b: { key: "b", attempt: 1 } };

async function repositoryOf(repo: GitRepo): Promise<RunRepository> {
  await using project = await sharedProject(repo, { "start.txt": "" });
  return { url: repo.url, commit: await git(project.dir, "rev-parse", "HEAD"), path: "" };
}

/** A machine's folder for the run, once the journal has these steps. */
async function prepare(home: string, repository: RunRepository, ...finished: StepAttempt[]): Promise<string> {
  const isFinished = async (step: StepAttempt) => finished.some((each) => Bun.deepEquals(each, step));
  return await prepareWorkspace({ path: home, fleet }, "run", repository, isFinished);
}

test("a step that was saved and not recorded is repeated without its own changes", async () => {
  await using repo = await gitRepo();
  await using one = await temporaryFolder();
  await using two = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const work = async (folder: string, step: StepAttempt): Promise<void> => {
    await appendFile(join(folder, `${step.key}.txt`), "line\n");
    await saveWorkspace(folder, { runId: "run", ...step, fleet, repository });
  };
  await work(await prepare(one.path, repository), steps.a); // killed here
  for (const home of [one, two]) {
    expect(existsSync(join(await prepare(home.path, repository), "a.txt"))).toBe(false);
  }
  await work(await prepare(two.path, repository), steps.again); // and here
  expect(existsSync(join(await prepare(one.path, repository), "a.txt"))).toBe(false);
  const third = await prepare(one.path, repository, steps.again);
  expect(await readFile(join(third, "a.txt"), "utf8")).toBe("line\n");
  await work(third, steps.b); // and here
  const fourth = await prepare(two.path, repository, steps.again);
  expect(existsSync(join(fourth, "b.txt"))).toBe(false);
  expect(await readFile(join(fourth, "a.txt"), "utf8")).toBe("line\n");
  // Repeated, it changes nothing this time, and what it had saved is gone from the repository, too.
  expect(await saveWorkspace(fourth, { runId: "run", ...steps.b, attempt: 2, fleet, repository })).toBe("saved");
  expect((await repo.git("ls-tree", "--name-only", "refs/atomic/run")).split("\n")).not.toContain("b.txt");
});

test("a worktree that a killed git has left with a lock, or half made, is made again", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const folder = await prepare(home.path, repository);
  const own = await git(folder, "rev-parse", "--absolute-git-dir");
  await writeFile(join(own, "index.lock"), "");
  await writeFile(join(folder, "half.txt"), "");
  expect(await prepare(home.path, repository)).toBe(folder);
  expect(existsSync(join(folder, "half.txt"))).toBe(false);
  await writeFile(join(own, "locked"), "initializing");
  await rm(join(folder, ".git"));
  expect(await prepare(home.path, repository)).toBe(folder);
  expect(await git(folder, "status", "--porcelain")).toBe("");
});

test("a branch that was deleted meanwhile does not matter until its commit is gone; then it is said how to get it back", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  await using late = await temporaryFolder();
  const repository = await repositoryOf(repo);
  await using other = await sharedProject(repo, { "other.txt": "" }); // replaces the branch
  expect(existsSync(join(await prepare(home.path, repository), "start.txt"))).toBe(true);
  await repo.git("reflog", "expire", "--expire=now", "--all");
  await repo.git("gc", "--quiet", "--prune=now");
  await expect(prepare(late.path, repository)).rejects.toMatchObject({
    code: "workspace-gone",
    message: `The repository ${repo.url} no longer has the commit ${repository.commit}, from which the run continues`,
    hint: `Push it again from a clone that has it: git push ${repo.url} ${repository.commit}:refs/heads/<name>`,
  });
  // A machine that has it continues.
  expect(existsSync(join(await prepare(home.path, repository), "start.txt"))).toBe(true);
  expect(await git(other.dir, "status", "--porcelain")).toBe("");
});

test("a file that Git LFS would upload is saved with its content", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const folder = await prepare(home.path, repository);
  await git(folder, "config", "filter.lfs.clean", "echo pointer");
  await git(folder, "config", "filter.lfs.required", "true");
  await writeFile(join(folder, ".gitattributes"), "*.big filter=lfs\n");
  await writeFile(join(folder, "film.big"), "every frame\n");
  await saveWorkspace(folder, { runId: "run", ...steps.a, fleet, repository });
  expect(await repo.git("show", "refs/atomic/run:film.big")).toBe("every frame");
});

test("a filter that downloads files, as Git LFS does, knows from where", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  await using project = await sharedProject(repo, { "film.big": "pointer\n", ".gitattributes": "*.big filter=lfs\n" });
  const repository = { url: repo.url, commit: await git(project.dir, "rev-parse", "HEAD"), path: "" };
  const folder = await prepare(home.path, repository);
  await git(folder, "config", "filter.lfs.smudge", "cat > /dev/null; git config remote.origin.url");
  for (const gone of [folder, join(folder, "film.big")]) {
    await rm(gone, { recursive: true });
    await prepare(home.path, repository);
    expect(await readFile(join(folder, "film.big"), "utf8")).toBe(`${repo.url}\n`);
  }
});

test("a repository that a killed step has made is gone, too", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const folder = await prepare(home.path, repository);
  await mkdir(join(folder, "inner"));
  await git(join(folder, "inner"), "init", "--quiet");
  await prepare(home.path, repository);
  expect(existsSync(join(folder, "inner"))).toBe(false);
});
