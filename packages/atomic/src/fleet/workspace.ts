// A run's files on this machine: a mirror of its repository, and a worktree for the run alone.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkName } from "@atomic/durable-files/safety/names";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { type RunRepository, refOf } from "../runs/run-setup.ts";
import { git, gitFailed, tryGit } from "./git.ts";

/** Where a worker keeps files. Workers of other fleets may share the folder, and their runs may have the same ids. */
export interface FleetFolder {
  readonly path: string;
  /** The id of the database with the runs. */
  readonly fleet: string;
}

export function worktreesOf({ path, fleet }: FleetFolder): string {
  return join(path, "runs", fleet);
}

export function mirrorsOf({ path }: FleetFolder): string {
  return join(path, "mirrors");
}

/** What a mirror knows of the run's ref: the state from which this machine continues, or which it saved last. */
export function knownRefOf(fleet: string, runId: string): string {
  return `refs/fleet/${fleet}/${runId}`;
}

/** In a worktree: the state before the step that is about to begin. */
const beforeRef = "refs/worktree/before";

/**
 * The folder in which the run continues exactly where its last recorded step left the files. What a step that was killed
 * had half done, or had saved without being recorded, is gone.
 *
 * @param isFinished Whether the run's journal has the result of this attempt.
 */
export async function prepareWorkspace(
  folder: FleetFolder,
  runId: string,
  { url, commit, path }: RunRepository,
  isFinished: (step: StepAttempt) => Promise<boolean>,
): Promise<string> {
  // A client of the database could have chosen any id.
  checkName(runId);
  const mirror = join(mirrorsOf(folder), createHash("sha256").update(url).digest("hex").slice(0, 16));
  if (!existsSync(join(mirror, "HEAD"))) {
    mkdirSync(mirror, { recursive: true });
    await git(mirror, "init", "--quiet", "--bare");
  }
  const ref = refOf(runId);
  const known = knownRefOf(folder.fleet, runId);
  const [saved = ""] = (await git(mirror, "ls-remote", "--", url, ref)).split("\t");
  let at = commit;
  if (saved === "") await git(mirror, "update-ref", "-d", known);
  else {
    await git(mirror, "fetch", "--quiet", "--", url, `+${ref}:${known}`);
    if ((await fleetOf(mirror, known)) !== folder.fleet) {
      throw new Refusal("workspace-taken", {
        message: `${ref} in the repository belongs to a run of another database, so this run cannot save its files there`,
        hint: "Start the run again; it gets another id.",
        exitCode: 3,
      });
    }
    // A snapshot that is not this run's was left by a process that ended before it could start a run with this id.
    at = (await recordedCommit(mirror, runId, known, isFinished)) ?? commit;
  }
  if (!(await hasCommit(mirror, at))) await fetchCommit(mirror, url, at);
  const tree = join(worktreesOf(folder), runId);
  // Git LFS downloads from there what is checked out.
  const origin = ["-c", `remote.origin.url=${url}`];
  if (!(await isReset(tree, at, origin))) {
    rmSync(tree, { recursive: true, force: true });
    await git(mirror, "worktree", "prune");
    // Twice: also over one that was locked when a process was killed.
    await git(mirror, ...origin, "worktree", "add", "--quiet", "--force", "--force", "--detach", tree, at);
  }
  await git(tree, "update-ref", beforeRef, at);
  const project = join(tree, path);
  if (existsSync(project)) return project;
  throw new Refusal("workspace-incomplete", {
    message: `The commit ${commit.slice(0, 10)} has no folder ${path}`,
    hint: "Commit a file in it, push, and start the run again.",
    exitCode: 3,
  });
}

/** Brings an existing worktree to the commit. False if there is none, or a git that was killed left it unusable. */
async function isReset(tree: string, commit: string, options: readonly string[]): Promise<boolean> {
  if (!existsSync(join(tree, ".git"))) return false;
  if ((await tryGit(tree, ...options, "checkout", "--quiet", "--force", "--detach", commit)).code !== 0) return false;
  // Twice: also repositories that a step has made.
  return (await tryGit(tree, "clean", "--quiet", "-ffd")).code === 0;
}

