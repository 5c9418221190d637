import { type Clock, systemClock } from "@atomic/workflows/internal/run/clock";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import { type EngineOptions, StoreEngine } from "@atomic/workflows/internal/run/local-engine";
import { findMode } from "./connection-mode.ts";
import { Database, type StatementLimits } from "./database.ts";
import { parseEngineUrl } from "./engine-url.ts";
import { requireVersion } from "./migrate.ts";
import { postgresStore } from "./postgres-store.ts";

export interface PostgresEngineOptions extends EngineOptions, Partial<StatementLimits> {
  readonly leaseMs?: number;
  readonly program?: string;
}

/**
 * Runs in Postgres, for processes on any number of machines.
 * @example
 * const engine = await postgresEngine("postgres://ada@db.example/atomic", { interpret });
 */
export async function postgresEngine(url: string, options: PostgresEngineOptions): Promise<LocalEngine> {
  const { leaseMs, patienceMs, statementMs, program, ...rest } = options;
  const limits = { ...(patienceMs !== undefined && { patienceMs }), ...(statementMs !== undefined && { statementMs }) };
  const database = new Database(parseEngineUrl(url), limits);
  try {
    await requireVersion(database);
    const { mode } = await findMode(database);
    const own = { ...(leaseMs !== undefined && { leaseMs }), ...(program !== undefined && { program }) };
    const clock = rest.clock ?? (await databaseClock(database));
    return new StoreEngine(postgresStore({ database, mode, ...own }), { ...rest, clock });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Machines whose clocks differ must agree on when a wait is over, so all of them use the database's time. */
async function databaseClock(database: Database): Promise<Clock> {
  const began = Date.now();
  const [row] = await database.query<{ ms: number }>(
    "select extract(epoch from clock_timestamp())::float8 * 1000 as ms",
  );
  const ended = Date.now();
  const aheadMs = Math.round((row?.ms ?? ended) - (began + ended) / 2);
  return { ...systemClock, now: () => Date.now() + aheadMs };
}
