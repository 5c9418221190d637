// Removes what ended runs left: their refs in repositories, and their worktrees and refs on this machine.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isExplained } from "@atomic/durable-files/explained-error";
import type { Database } from "@atomic/engine-postgres/database";
import {
  fleetOfDatabase,
  type LeftRef,
  leftRefs,
  openRuns,
  refRemoved,
  whileEnded,
} from "@atomic/engine-postgres/leftovers";
import { refOf } from "../runs/run-setup.ts";
import { git } from "./git.ts";
import { isMirror, removeDamagedMirrors } from "./mirror.ts";
import { removeFolder } from "./remove-folder.ts";
import { fleetOf, mirrorRefsOf } from "./workspace.ts";
import { type FleetFolder, mirrorsOf, trashOf, worktreesOf } from "./workspace-folders.ts";

export interface KeptRef extends LeftRef {
  readonly problem: string;
}

/**
 * Removes the refs of runs that are no longer in the database. What cannot be removed now, or is interrupted, is tried
 * again next time; the result says why.
 */
export async function removeRefs(database: Database): Promise<KeptRef[]> {
  const byUrl = new Map<string, string[]>();
  for (const { runId, url } of await leftRefs(database)) byUrl.set(url, [...(byUrl.get(url) ?? []), runId]);
  if (byUrl.size === 0) return [];
  const fleet = await fleetOfDatabase(database);
  const kept: KeptRef[] = [];
  const folder = mkdtempSync(join(tmpdir(), "atomic-"));
  try {
    await git(folder, "init", "--quiet", "--bare");
    for (const [url, runIds] of byUrl) {
      try {
        await removeFrom(folder, url, runIds, fleet);
        for (const runId of runIds) await refRemoved(database, runId);
      } catch (error) {
        if (!(isExplained(error) && error.code === "git-failed")) throw error;
        kept.push(...runIds.map((runId) => ({ runId, url, problem: error.message })));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return kept;
}

async function removeFrom(folder: string, url: string, runIds: readonly string[], fleet: string): Promise<void> {
  const wanted = new Set(runIds.map(refOf));
  const listed = (await git(folder, "ls-remote", "--", url, "refs/atomic/*")).split("\n");
  const refs = listed.map((line) => line.split("\t")).filter(([, ref = ""]) => wanted.has(ref));
  if (refs.length === 0) return;
  const names = refs.map(([, ref = ""]) => ref);
  await git(folder, "fetch", "--quiet", "--depth=1", "--", url, ...names.map((ref) => `+${ref}:${ref}`));
  const own: string[] = [];
  // A run of another database may have the same id.
  for (const ref of names) if ((await fleetOf(folder, ref)) === fleet) own.push(ref);
  if (own.length === 0) return;
  const leases = await Promise.all(
    own.map(async (ref) => `--force-with-lease=${ref}:${await git(folder, "rev-parse", ref)}`),
  );
  await git(folder, "push", "--quiet", ...leases, "--", url, ...own.map((ref) => `:${ref}`));
}

/**
 * Removes worktrees of ended and removed runs from this machine, and what mirrors keep for them.
 *
 * @param busy Runs that this process is about to work on, or has just worked on.
 */
export async function removeWorktrees(
  database: Database,
  folder: FleetFolder,
  busy: ReadonlySet<string>,
): Promise<RemovedWorktrees> {
  const [trees, trash, mirrors] = [worktreesOf(folder), trashOf(folder), mirrorsOf(folder)];
  const problems: string[] = [];
  /** What cannot be removed now keeps nothing else from being removed. */
  const tryTo = async (remove: () => Promise<void> | void): Promise<void> => {
    try {
      await remove();
    } catch (error) {
      if (!(error instanceof Error && ("syscall" in error || (isExplained(error) && error.code === "git-failed")))) {
        throw error;
      }
      problems.push(error.message);
    }
  };
  const runIds = namesIn(trees).filter((runId) => !busy.has(runId));
  const open = await openRuns(database, runIds);
  const removed: string[] = [];
  for (const runId of runIds.filter((each) => !open.has(each))) {
    await tryTo(async () => {
      mkdirSync(trash, { recursive: true });
      // Renamed in one moment, so no process finds half of it.
      if (await whileEnded(database, runId, () => renameSync(join(trees, runId), join(trash, randomUUID())))) {
        removed.push(runId);
      }
    });
  }
  // Also what a process that was killed, or a program that a run left behind and that still writes, has kept.
  for (const name of namesIn(trash)) await tryTo(() => removeFolder(join(trash, name)));
  for (const name of namesIn(mirrors)) {
    await tryTo(() => tidyMirror(database, join(mirrors, name), folder.fleet, busy));
  }
  await tryTo(() => removeDamagedMirrors(folder));
  return { removed, problems };
}

export interface RemovedWorktrees {
  /** The runs. */
  readonly removed: readonly string[];
  /** Why something is still there. */
  readonly problems: readonly string[];
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

async function tidyMirror(database: Database, mirror: string, fleet: string, busy: ReadonlySet<string>): Promise<void> {
  if (!isMirror(mirror)) return;
  const prefix = mirrorRefsOf(fleet);
  const refs = (await git(mirror, "for-each-ref", "--format=%(refname)", prefix)).split("\n").filter(Boolean);
  const runIdOf = (ref: string): string => ref.slice(prefix.length).split("/", 1)[0] ?? "";
  const runIds = [...new Set(refs.map(runIdOf))].filter((runId) => !busy.has(runId));
  const open = await openRuns(database, runIds);
  for (const runId of runIds.filter((each) => !open.has(each))) {
    await whileEnded(database, runId, async () => {
      for (const ref of refs) if (runIdOf(ref) === runId) await git(mirror, "update-ref", "-d", ref);
    });
  }
  if (runIds.length > open.size)
    await git(mirror, "-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet");
}
