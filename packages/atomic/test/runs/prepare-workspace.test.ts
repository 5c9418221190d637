// A run's files on a machine, when processes were killed at the worst moments.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type GitRepo, gitRepo } from "@atomic/testing/git";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { git } from "../../src/fleet/git.ts";
import { removeDamagedMirrors } from "../../src/fleet/mirror.ts";
import { author, prepareWorkspace, type StepAttempt, saveWorkspace } from "../../src/fleet/workspace.ts";
import type { RunRepository } from "../../src/runs/run-setup.ts";
import { push, sharedProject } from "./fleet.ts";

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

/** What the first step of the run did is saved. */
async function save(folder: string, repository: RunRepository): Promise<"saved" | "unchanged"> {
  return await saveWorkspace(folder, { runId: "run", ...steps.a, fleet, repository });
}

/** A git configuration for this process, as a machine's administrator would write it. */
function configured(settings: Readonly<Record<string, string>>): Disposable {
  const pairs = Object.entries(settings).flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key] as const,
    [`GIT_CONFIG_VALUE_${at}`, value] as const,
  ]);
  const added = new Map([["GIT_CONFIG_COUNT", String(pairs.length / 2)], ...pairs]);
  for (const [name, value] of added) process.env[name] = value;
  return { [Symbol.dispose]: () => [...added.keys()].forEach((name) => void delete process.env[name]) };
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
  await rm(join(own, "HEAD"));
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
  using _ = configured({ "filter.lfs.clean": "echo pointer", "filter.lfs.required": "true" });
  await writeFile(join(folder, ".gitattributes"), "*.big filter=lfs\n");
  await writeFile(join(folder, "film.big"), "every frame\n");
  await save(folder, repository);
  expect(await repo.git("show", "refs/atomic/run:film.big")).toBe("every frame");
});

test("a filter that downloads files, as Git LFS does, knows from where", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  await using project = await sharedProject(repo, { "film.big": "pointer\n", ".gitattributes": "*.big filter=lfs\n" });
  const repository = { url: repo.url, commit: await git(project.dir, "rev-parse", "HEAD"), path: "" };
  using _ = configured({ "filter.lfs.smudge": "cat > /dev/null; git config remote.origin.url" });
  const folder = await prepare(home.path, repository);
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

test("repositories that a step makes are not saved, with or without commits, and the rest is", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const folder = await prepare(home.path, repository);
  for (const inner of ["empty", "deep/inner", "odd*name"]) {
    await mkdir(join(folder, inner), { recursive: true });
    await git(folder, "init", "--quiet", inner);
    await writeFile(join(folder, inner, "file.txt"), "");
  }
  await git(join(folder, "deep/inner"), "add", ".");
  await git(join(folder, "deep/inner"), ...author, "commit", "--quiet", "-m", "inner");
  await git(folder, "worktree", "add", "--quiet", "--detach", "linked");
  await writeFile(join(folder, "deep/own.txt"), "");
  expect(await save(folder, repository)).toBe("saved");
  const saved = await repo.git("ls-tree", "-r", "--name-only", "refs/atomic/run");
  expect(saved.split("\n").filter((path) => /inner|empty|odd|linked|own/.test(path))).toEqual(["deep/own.txt"]);
});

test("a submodule that a step has checked out and changed stays as it was recorded", async () => {
  await using repo = await gitRepo();
  await using inner = await gitRepo({ files: { "inner.txt": "" } });
  await using home = await temporaryFolder();
  await using project = await sharedProject(repo, { "start.txt": "" });
  using _ = configured({ "protocol.file.allow": "always" });
  await git(project.dir, "submodule", "--quiet", "add", inner.url, "module");
  await push(project);
  const repository = { url: repo.url, commit: await git(project.dir, "rev-parse", "HEAD"), path: "" };
  for (const isAgain of [false, true]) {
    const folder = await prepare(home.path, repository);
    await git(folder, "submodule", "--quiet", "update", "--init");
    await git(join(folder, "module"), ...author, "commit", "--quiet", "--allow-empty", "-m", "only here");
    expect({ isAgain, saved: await save(folder, repository) }).toEqual({ isAgain, saved: "unchanged" });
  }
});

