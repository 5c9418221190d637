import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { RunCreated } from "@atomic/workflows/internal/run/events";
import type { Database } from "./database.ts";

/** A run, and whether it has changed. */
export interface RunStamp {
  readonly runId: string;
  /** Changes with the run's journal and its inbox. */
  readonly stamp: string;
}

/**
 * Runs that have not ended, with one statement however many there are.
 *
 * @param also Runs that may have ended since.
 */
export async function openRunStamps(database: Database, also: readonly string[]): Promise<RunStamp[]> {
  return await database.query<RunStamp & Record<string, string>>(
    `select id as "runId", last_n || ' ' || messages as stamp from ${database.url.schema}.run
     where not ended or id = any($1) order by created_at`,
    [also],
  );
}

/** What the run was started with, without the rest of its journal. */
export async function workspaceOf(database: Database, runId: string): Promise<RunCreated["workspace"]> {
  const text = `select event from ${database.url.schema}.event where run = $1 and n = 1`;
  const [row] = await database.query<{ event: string }>(text, [runId]);
  // A record that cannot be read is reported by those who need all of it.
  return (objectIn(row?.event ?? "") as Partial<RunCreated> | undefined)?.workspace;
}
