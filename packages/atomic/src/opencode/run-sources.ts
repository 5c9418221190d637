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
import { setupOf } from "../runs/run-setup.ts";

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
  return url === undefined ? folderSource(project, watch) : await databaseSource(url, project, watch);
}

async function interpret(): Promise<never> {
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

/** How often a database is asked. */
const pollMs = 1000;

async function databaseSource(url: string, project: string, watch: QuietWatch): Promise<RunSource> {
  const [{ Database }, { parseEngineUrl }, { requireVersion }, { findMode }, { postgresStore }, open, { StoreEngine }] =
    await Promise.all([
      import("@atomic/engine-postgres/database"),
      import("@atomic/engine-postgres/engine-url"),
      import("@atomic/engine-postgres/migrate"),
      import("@atomic/engine-postgres/connection-mode"),
      import("@atomic/engine-postgres/postgres-store"),
      import("@atomic/engine-postgres/open-runs"),
      import("@atomic/workflows/internal/run/local-engine"),
    ]);
  const { tryGit } = await import("../fleet/git.ts");
  const database = new Database(parseEngineUrl(url));
  await requireVersion(database);
  const { mode } = await findMode(database);
  const store = postgresStore({ database, mode, program: "atomic in OpenCode" });
  const engine = new StoreEngine(store, { interpret, folder: project });
  const origin = (await tryGit(project, "remote", "get-url", "origin")).stdout.trim();
  let timer: NodeJS.Timeout | undefined;
  return {
    store,
    engine,
    hasWorkers: true,
    list: async (followed) =>
      (await open.openRunStamps(database, followed)).map(({ runId, stamp }) => ({ runId, stamp: () => stamp })),
    // Of a team's runs, those of this project.
    isYours: async (runId) => {
      const repository = setupOf(await open.workspaceOf(database, runId))?.repository;
      return repository === undefined || repository.url === origin;
    },
    follow: () => {
      timer ??= setInterval(() => watch.soon(), pollMs).unref();
      return false;
    },
    close: async () => {
      clearInterval(timer);
      await engine.close();
    },
  };
}
