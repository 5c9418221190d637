// A run's files on this machine: a mirror of its repository, and a clone for the run alone that borrows the mirror's objects.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isExplained } from "@atomic/durable-files/explained-error";
import { checkName } from "@atomic/durable-files/safety/names";
import { Refusal } from "@atomic/terminal/refusal";
import { safe } from "@atomic/terminal/safe-text";
import { PermanentError } from "@atomic/workflows/internal/run/step-errors";
import { type RunRepository, refOf } from "../runs/run-setup.ts";
import { git, gitFailed, tryGit } from "./git.ts";
import { isDamage, markDamaged, mirrorOf, objectsOf } from "./mirror.ts";
import { removeFolder } from "./remove-folder.ts";
import { type FleetFolder, worktreesOf } from "./workspace-folders.ts";

/** In a mirror, what runs of a fleet need, so git keeps it: what each saved last, and the state from which it continues here. */
export function mirrorRefsOf(fleet: string): string {
  return `refs/fleet/${fleet}/`;
}

/** In a run's clone: the state before the step that is about to begin. */
const beforeRef = "refs/worktree/before";

/** In a run's clone: what the run's ref in the repository should point at. */
const savedRef = "refs/worktree/saved";

/**
 * The folder in which the run continues exactly where its last recorded step left the files. What a step that was killed
 * had half done, or had saved without being recorded, is gone.
 *
 * @param isFinished Whether the run's journal has the result of this attempt.
 */
export async function prepareWorkspace(
  folder: FleetFolder,
  runId: string,
  repository: RunRepository,
  isFinished: (step: StepAttempt) => Promise<boolean>,
): Promise<string> {
  // A client of the database could have chosen any id.
  checkName(runId);
  const mirror = await mirrorOf(folder, repository.url);
  try {
    return await prepareFrom(mirror, folder, runId, repository, isFinished);
  } catch (error) {
    if (!isDamage(error)) throw error;
    markDamaged(mirror);
    return await prepareFrom(await mirrorOf(folder, repository.url), folder, runId, repository, isFinished);
  }
}

async function prepareFrom(
  mirror: string,
  folder: FleetFolder,
  runId: string,
  { url, commit, path }: RunRepository,
  isFinished: (step: StepAttempt) => Promise<boolean>,
): Promise<string> {
  const ref = refOf(runId);
  const known = `${mirrorRefsOf(folder.fleet)}${runId}/saved`;
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
  await git(mirror, "update-ref", `${mirrorRefsOf(folder.fleet)}${runId}/from`, at);
  const tree = join(worktreesOf(folder), runId);
  const resets = async (): Promise<boolean> => {
    await renewClone(tree, mirror, url);
    if ((await tryGit(tree, "checkout", "--quiet", "--force", "--detach", at)).code !== 0) return false;
    // A submodule that a step has checked out belongs to the clone that is gone.
    for (const submodule of await submodulesOf(tree)) {
      removeFolder(join(tree, submodule));
      mkdirSync(join(tree, submodule), { recursive: true });
    }
    // Twice: also repositories that a step has made.
    return (await tryGit(tree, "clean", "--quiet", "-ffd")).code === 0;
  };
  if (!(await resets())) {
    removeFolder(tree);
    await renewClone(tree, mirror, url);
    await git(tree, "checkout", "--quiet", "--force", "--detach", at);
  }
  await git(tree, "update-ref", beforeRef, at);
  if (saved !== "") await git(tree, "update-ref", savedRef, await git(mirror, "rev-parse", known));
  const project = join(tree, path);
  if (existsSync(project)) return project;
  throw new Refusal("workspace-incomplete", {
    message: `The commit ${commit.slice(0, 10)} has no folder ${path}`,
    hint: "Commit a file in it, push, and start the run again.",
    exitCode: 3,
  });
}

