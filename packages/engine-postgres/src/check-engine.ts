import { type FoundMode, findMode } from "./connection-mode.ts";
import { Database } from "./database.ts";
import { parseEngineUrl } from "./engine-url.ts";
import { requireVersion } from "./migrate.ts";
import { migrations } from "./migrations.ts";

export interface EngineCheck extends FoundMode {
  /** `PostgreSQL 18.4` */
  readonly server: string;
  readonly user: string;
  /** The version of the tables. */
  readonly tables: number;
  readonly mayStart: boolean;
  readonly mayWork: boolean;
  /** How long the database takes to answer: the shortest of several times. */
  readonly roundTripMs: number;
  /** How far the database's clock is ahead of ours. Only its clock decides who is alive. */
  readonly clockMs: number;
}

/** Connects and tries what a process needs. Rejects if runs cannot even be listed. */
export async function checkEngine(text: string, now: () => number): Promise<EngineCheck> {
  const database = new Database(parseEngineUrl(text));
  const { schema } = database.url;
  try {
    await requireVersion(database);
    const found = await findMode(database);
    let [roundTripMs, clockMs] = [Number.POSITIVE_INFINITY, 0];
    for (let time = 0; time < 5; time++) {
      const began = performance.now();
      const [row] = await database.query<{ ms: number }>(
        "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
      );
      const took = performance.now() - began;
      if (took >= roundTripMs) continue;
      roundTripMs = took;
      clockMs = Math.round((row?.ms ?? 0) - now() + took / 2);
    }
    const [rights] = await database.query<{ server: string; user: string; start: boolean; work: boolean }>(
      `select current_setting('server_version') as server, session_user as user,
         has_function_privilege('${schema}.post(text, uuid, text, bigint, text, text)', 'execute') as start,
         has_table_privilege('${schema}.event', 'insert') and has_table_privilege('${schema}.process', 'insert') as work`,
    );
    return {
      ...found,
      server: `PostgreSQL ${rights?.server}`,
      user: rights?.user ?? "",
      tables: migrations.length,
      mayStart: rights?.start === true,
      mayWork: rights?.work === true,
      roundTripMs,
      clockMs,
    };
  } finally {
    await database.close();
  }
}