/** A branch may have been deleted or replaced since the run began. */
async function fetchCommit(mirror: string, url: string, commit: string): Promise<void> {
  const args = ["fetch", "--quiet", "--", url, commit];
  const fetched = await tryGit(mirror, ...args);
  if (fetched.code === 0) return;
  if (!/not our ref|unadvertised object|did not send all necessary objects/.test(fetched.stderr)) {
    throw gitFailed(mirror, args, fetched);
  }
  throw new Refusal("workspace-gone", {
    message: safe`The repository ${url} no longer has the commit ${commit}, from which the run continues`,
    hint: safe`Push it again from a clone that has it: git push ${url} ${commit}:refs/heads/<name>`,
    exitCode: 3,
  });
}

async function hasCommit(folder: string, commit: string): Promise<boolean> {
  return (await tryGit(folder, "cat-file", "-e", `${commit}^{commit}`)).code === 0;
}

/** The newest commit whose step the run has recorded, or the state before the first one. Undefined: no commit is the run's. */
async function recordedCommit(
  mirror: string,
  runId: string,
  tip: string,
  isFinished: (step: StepAttempt) => Promise<boolean>,
): Promise<string | undefined> {
  const isOwn = async (commit: string): Promise<boolean> =>
    (await git(mirror, "log", "-1", "--format=%s", commit, "--")).startsWith(`${runId}: `);
  if (!(await isOwn(tip))) return undefined;
  for (let at = await git(mirror, "rev-parse", tip); ; ) {
    const step = await trailerOf(mirror, at, stepTrailer);
    const before = await trailerOf(mirror, at, beforeTrailer);
    if (step === "" || (await isFinished(JSON.parse(step) as StepAttempt))) return at;
    // A step that rewrote history may have left what was before it out of reach.
    if (!(await hasCommit(mirror, before))) return at;
    if (!(await isOwn(before))) return before;
    at = before;
  }
}

/** The fleet whose worker, or client, made the commit; empty if none did. */
export async function fleetOf(folder: string, commit: string): Promise<string> {
  return await trailerOf(folder, commit, fleetTrailer);
}

async function trailerOf(folder: string, commit: string, name: string): Promise<string> {
  return await git(folder, "log", "-1", `--format=%(trailers:key=${name},valueonly,separator=%x2C)`, commit, "--");
}

const fleetTrailer = "Atomic-Fleet";
const stepTrailer = "Atomic-Step";
const beforeTrailer = "Atomic-Before";

/** The message of a commit that belongs to a fleet. */
export function messageOf(text: string, fleet: string): string {
  return `${text}\n\n${fleetTrailer}: ${fleet}`;
}

/**
 * Saves what a step changed, before the step is recorded: another machine continues from exactly there. Commits that an
 * agent made count, too.
 */
export async function saveWorkspace(
  folder: string,
  { runId, key, attempt, fleet, repository }: SavedStep,
): Promise<"saved" | "unchanged"> {
  const known = (await tryGit(folder, "rev-parse", "--quiet", "--verify", knownRefOf(fleet, runId))).stdout.trim();
  await git(folder, ...withoutLfs, "add", "--all", ":/");
  const isDirty = (await tryGit(folder, "diff", "--cached", "--quiet")).code !== 0;
  if (!isDirty && (await git(folder, "rev-parse", "HEAD")) === (known || repository.commit)) return "unchanged";
  const step = JSON.stringify({ key, attempt } satisfies StepAttempt);
  const before = await git(folder, "rev-parse", beforeRef);
  const trailers = `${stepTrailer}: ${step}\n${beforeTrailer}: ${before}`;
  const message = `${messageOf(`${runId}: ${key}`, fleet)}\n${trailers}`;
  await git(folder, ...author, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", message);
  // A process that has lost the run must not replace what its successor has saved meanwhile.
  const lease = `--force-with-lease=${refOf(runId)}:${known}`;
  await git(folder, "push", "--quiet", lease, "--", repository.url, `HEAD:${refOf(runId)}`);
  await git(folder, "update-ref", knownRefOf(fleet, runId), "HEAD");
  await git(folder, "update-ref", beforeRef, "HEAD");
  return "saved";
}

export interface StepAttempt {
  readonly key: string;
  readonly attempt: number;
}

export interface SavedStep extends StepAttempt {
  readonly runId: string;
  /** The id of the database with the runs. */
  readonly fleet: string;
  readonly repository: RunRepository;
}

/** What is saved must not need an upload that only git's hooks would make: changed files are saved with their content. */
export const withoutLfs: readonly string[] = ["clean=", "process=", "required=false"].flatMap((each) => [
  "-c",
  `filter.lfs.${each}`,
]);

export const author: readonly string[] = ["-c", "user.name=atomic", "-c", "user.email=atomic@localhost"];