/** A new repository around the files that are there: branches, stashes and locks of a killed step are gone. */
async function renewClone(tree: string, mirror: string, url: string): Promise<void> {
  const own = join(tree, ".git");
  const index = join(own, "index");
  // With it, git does not have to compare every file.
  const known = existsSync(index) ? readFileSync(index) : undefined;
  removeFolder(own);
  mkdirSync(tree, { recursive: true });
  await git(tree, "init", "--quiet", "--template=", tree);
  const alternates = join(own, "objects/info/alternates");
  mkdirSync(dirname(alternates), { recursive: true });
  writeFileSync(alternates, `${objectsOf(mirror)}\n`);
  await git(tree, "remote", "add", "origin", url);
  await git(tree, "config", "lfs.storage", join(mirror, "lfs"));
  if (known !== undefined) writeFileSync(index, known);
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
export async function saveWorkspace(folder: string, step: SavedStep): Promise<"saved" | "unchanged"> {
  try {
    return await save(folder, step);
  } catch (cause) {
    if (!(isExplained(cause) && cause.code === "git-failed") || isPassing(cause.message)) throw cause;
    throw new PermanentError(`The files that ${step.key} changed cannot be saved: ${cause.message}`, {
      code: "workspace-unsaved",
      hint: safe`Change what the step leaves behind, or what the repository accepts, and try it again: atomic resume ${step.runId} --retry`,
      cause,
    });
  }
}

async function save(
  folder: string,
  { runId, key, attempt, fleet, repository }: SavedStep,
): Promise<"saved" | "unchanged"> {
  const tree = resolve(folder, ...repository.path.split("/").flatMap((name) => (name === "" ? [] : "..")));
  const known = (await tryGit(tree, "rev-parse", "--quiet", "--verify", savedRef)).stdout.trim();
  const untracked = (await git(tree, "ls-files", "-z", "--others", "--exclude-standard")).split("\0");
  // A folder, and not its files, is another repository: git would record a commit that only this machine has.
  const others = [...untracked.filter((path) => path.endsWith("/")), ...(await submodulesOf(tree))];
  const excluded = others.map((path) => `:(top,exclude,literal)${path}`);
  await git(tree, ...withoutLfs, "add", "--all", "--", ":/", ...excluded);
  const isDirty = (await tryGit(tree, "diff", "--cached", "--quiet")).code !== 0;
  if (!isDirty && (await git(tree, "rev-parse", "HEAD")) === (known || repository.commit)) return "unchanged";
  const step = JSON.stringify({ key, attempt } satisfies StepAttempt);
  const before = await git(tree, "rev-parse", beforeRef);
  const trailers = `${stepTrailer}: ${step}\n${beforeTrailer}: ${before}`;
  const message = `${messageOf(`${runId}: ${key}`, fleet)}\n${trailers}`;
  await git(tree, ...author, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", message);
  // A process that has lost the run must not replace what its successor has saved meanwhile.
  const lease = `--force-with-lease=${refOf(runId)}:${known}`;
  await git(tree, "push", "--quiet", lease, "--", repository.url, `HEAD:${refOf(runId)}`);
  await git(tree, "update-ref", savedRef, "HEAD");
  await git(tree, "update-ref", beforeRef, "HEAD");
  return "saved";
}

/** Whether the same may succeed later or elsewhere: the repository cannot be reached, the disk is full, git was killed. */
function isPassing(failure: string): boolean {
  if (/ ended with (?:null|130|137|143): /.test(failure)) return true;
  if (failure.startsWith("git push ")) {
    return (
      !failure.includes("[remote rejected]") || /failed to update ref|cannot lock ref|unpacker error/.test(failure)
    );
  }
  return /No space left|quota exceeded|Input\/output error|Read-only file system|Cannot allocate|\.lock': File exists/i.test(
    failure,
  );
}

/** Paths from the root of the repository; the folder is the root. */
export async function submodulesOf(tree: string): Promise<Set<string>> {
  const entries = (await git(tree, "ls-files", "--stage", "-z")).split("\0");
  return new Set(entries.flatMap((entry) => (entry.startsWith("160000 ") ? entry.slice(entry.indexOf("\t") + 1) : [])));
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
