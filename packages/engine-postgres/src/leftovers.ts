// What runs leave outside of the database, in repositories and on workers' disks, and when it may be removed.
import type { Database } from "./database.ts";

/** Files that a removed run left in a repository. */
export interface LeftRef {
  readonly runId: string;
  readonly url: string;
}

/** The id of the database with the runs: machines and repositories may be shared with others. */
export async function fleetOfDatabase(database: Database): Promise<string> {
  const [row] = await database.query<{ id: string }>(`select id from ${database.url.schema}.fleet`);
  if (row === undefined) throw new Error(`The table ${database.url.schema}.fleet is empty.`);
  return row.id;
}

/** Of removed runs. No other run gets one of these ids until `refRemoved`. */
export async function leftRefs(database: Database): Promise<LeftRef[]> {
  const { schema } = database.url;
  return await database.query<LeftRef & { since: Date }>(
    `select run as "runId", url from ${schema}.leftover where run not in (select id from ${schema}.run) order by since`,
  );
}

export async function refRemoved(database: Database, runId: string): Promise<void> {
  await database.query(`delete from ${database.url.schema}.leftover where run = $1`, [runId]);
}

/** Those of the runs that have not ended. */
export async function openRuns(database: Database, runIds: readonly string[]): Promise<Set<string>> {
  const text = `select id from ${database.url.schema}.run where id = any($1) and not ended`;
  return new Set((await database.query<{ id: string }>(text, [runIds])).map(({ id }) => id));
}

/**
 * Does something short with what a run left, unless the run has not ended. Meanwhile the run cannot be retried, and no
 * other run gets its id.
 */
export async function whileEnded(database: Database, runId: string, act: () => Promise<void> | void): Promise<boolean> {
  const { schema } = database.url;
  const connection = await database.connectAlone();
  try {
    await connection.query("begin");
    await connection.query("select pg_advisory_xact_lock(hashtext($1))", [`${schema} run ${runId}`]);
    const { rows } = await connection.query<{ ended: boolean }>(
      `select ended from ${schema}.run where id = $1 for update`,
      [runId],
    );
    if (rows[0]?.ended === false) return false;
    await act();
    await connection.query("commit");
    return true;
  } finally {
    await connection.end(); // rolls back what was not committed
  }
}
