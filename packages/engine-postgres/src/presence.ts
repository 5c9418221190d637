// This process as others see it: alive or not, and woken by what they send.
import { randomBytes, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import type { Client } from "pg";
import { type Database, isAway } from "./database.ts";
import type { ConnectionMode } from "./engine-url.ts";

const beatMs = 500;

/** A third of the usual lease, so a silent connection costs no runs. */
const longestBeatMs = 5000;

/** How often the connection that waits for notifications is tried, and how long it may take to answer. */
const lineMs = 5000;

export interface PresenceOptions {
  readonly database: Database;
  readonly mode: ConnectionMode;
  /** Who has shown no sign of life for so long is dead, whatever else is known. */
  readonly leaseMs: number;
  /** Shown to people. */
  readonly program: string;
  /** Something was sent to the run; `*`: there is a new run; undefined: notifications may have been missed. */
  readonly notified: (run: string | undefined) => void;
  /** Runs, and the ids of child processes that work on them. This process vouches for children whose thread is busy. */
  readonly children?: (() => ReadonlyMap<string, number>) | undefined;
  /** It can no longer be shown that this process is alive. */
  readonly failed: (error: unknown) => void;
}

export class Presence {
  readonly id: string = randomUUID();
  readonly #options: PresenceOptions;
  #line: Client | undefined;
  #lockKey: bigint | undefined;
  #wake: () => void = () => undefined;
  #starting: Promise<void> | undefined;
  /** The sign of life under way. */
  #beating: Promise<void> = Promise.resolve();
  #isReconnecting = false;
  #tryLineAt = 0;
  #isClosed = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Registers this process, so it can own runs. */
  async start(): Promise<void> {
    this.#starting ??= this.#start().catch((error) => {
      this.#starting = undefined;
      throw error;
    });
    await this.#starting;
  }

  async #start(): Promise<void> {
    const { database, mode } = this.#options;
    const { schema } = database.url;
    // Those that ended without a word.
    await database.query(`delete from ${schema}.process where seen < clock_timestamp() - interval '1 day'`);
    if (mode === "session") await this.#connect();
    else await this.#beat();
    void this.#keepBeating();
  }

  /** From then on, nothing is asked of the database and nothing is reported. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wake();
    if (this.#starting === undefined) return;
    const { database } = this.#options;
    database.stopWaiting();
    // A sign of life that arrived after the end would bring the process back.
    await Promise.allSettled([this.#starting, this.#beating]);
    if (this.#line !== undefined) await end(this.#line);
    try {
      await database.query(`delete from ${database.url.schema}.process where id = $1`, [this.id]);
    } catch (error) {
      if (!isAway(error)) throw error; // a database that is away forgets this process by itself
    }
  }

  #beat(): Promise<void> {
    this.#beating = this.#register();
    return this.#beating;
  }

  async #register(): Promise<void> {
    const { database, leaseMs, program } = this.#options;
    await database.query(
      `insert into ${database.url.schema}.process (id, host, pid, program, lock_key, lease)
       values ($1, $2, $3, $4, $5, $6 * interval '1 millisecond')
       on conflict (id) do update set seen = clock_timestamp(), lock_key = excluded.lock_key`,
      [this.id, hostname(), process.pid, program, this.#lockKey?.toString() ?? null, leaseMs],
      { statementMs: longestBeatMs },
    );
  }

  /** Another worker may have taken a run meanwhile; then its owner is another process. */
  async #vouch(): Promise<void> {
    const { database, children } = this.#options;
    const pids = children?.() ?? new Map<string, number>();
    if (pids.size === 0) return;
    const { schema } = database.url;
    await database.query(
      `update ${schema}.process set seen = clock_timestamp()
       from ${schema}.run, unnest($3::text[], $4::integer[]) as child (run, pid)
       where run.id = child.run and run.taken_by = $1 and process.id = run.owner and process.pid = child.pid and host = $2`,
      [this.id, hostname(), [...pids.keys()], [...pids.values()]],
      { statementMs: longestBeatMs },
    );
  }

  async #keepBeating(): Promise<void> {
    while (!this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, beatMs);
      });
      if (!this.#isClosed) await this.#beat().catch((error) => this.#report(error));
      if (!this.#isClosed) await this.#vouch().catch((error) => this.#report(error));
      this.#tryLine();
    }
  }

  /** A connection that a router or firewall has forgotten looks open until something is sent over it. */
  #tryLine(): void {
    const line = this.#line;
    if (line === undefined || this.#isClosed || performance.now() < this.#tryLineAt) return;
    this.#tryLineAt = performance.now() + lineMs;
    const timer = setTimeout(() => void line.end(), lineMs); // then there is a new one
    const answered = (): void => clearTimeout(timer);
    line.query("select 1").then(answered, answered); // its end is noticed
  }

  /** A database that is away is not a reason to stop: a process that lost its runs meanwhile learns it from the journal. */
  #report(error: unknown): void {
    if (isAway(error) || this.#isClosed) return;
    this.#options.failed(error);
  }

  /** One connection whose end the server notices at once: it holds a lock that no other can have. */
  async #connect(): Promise<void> {
    const { database, notified } = this.#options;
    const line = await database.connectAlone();
    if (this.#isClosed) return await line.end();
    // A new key each time: the server may not know yet that the old connection is gone.
    const key = randomBytes(8).readBigUInt64BE() >> 1n;
    line.on("notification", ({ payload }) => notified(payload));
    line.once("end", () => {
      if (this.#line === line) this.#line = undefined;
      if (!this.#isClosed) void this.#reconnect();
    });
    const lock = { text: "select pg_advisory_lock($1::bigint)", values: [key.toString()], query_timeout: lineMs };
    const listen = { text: `listen "${database.url.schema}"`, query_timeout: lineMs };
    try {
      await line.query(lock);
      await line.query(listen);
    } catch (error) {
      void end(line);
      throw error;
    }
    if (this.#isClosed) return await line.end();
    this.#line = line;
    this.#lockKey = key;
    await this.#beat();
    if (!this.#isClosed) notified(undefined);
  }

  async #reconnect(): Promise<void> {
    if (this.#isReconnecting) return;
    this.#isReconnecting = true;
    while (!this.#isClosed && this.#line === undefined) {
      try {
        await this.#connect();
      } catch (error) {
        this.#report(error);
        await new Promise((resolve) => setTimeout(resolve, beatMs));
      }
    }
    this.#isReconnecting = false;
  }
}

/** Whoever does not answer does not confirm the end either, and would keep this process from ending. */
async function end(line: Client): Promise<void> {
  const { connection } = line as unknown as { readonly connection: { readonly stream: Socket } };
  const timer = setTimeout(() => connection.stream.destroy(), lineMs);
  await line.end();
  clearTimeout(timer);
}
