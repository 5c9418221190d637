// Who executes which run next. The journal decides who may write; this only saves workers from trying in vain.

import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { RunCreated } from "@atomic/workflows/internal/run/events";
import { findMode } from "./connection-mode.ts";
import { Database } from "./database.ts";
import { parseEngineUrl } from "./engine-url.ts";
import { requireVersion } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { Presence } from "./presence.ts";

/** Shorter than usual: everything that a worker asks is small, and asking again changes nothing. */
const statementMs = 10_000;

export interface DispatchOptions {
  /** The hosts that this worker has; undefined: all. */
  readonly hosts: readonly string[] | undefined;
  /** How many runs may use a host at the same time, in the whole fleet. */
  readonly limits: Readonly<Record<string, number>>;
  /** By run, the ids of the child processes that are alive now: a child whose thread is busy does not lose its run. */
  readonly children?: () => ReadonlyMap<string, number>;
  /** There may be a run to take. */
  readonly wake: () => void;
  readonly failed: (error: unknown) => void;
}

export interface DispatchedRun extends Pick<RunCreated, "runId" | "workspace"> {
  /** How many records its journal had. */
  readonly records: number;
  /** How many processes in a row it has crashed. */
  readonly crashes: number;
}

/** A run after the child that worked on it has ended. */
export interface LeftRun {
  /** Ends by a crash in a row. */
  readonly crashes: number;
  readonly isOver: boolean;
  /** Something could be done at once. */
  readonly isReady: boolean;
  readonly records: number;
}

export interface FleetCounts {
  /** Worked on by a living process. */
  readonly working: number;
  /** Could be worked on now. */
  readonly ready: number;
  /** Waiting for an answer, a date or a new budget. */
  readonly waiting: number;
}

export class Dispatch {
  readonly #database: Database;
  readonly #presence: Presence;
  readonly #options: DispatchOptions;

  private constructor(database: Database, presence: Presence, options: DispatchOptions) {
    this.#database = database;
    this.#presence = presence;
    this.#options = options;
  }

  static async open(url: string, options: DispatchOptions): Promise<Dispatch> {
    const database = new Database(parseEngineUrl(url), { statementMs });
    try {
      await requireVersion(database);
      const { mode } = await findMode(database);
      const { wake: notified, failed, children } = options;
      const program = "atomic worker";
      const presence = new Presence({ database, mode, leaseMs: 15_000, program, notified, failed, children });
      await presence.start();
      return new Dispatch(database, presence, options);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  get database(): Database {
    return this.#database;
  }

  /** The next run, reserved for this worker until its child has claimed it. None if the tables have another version by now. */
  async take(skipped: readonly string[]): Promise<DispatchedRun | undefined> {
    const { schema } = this.#database.url;
    const { hosts, limits } = this.#options;
    const [row] = await this.#database.query<{ run: string | null }>(
      `select ${schema}.take_run($1, $2, $3, $4) as run`,
      [this.#presence.id, hosts ?? null, skipped, JSON.stringify(limits)],
    );
    if (row?.run == null) return undefined;
    const [created] = await this.#database.query<{ event: string; last_n: string; crashes: number; version: number }>(
      `select event, last_n, crashes, (select max(version) from ${schema}.version) as version
       from ${schema}.event join ${schema}.run on run.id = event.run where run = $1 and n = 1`,
      [row.run],
    );
    // The tables may have been updated since the worker last looked, and the run may be one that only a newer version can read.
    if (created !== undefined && created.version !== migrations.length) {
      await this.#database.query(
        `update ${schema}.run set taken_until = null where id = $1 and taken_by = $2 and taken_until is not null`,
        [row.run, this.#presence.id],
      );
      return undefined;
    }
    // The process that works on the run reports a record that it cannot read.
    const { workspace } = (objectIn(created?.event ?? "{}") ?? {}) as Partial<RunCreated>;
    const { last_n: records = "0", crashes = 0 } = created ?? {};
    return { runId: row.run, records: Number(records), crashes, ...(workspace !== undefined && { workspace }) };
  }

  /** Whether the journal has the result of this attempt. */
  async hasFinished(
    runId: string,
    { key, attempt }: { readonly key: string; readonly attempt: number },
  ): Promise<boolean> {
    const { schema } = this.#database.url;
    const rows = await this.#database.query<{ event: string }>(
      `select event from ${schema}.event where run = $1 and strpos(event, '"step-finished"') > 0 and strpos(event, $2) > 0`,
      [runId, JSON.stringify(key)],
    );
    return rows.some(({ event }) => {
      const { type, key: recorded, attempt: at } = objectIn(event) ?? {};
      return type === "step-finished" && recorded === key && at === attempt;
    });
  }

  /** Keeps a run reserved that takes long to prepare, such as a first clone. Once its child has claimed it, nothing changes. */
  async reserve(runId: string): Promise<void> {
    const { schema } = this.#database.url;
    await this.#database.query(
      `update ${schema}.run set taken_until = clock_timestamp() + interval '30 seconds'
       where id = $1 and taken_by = $2 and taken_until is not null`,
      [runId, this.#presence.id],
    );
  }

  /** Changes nothing about a run that another worker has taken meanwhile. */
  async left(runId: string, isCrash: boolean): Promise<LeftRun> {
    const { schema } = this.#database.url;
    const [row] = await this.#database.query<{ crashes: number; ended: boolean; ready: boolean; last_n: string }>(
      `update ${schema}.run set taken_until = null, crashes = case when $2 then crashes + 1 else 0 end,
         not_before = case when $2 then clock_timestamp() + least(60, power(2, crashes)) * interval '1 second' end
       where id = $1 and taken_by = $3
       returning crashes, ended, last_n,
         not ended and owner is null and (due is null or due <= clock_timestamp() or messages > read) as ready`,
      [runId, isCrash, this.#presence.id],
    );
    const { crashes = 0, ended: isOver = true, ready: isReady = false, last_n = "0" } = row ?? {};
    return { crashes, isOver, isReady, records: Number(last_n) };
  }

  async counts(): Promise<FleetCounts> {
    const { schema } = this.#database.url;
    const [row] = await this.#database.query<Record<keyof FleetCounts, string>>(
      `select count(*) filter (where owner in (select ${schema}.live())) as working,
         count(*) filter (where owner is null and due > clock_timestamp() and messages = read) as waiting,
         count(*) filter (where (owner is null or owner not in (select ${schema}.live()))
           and (owner is not null or due is null or due <= clock_timestamp() or messages > read)) as ready
       from ${schema}.run where not ended`,
    );
    return { working: Number(row?.working), ready: Number(row?.ready), waiting: Number(row?.waiting) };
  }

  async close(): Promise<void> {
    await this.#presence.close();
    await this.#database.close();
  }
}
