// A run's files on this machine: a mirror of its repository, and a worktree for the run alone.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { checkName } from "@atomic/durable-files/safety/names";
import { Refusal } from "@atomic/terminal/refusal";
import { type RunRepository, refOf } from "../runs/run-setup.ts";
import { git, tryGit } from "./git.ts";

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

/**
 * The folder in which the run continues exactly where its last recorded step left the files. What a step that was killed
 * had half done is gone.
 */
export async function prepareWorkspace(
  folder: FleetFolder,
  runId: string,
  { url, commit, path }: RunRepository,
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
    const subject = await git(mirror, "log", "-1", "--format=%s", known, "--");
    if (subject.startsWith(`${runId}: `)) at = await git(mirror, "rev-parse", known);
  }
  if ((await tryGit(mirror, "cat-file", "-e", `${at}^{commit}`)).code !== 0) {
    await git(mirror, "fetch", "--quiet", "--", url, at);
  }
  const tree = join(worktreesOf(folder), runId);
  if (!existsSync(join(tree, ".git"))) {
    await git(mirror, "worktree", "prune");
    await git(mirror, "worktree", "add", "--quiet", "--force", "--detach", tree, at);
  } else {
    await git(tree, "checkout", "--quiet", "--force", "--detach", at);
    await git(tree, "clean", "--quiet", "-fd");
  }
  const project = join(tree, path);
  if (existsSync(project)) return project;
  throw new Refusal("workspace-incomplete", {
    message: `The commit ${commit.slice(0, 10)} has no folder ${path}`,
    hint: "Commit a file in it, push, and start the run again.",
    exitCode: 3,
  });
}

/** The fleet whose worker, or client, made the commit; empty if none did. */
export async function fleetOf(folder: string, commit: string): Promise<string> {
  return await git(folder, "log", "-1", `--format=%(trailers:key=${trailer},valueonly,separator=%x2C)`, commit, "--");
}

const trailer = "Atomic-Fleet";

/** The message of a commit that belongs to a fleet. */
export function messageOf(text: string, fleet: string): string {
  return `${text}\n\n${trailer}: ${fleet}`;
}

/**
 * Saves what a step changed, before the step is recorded: another machine continues from exactly there. Commits that an
 * agent made count, too.
 */
export async function saveWorkspace(
  folder: string,
  { runId, key, fleet, repository }: SavedStep,
): Promise<"saved" | "unchanged"> {
  const known = (await tryGit(folder, "rev-parse", "--quiet", "--verify", knownRefOf(fleet, runId))).stdout.trim();
  await git(folder, "add", "--all", ":/");
  const isDirty = (await tryGit(folder, "diff", "--cached", "--quiet")).code !== 0;
  if (!isDirty && (await git(folder, "rev-parse", "HEAD")) === (known || repository.commit)) return "unchanged";
  const message = messageOf(`${runId}: ${key}`, fleet);
  await git(folder, ...author, "commit", "--quiet", "--no-verify", "--allow-empty", "-m", message);
  // A process that has lost the run must not replace what its successor has saved meanwhile.
  const lease = `--force-with-lease=${refOf(runId)}:${known}`;
  await git(folder, "push", "--quiet", lease, "--", repository.url, `HEAD:${refOf(runId)}`);
  await git(folder, "update-ref", knownRefOf(fleet, runId), "HEAD");
  return "saved";
}

export interface SavedStep {
  readonly runId: string;
  readonly key: string;
  /** The id of the database with the runs. */
  readonly fleet: string;
  readonly repository: RunRepository;
}

export const author: readonly string[] = ["-c", "user.name=atomic", "-c", "user.email=atomic@localhost"];