test("a step whose files the repository refuses has failed; one that cannot be saved for a while is repeated", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const folder = await prepare(home.path, repository);
  await writeFile(join(folder, "a.txt"), "");
  const hook = join(repo.dir, "hooks/pre-receive");
  await writeFile(hook, "#!/bin/sh\necho GH001: Large files detected >&2; exit 1\n");
  await chmod(hook, 0o755);
  await expect(save(folder, repository)).rejects.toMatchObject({
    name: "PermanentError",
    message: expect.stringContaining("GH001: Large files detected"),
    hint: expect.stringContaining("atomic resume run --retry"),
  });
  await rm(hook);
  const lock = join(repo.dir, "refs/atomic/run.lock");
  await mkdir(join(repo.dir, "refs/atomic"), { recursive: true });
  await writeFile(lock, "");
  await expect(save(folder, repository)).rejects.toMatchObject({ code: "git-failed" });
  await rm(lock);
  await rename(repo.dir, `${repo.dir}.away`);
  await expect(save(folder, repository)).rejects.toMatchObject({ code: "git-failed" });
  await rename(`${repo.dir}.away`, repo.dir);
  expect(await save(folder, repository)).toBe("saved");
  // Git can no longer save anything here, on any machine.
  await rm(join(folder, ".git"), { recursive: true });
  await git(folder, "init", "--quiet");
  await expect(save(folder, repository)).rejects.toMatchObject({ name: "PermanentError" });
});

test("branches, tags and stashes are a run's own, and those of a killed step are gone", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const other = await prepareWorkspace({ path: home.path, fleet }, "other", repository, async () => false);
  for (const attempt of [1, 2]) {
    const folder = await prepare(home.path, repository);
    await git(folder, "checkout", "--quiet", "-b", "feature");
    await git(folder, "tag", "v1");
    await git(folder, "fetch", "--quiet", "origin");
    await writeFile(join(folder, "start.txt"), `private ${attempt}`);
    await git(folder, ...author, "stash");
  }
  expect(await git(other, "for-each-ref", "refs/heads", "refs/tags", "refs/stash")).toBe("");
  await git(other, "checkout", "--quiet", "-b", "feature");
});

test("git may clean up a mirror while a run's clone borrows from it", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const folder = await prepare(home.path, repository);
  const [mirror = ""] = await readdir(join(home.path, "mirrors"));
  await git(join(home.path, "mirrors", mirror), "gc", "--quiet", "--prune=now");
  await git(folder, "fsck", "--connectivity-only");
  expect(await git(folder, "status", "--porcelain")).toBe("");
});

test("a mirror that was damaged, or half made, is replaced, and clones that borrow from it stay as they are", async () => {
  await using repo = await gitRepo();
  await using home = await temporaryFolder();
  const repository = await repositoryOf(repo);
  const mirrors = join(home.path, "mirrors");
  const other = await prepareWorkspace({ path: home.path, fleet }, "other", repository, async () => false);
  const [first = ""] = await readdir(mirrors);
  const blob = await git(other, "rev-parse", "HEAD:start.txt");
  const object = join(mirrors, first, "objects", blob.slice(0, 2), blob.slice(2));
  await chmod(object, 0o644);
  await truncate(object);
  const folder = await prepare(home.path, repository);
  expect(await git(folder, "cat-file", "-t", blob)).toBe("blob");
  expect(await git(other, "rev-parse", "HEAD^{tree}")).toBe(await git(folder, "rev-parse", "HEAD^{tree}"));
  for (const name of ["objects", "refs"]) await rm(join(mirrors, `${first}-2`, name), { recursive: true });
  await prepare(home.path, repository);
  expect(await git(folder, "cat-file", "-t", blob)).toBe("blob");
  expect((await readdir(mirrors)).sort()).toEqual([first, `${first}-2`, `${first}-3`]);
  removeDamagedMirrors({ path: home.path, fleet });
  expect((await readdir(mirrors)).sort()).toEqual([first, `${first}-3`]); // the first is still borrowed from
});

test("a folder with read-only folders inside is removed", async () => {
  await using home = await temporaryFolder();
  const cache = join(home.path, "tree/go/pkg");
  await mkdir(cache, { recursive: true });
  await writeFile(join(cache, "a.go"), "");
  await chmod(cache, 0o555);
  await chmod(join(home.path, "tree/go"), 0o555);
  const code = `import { removeFolder } from ${JSON.stringify(Bun.resolveSync("../../src/fleet/remove-folder.ts", import.meta.dir))};
    removeFolder(${JSON.stringify(join(home.path, "tree"))});`;
  // Root may remove anything.
  const user = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : [];
  if (user.length > 0) {
    await Bun.$`chown -R 65534 ${home.path}`.quiet();
  }
  const removed = Bun.spawn([...user, process.execPath, "-e", code], { stderr: "inherit" });
  expect(await removed.exited).toBe(0);
  expect(await readdir(home.path)).toEqual([]);
});
