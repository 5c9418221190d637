// A run's files on this machine: a mirror of its repository, and a worktree for the run alone.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Refusal } from "@atomic/terminal/refusal";
import { type RunRepository, refOf } from "../runs/run-setup.ts";
import { git, gitWith, tryGit } from "./git.ts";

/**
 * The folder in which the run continues exactly where its last recorded step left the files. What a step that was killed
 * had half done is gone.
 */
export async function prepareWorkspace(folder: string, runId: string, repository: RunRepository): Promise<string> {
  const { url, commit, path } = repository;
  const mirror = join(folder, "mirrors", createHash("sha256").update(url).digest("hex").slice(0, 16));
  if (!existsSync(join(mirror, "HEAD"))) {
    mkdirSync(mirror, { recursive: true });
    await git(mirror, "init", "--quiet", "--bare");
  }
  const ref = refOf(runId);
  const saved = await git(mirror, "ls-remote", url, ref);
  await git(mirror, "fetch", "--quiet", "--force", url, saved === "" ? commit : `${ref}:${ref}`);
  const at = saved === "" ? commit : (saved.split("\t")[0] ?? commit);
  const tree = join(folder, "runs", runId);
  if (!existsSync(join(tree, ".git"))) {
    await git(mirror, "worktree", "prune");
    await git(mirror, "worktree", "add", "--quiet", "--force", "--detach", tree, at);
  } else {
    await git(tree, "reset", "--quiet", "--hard", at);
    await git(tree, "clean", "--quiet", "-fd");
  }
  return join(tree, path);
}

export async function removeWorkspace(folder: string, runId: string): Promise<void> {
  const tree = join(folder, "runs", runId);
  if (!existsSync(tree)) return;
  const mirror = await git(tree, "rev-parse", "--path-format=absolute", "--git-common-dir");
  // Not `git worktree remove`, which fails if a program that the run left behind still writes there.
  rmSync(tree, { recursive: true, force: true, maxRetries: 3 });
  await git(mirror, "worktree", "prune");
}

/** Saves what a step changed, before the step is recorded: another machine continues from exactly there. */
export async function saveWorkspace(folder: string, runId: string, key: string, url: string): Promise<boolean> {
  await git(folder, "add", "--all");
  if ((await tryGit(folder, "diff", "--cached", "--quiet")).code === 0) return false;
  await git(folder, ...author, "commit", "--quiet", "--no-verify", "-m", `${runId}: ${key}`);
  await git(folder, "push", "--quiet", "--force", url, `HEAD:${refOf(runId)}`);
  return true;
}

export interface SharedFiles {
  readonly repository: RunRepository;
  /** Sends what is not there yet, once the run has an id. */
  readonly push?: (runId: string) => Promise<void>;
}

/**
 * Where other machines get this project's files. Refuses what they could not get.
 *
 * @param snapshot Takes what is here, committed or not, for this run alone.
 */
export async function repositoryOf(project: string, snapshot: boolean): Promise<SharedFiles> {
  const top = await tryGit(project, "rev-parse", "--show-prefix", "HEAD");
  const url = (await tryGit(project, "remote", "get-url", "origin")).stdout.trim();
  if (top.code !== 0 || url === "") {
    throw new Refusal("workspace-unknown", {
      message: `${project} is not a git repository with a commit and a remote named origin`,
      hint: "A worker on another machine needs one to get the project's files: git remote add origin <url>",
      exitCode: 3,
    });
  }
  if (/^[a-z+]+:\/\/[^/@]*:[^/@]+@/.test(url)) {
    throw new Refusal("workspace-secret", {
      message: "The URL of the remote origin contains a password, which would be stored with the run",
      hint: "Use a credential helper or SSH: git remote set-url origin <url without a password>",
      exitCode: 3,
    });
  }
  const [path = "", head = ""] = top.stdout.split("\n");
  const isDirty = (await git(project, "status", "--porcelain")) !== "";
  if (snapshot) {
    const commit = isDirty ? await commitOfTree(project, head) : head;
    const push = async (runId: string): Promise<void> => {
      await git(project, "push", "--quiet", "--force", url, `${commit}:${refOf(runId)}`);
    };
    return { repository: { url, commit, path }, push };
  }
  if (isDirty) {
    throw new Refusal("workspace-dirty", {
      message: "The project has changes that are not committed, so a worker elsewhere would not have them",
      hint: "Commit and push them, or send them along for this run: --snapshot",
      exitCode: 3,
    });
  }
  const branches = await git(project, "branch", "--remotes", "--contains", head);
  if (branches === "") {
    throw new Refusal("workspace-unpushed", {
      message: `The commit ${head.slice(0, 10)} was not pushed, so a worker elsewhere would not have it`,
      hint: "Push it (git push), or send it along for this run: --snapshot",
      exitCode: 3,
    });
  }
  return { repository: { url, commit: head, path } };
}

/** A commit of everything that git would add, without touching the index or a branch. */
async function commitOfTree(project: string, parent: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "atomic-"));
  try {
    const index = { GIT_INDEX_FILE: join(folder, "index") };
    await gitWith(index, project, "read-tree", parent);
    await gitWith(index, project, "add", "--all", ":/");
    const tree = await gitWith(index, project, "write-tree");
    return await git(project, ...author, "commit-tree", tree, "-p", parent, "-m", "Snapshot for a run");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const author = ["-c", "user.name=atomic", "-c", "user.email=atomic@localhost"];
