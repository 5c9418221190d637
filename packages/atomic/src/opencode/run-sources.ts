// Where the runs are that OpenCode's terminal shows: in the project's folder, or in a database that other machines share.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { QuietWatch } from "@atomic/workflows/internal/entities/watch/quiet-watch";
import { projectEngine } from "@atomic/workflows/internal/project-engine";
import { fileStore } from "@atomic/workflows/internal/run/embedded/file-store";
import { runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { RunStore } from "@atomic/workflows/internal/run/run-store";
import { engineUrl } from "../runs/engine-for.ts";

export interface ListedStamp {
  readonly runId: string;
  /** Read late, because a folder's name may not be the id of a run. */
  readonly stamp: () => string | undefined | Promise<string | undefined>;
}

export interface RunSource {
  readonly store: RunStore;
  readonly engine: LocalEngine;
  /** Workers execute its runs, so none has to be continued here. */
  readonly hasWorkers: boolean;
  /** A run that is not in its list was removed. */
  readonly listsEnded: boolean;
  /** All runs that may have changed, with their stamps. */
  list(followed: readonly string[]): Promise<readonly ListedStamp[]>;
  /** Whether you are asked what the run asks. */
  isYours(runId: string): boolean | Promise<boolean>;
  /** The watch looks again from now on. True if something may have changed before. */
  follow(left: ReadonlyMap<string, string | undefined>): boolean;
  close(): Promise<void>;
}

/** @param watch Looks again when something may have changed. */
export async function runSource(
  project: string,
  env: Readonly<Record<string, string | undefined>>,
  watch: QuietWatch,
): Promise<RunSource> {
  const url = await engineUrl({ env }, project, undefined);
  if (url === undefined) return folderSource(project, watch);
  // OpenCode reads every file that it sees imported before it draws anything: this name it does not see.
  const file = import.meta.url.endsWith(".ts") ? "./database-source.ts" : "./database-source.js";
  const { databaseSource } = (await import(
    new URL(file, import.meta.url).href
  )) as typeof import("./database-source.ts");
  return await databaseSource(url, project, watch);
}

export async function interpret(): Promise<never> {
  throw new Error("This engine can only read runs.");
}

/** How many ended runs are watched. */
const mostEnded = 20;

function folderSource(project: string, watch: QuietWatch): RunSource {
  const root = runsFolder(project);
  const store = fileStore(root);
  /** Open runs, those that are just being created, and a few that have ended: they may be retried. */
  const targets = (
    left: ReadonlyMap<string, string | undefined>,
  ): { readonly base: string; readonly path: string; readonly deep: boolean }[] => {
    const names = existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith(".")) : [];
    const changedAt = (runId: string): number => Number(left.get(runId)?.split(" ")[1] ?? 0);
    const ended = names.filter((name) => left.has(name)).sort((a, b) => changedAt(b) - changedAt(a));
    const watched = [...names.filter((name) => !left.has(name)), ...ended.slice(0, mostEnded)];
    const folder = relative(project, root).replaceAll("\\", "/");
    const paths = [folder, ...watched.map((runId) => `${folder}/${runId}`)];
    return paths.map((path) => ({ base: project, path, deep: false }));
  };
  return {
    store,
    engine: projectEngine(project, { interpret }),
    hasWorkers: false,
    listsEnded: true,
    list: async () => (await store.ids()).map((runId) => ({ runId, stamp: () => store.stamp(runId) })),
    // On a machine with several users, others answer for their own runs.
    isYours: (runId) => {
      const user = process.getuid?.();
      const owner = statSync(join(root, runId), { throwIfNoEntry: false })?.uid;
      return user === undefined || owner === user;
    },
    follow: (left) => watch.follow(targets(left)),
    close: async () => undefined,
  };
}
