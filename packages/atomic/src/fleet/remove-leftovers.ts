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
import { type FleetFolder, fleetOf, knownRefOf, mirrorsOf, worktreesOf } from "./workspace.ts";

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
 * Removes worktrees of ended and removed runs from this machine, and what mirrors know of them. Returns the runs.
 *
 * @param busy Runs that this process is about to work on, or has just worked on.
 */
export async function removeWorktrees(
  database: Database,
  folder: FleetFolder,
  busy: ReadonlySet<string>,
): Promise<string[]> {
  const trees = worktreesOf(folder);
  const trash = join(folder.path, "trash");
  const runIds = existsSync(trees) ? readdirSync(trees).filter((runId) => !busy.has(runId)) : [];
  const open = await openRuns(database, runIds);
  const removed: string[] = [];
  for (const runId of runIds.filter((each) => !open.has(each))) {
    mkdirSync(trash, { recursive: true });
    // Renamed in one moment, so no process finds half of it.
    if (await whileEnded(database, runId, () => renameSync(join(trees, runId), join(trash, randomUUID())))) {
      removed.push(runId);
    }
  }
  // Also what a process that was killed, or a program that a run left behind and that still writes, has kept.
  for (const name of existsSync(trash) ? readdirSync(trash) : []) {
    rmSync(join(trash, name), { recursive: true, force: true, maxRetries: 3 });
  }
  for (const name of existsSync(mirrorsOf(folder)) ? readdirSync(mirrorsOf(folder)) : []) {
    await tidyMirror(database, join(mirrorsOf(folder), name), folder.fleet, busy);
  }
  return removed;
}

async function tidyMirror(database: Database, mirror: string, fleet: string, busy: ReadonlySet<string>): Promise<void> {
  if (!existsSync(join(mirror, "HEAD"))) return;
  await git(mirror, "worktree", "prune");
  const prefix = knownRefOf(fleet, "");
  const refs = (await git(mirror, "for-each-ref", "--format=%(refname)", prefix)).split("\n").filter(Boolean);
  const runIds = refs.map((ref) => ref.slice(prefix.length)).filter((runId) => !busy.has(runId));
  const open = await openRuns(database, runIds);
  for (const runId of runIds.filter((each) => !open.has(each))) {
    await whileEnded(
      database,
      runId,
      async () => void (await git(mirror, "update-ref", "-d", knownRefOf(fleet, runId))),
    );
  }
  if (runIds.length > open.size)
    await git(mirror, "-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet");
}
