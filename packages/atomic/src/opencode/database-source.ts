// Runs that OpenCode's terminal shows from a database. A file of its own in the bundle, which only those load who have a database.
import { findMode } from "@atomic/engine-postgres/connection-mode";
import { Database } from "@atomic/engine-postgres/database";
import { parseEngineUrl } from "@atomic/engine-postgres/engine-url";
import { requireVersion } from "@atomic/engine-postgres/migrate";
import { openRunStamps, workspaceOf } from "@atomic/engine-postgres/open-runs";
import { postgresStore } from "@atomic/engine-postgres/postgres-store";
import type { QuietWatch } from "@atomic/workflows/internal/entities/watch/quiet-watch";
import { StoreEngine } from "@atomic/workflows/internal/run/local-engine";
import { tryGit } from "../fleet/git.ts";
import { setupOf } from "../runs/run-setup.ts";
import { interpret, type RunSource } from "./run-sources.ts";

/** How often a database is asked. */
const pollMs = 1000;

export async function databaseSource(url: string, project: string, watch: QuietWatch): Promise<RunSource> {
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
    listsEnded: false,
    list: async (followed) =>
      (await openRunStamps(database, followed)).map(({ runId, stamp }) => ({ runId, stamp: () => stamp })),
    // Of a team's runs, those of this project.
    isYours: async (runId) => {
      const repository = setupOf(await workspaceOf(database, runId))?.repository;
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
