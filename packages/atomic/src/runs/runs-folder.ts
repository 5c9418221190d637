import { findRun } from "@atomic/terminal/find-run";
import { runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { AtomicContext } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import type { Where } from "../report/path.ts";
import { engineFor, engineUrl, ownFolder } from "./engine-for.ts";

export interface ProjectRuns {
  readonly where: Where;
  /** Where they are; undefined if they are in a database. */
  readonly folder: string | undefined;
  /** The database's URL. */
  readonly database: string | undefined;
  /** To look at runs and to send them messages; it cannot work on them, as it knows no workflow. */
  readonly engine: LocalEngine;
  /** The full id for a typed prefix. */
  find(typed: string): Promise<string>;
}

/** Where a user who named no run, or an unknown one, reads on. */
export const runHints = {
  list: "`atomic runs --all` lists them.",
  start: "`atomic run <workflow>` starts one.",
} as const;

/**
 * The runs of the project around the current folder, or of the database that `--engine` names. Creates nothing.
 *
 * @param given What `--engine` says.
 */
export async function runsOf(context: AtomicContext, given: string | undefined): Promise<ProjectRuns> {
  const where = await locate(context);
  const interpret = async (): Promise<never> => {
    throw new Error("This engine can only read runs.");
  };
  const database = await engineUrl(context, where.project, given);
  const engine = await engineFor(context, where.project, database ?? ownFolder, { interpret });
  return {
    where,
    folder: database === undefined ? runsFolder(where.project) : undefined,
    database,
    engine,
    find: async (typed) => {
      const runs = await engine.list();
      return findRun(
        typed,
        runs.map(({ runId }) => runId),
        runHints,
      );
    },
  };
}
