import { findRun } from "@atomic/terminal/find-run";
import { runsFolder } from "@atomic/workflows/internal/run/embedded/runs-folder";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { AtomicContext } from "../context.ts";
import { locate } from "../entities/load-entities.ts";
import type { Where } from "../report/path.ts";

export interface ProjectRuns {
  readonly where: Where;
  /** Where they are. */
  readonly folder: string;
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

/** The runs of the project around the current folder. Reads nothing yet, and creates nothing. */
export async function runsOf(context: AtomicContext): Promise<ProjectRuns> {
  const [{ projectEngine }, where] = await Promise.all([
    import("@atomic/workflows/internal/project-engine"),
    locate(context),
  ]);
  const interpret = async (): Promise<never> => {
    throw new Error("This engine can only read runs.");
  };
  const engine = projectEngine(where.project, { interpret });
  return {
    where,
    folder: runsFolder(where.project),
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
