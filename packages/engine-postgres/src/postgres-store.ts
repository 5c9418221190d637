import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import { checkName } from "@atomic/durable-files/safety/names";
import type { RunSummary } from "@atomic/workflows/internal/run/engine";
import type { JournalEntry, RunEvent, StepNote } from "@atomic/workflows/internal/run/events";
import type { Json } from "@atomic/workflows/internal/run/json";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { OpenOptions, RunMessage, RunStore } from "@atomic/workflows/internal/run/run-store";
import { userName } from "@atomic/workflows/internal/run/user-name";
import type { Database } from "./database.ts";
import type { ConnectionMode } from "./engine-url.ts";
import { hashOf, PostgresLog } from "./postgres-log.ts";
import { Presence } from "./presence.ts";
import { RunWatch } from "./run-watch.ts";

export interface PostgresStoreOptions {
  readonly database: Database;
  readonly mode: ConnectionMode;
  /** A process that shows no sign of life for so long has lost its runs. Default 15,000. */
  readonly leaseMs?: number;
  /** What this process is, for people. */
  readonly program?: string;
}

/** Runs in a database. Processes on any number of machines share them; the database decides who may write. */
export function postgresStore(options: PostgresStoreOptions): RunStore & { close(): Promise<void> } {
  const { database, mode, leaseMs = 15_000, program = "atomic" } = options;
  const { schema } = database.url;
  const query = database.query.bind(database);
  const held = new Map<string, PostgresLog | undefined>();
  const wakers = new Set<() => void>();
  const watch = new RunWatch(database, mode);
  const presence: Presence = new Presence({
    database,
    mode,
    leaseMs,
    program,
    notified: (run) => {
      const isHeld = run !== undefined && held.has(run);
      if (run === undefined) watch.wakeAll();
      else watch.changed(run, "inbox");
      if (!isHeld) for (const wake of wakers) wake();
    },
    failed: (error) => {
      for (const log of held.values()) log?.fail(error);
    },
  });

  return {
    name: "postgres",
    create: async (runId, event) => {
      const name = event.type === "run-created" && event.name !== undefined ? JSON.stringify(event.name) : null;
      const status: RunStatus = { kind: "pending" };
      const [row] = await query<{ is_new: boolean }>(
        `select ${schema}.create_run($1, $2, $3, $4, $5, $6, $7) as is_new`,
        [
          ...[checkId(runId), randomUUID(), name],
          ...[JSON.stringify(status), JSON.stringify(event), event.at],
          event.type === "run-created" ? (event.needs ?? []) : [],
        ],
      );
      return row?.is_new === true;
    },
    open: async (runId, how) => {
      if (held.has(checkId(runId))) throw heldBy(runId, `this process (pid ${process.pid})`);
      held.set(runId, undefined);
      try {
        await presence.start();
        const log = await claim(runId, how);
        held.set(runId, log);
        return log;
      } catch (error) {
        held.delete(runId);
        throw error;
      }
    },
    read: async (runId) => {
      const entries = await entriesAfter(checkId(runId), 0);
      if (entries.length === 0) throw notFound(runId);
      return entries;
    },
    tail: (runId, after) => {
      let read = after;
      return async () => {
        const fresh = await entriesAfter(runId, read);
        read = fresh.at(-1)?.n ?? read;
        return fresh;
      };
    },
    loadBlob: async (runId, { blob }) => {
      const text = `select content from ${schema}.blob where run = $1 and hash = $2`;
      const [row] = await query<{ content: string }>(text, [runId, blob]);
      if (row !== undefined && hashOf(row.content) === blob) return JSON.parse(row.content) as Json;
      throw new RunError("damaged", {
        message: `The result ${blob} of the run ${runId} ${row === undefined ? "is missing" : "does not match what was written"}`,
        hint: "Restore the database from a backup, or start a new run.",
      });
    },
    notes: (runId) => {
      let [epoch, n] = ["-1", "0"];
      return async () => {
        const rows = await query<{ epoch: string; n: string; note: string }>(
          `select epoch, n, note from ${schema}.note where run = $1 and (epoch, n) > ($2, $3) order by epoch, n`,
          [runId, epoch, n],
        );
        const last = rows.at(-1);
        if (last !== undefined) [epoch, n] = [last.epoch, last.n];
        return rows.map(({ n: at, note }) => recordIn<StepNote>(note, `Note ${at} of the run ${runId}`));
      };
    },
    removeTranscript: async (runId, isDry) => {
      const [row] = await query<{ note_bytes: string }>(`select note_bytes from ${schema}.run where id = $1`, [runId]);
      if (row === undefined) throw notFound(runId);
      if (!isDry) {
        await query(
          `with gone as (delete from ${schema}.note where run = $1)
           update ${schema}.run set bytes = bytes - note_bytes, note_bytes = 0 where id = $1`,
          [runId],
        );
      }
      return Number(row.note_bytes);
    },
    post: async (runId, message, after = 0) => {
      const [row] = await query<{ kept: "kept" | "ignored" | "missing" | "ended" }>(
        `select ${schema}.post($1, $2, $3, $4, $5, $6) as kept`,
        [checkId(runId), randomUUID(), keyOf(message), after, JSON.stringify(message), sender()],
      );
      if (row === undefined || row.kept === "missing") throw notFound(runId);
      watch.changed(runId, "inbox");
      if (row.kept !== "ended") return row.kept;
      // It has just ended, so there is nothing to cancel, and nothing else would ever be read.
      if (message.type === "cancel") return "ignored";
      throw new RunError("run-ended", { message: `The run ${runId} has just ended, so this came too late` });
    },
    inbox: async (runId, after) => {
      const rows = await query<{ n: string; message: string; sender: string }>(
        `select n, message, sender from ${schema}.message where run = $1 and n > $2 order by n`,
        [runId, after],
      );
      return rows.map(({ n, message, sender: by }) => ({
        n: Number(n),
        message: recordIn<RunMessage>(message, `Message ${n} to the run ${runId}`),
        by,
      }));
    },
    watch: (runId, what, grown) => watch.add(runId, what, grown),
    stamp: async (runId) => {
      const [row] = await query<{ stamp: string }>(`select ${stamp} as stamp from ${schema}.run where id = $1`, [
        runId,
      ]);
      return row?.stamp;
    },
    ids: async () => (await query<{ id: string }>(`select id from ${schema}.run order by id`)).map(({ id }) => id),
    size: async (runId) => {
      const [row] = await query<{ bytes: string }>(`select bytes from ${schema}.run where id = $1`, [runId]);
      if (row === undefined) throw notFound(runId);
      return Number(row.bytes);
    },
    ends: async (runId) => {
      const rows = await query<{ event: string }>(
        `select event from ${schema}.event join ${schema}.run on run.id = event.run
         where run.id = $1 and n in (1, last_n) order by n`,
        [checkId(runId)],
      );
      const [first, last] = [rows.at(0), rows.at(-1)];
      if (first === undefined || last === undefined) throw notFound(runId);
      const what = `The journal of the run ${runId}`;
      return { first: recordIn<RunEvent>(first.event, what), last: recordIn<RunEvent>(last.event, what) };
    },
    isAlive: async (runId) => {
      const text = `select owner in (select ${schema}.live()) as alive from ${schema}.run where id = $1`;
      const [row] = await query<{ alive: boolean | null }>(text, [runId]);
      return row?.alive === true;
    },
    remove: async (runId) => {
      const text = `select event from ${schema}.event where run = $1 and n = 1`;
      const [first] = await query<{ event: string }>(text, [checkId(runId)]);
      const gone = await query(
        `with gone as (
           delete from ${schema}.run where id = $1 and ended and (owner is null or owner not in (select ${schema}.live()))
           returning id
         ), kept as (
           insert into ${schema}.leftover (run, url) select id, $2 from gone where $2::text is not null on conflict do nothing
         )
         select id from gone`,
        [runId, first === undefined ? null : (repositoryOf(first.event) ?? null)],
      );
      if (gone.length > 0) return true;
      const [row] = await query<{ owner: string | null }>(`select owner from ${schema}.run where id = $1`, [runId]);
      if (row?.owner == null) return false;
      throw await heldByOwner(runId);
    },
    summaries: async () => {
      const rows = await query<SummaryRow>(
        `select id, name, status, created_at, updated_at, bytes,
           owner is not null and owner not in (select ${schema}.live()) as is_dead
         from ${schema}.run order by created_at desc, id`,
      );
      return rows.map(summaryOf);
    },
    claimable: async (most) => {
      await presence.start();
      return await query<{ runId: string; stamp: string }>(
        `select id as "runId", ${stamp} as stamp from ${schema}.run
         where not ended and (owner is null or owner not in (select ${schema}.live()))
           and (owner is not null or messages > read or due is null or due <= clock_timestamp())
         order by created_at limit $1`,
        [most],
      );
    },
    onWork: (wake) => {
      wakers.add(wake);
      return () => wakers.delete(wake);
    },
    close: async () => {
      watch.close();
      await presence.close();
      await database.close();
    },
  };

  async function claim(runId: string, { take, kept, failed, status }: OpenOptions): Promise<PostgresLog> {
    const [claimed] = await query<{ epoch: string; last_n: string; note_bytes: string }>(
      `update ${schema}.run set owner = $2, epoch = epoch + 1, taken_until = null
       where id = $1 and (owner is null or owner = $2 or owner not in (select ${schema}.live()))
       returning epoch, last_n, note_bytes`,
      [runId, presence.id],
    );
    if (claimed === undefined) throw await heldByOwner(runId);
    const lastN = Number(claimed.last_n);
    const log = new PostgresLog(
      database,
      { runId, epoch: claimed.epoch, lastN, noteBytes: Number(claimed.note_bytes) },
      {
        failed,
        status,
        kept: () => {
          kept();
          watch.changed(runId, "journal");
        },
        closed: () => held.delete(runId),
      },
    );
    try {
      let last = 0;
      for (const entry of await entriesAfter(runId, 0)) {
        if (entry.n !== last + 1) break;
        last = entry.n;
        take(entry);
      }
      if (last === lastN) return log;
      throw new RunError("damaged", {
        message: `The journal of the run ${runId} has ${lastN} records, but record ${last + 1} is missing`,
        hint: "Restore the database from a backup, or start a new run.",
      });
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async function entriesAfter(runId: string, after: number): Promise<JournalEntry[]> {
    const rows = await query<{ n: string; event: string }>(
      `select n, event from ${schema}.event where run = $1 and n > $2 order by n`,
      [runId, after],
    );
    return rows.map(({ n, event }) => ({
      n: Number(n),
      event: recordIn<RunEvent>(event, `Record ${n} of the run ${runId}`),
    }));
  }

  /** Why a run cannot be claimed. */
  async function heldByOwner(runId: string): Promise<RunError> {
    const [row] = await query<{ host: string | null; pid: number | null }>(
      `select host, pid from ${schema}.run left join ${schema}.process on process.id = run.owner where run.id = $1`,
      [runId],
    );
    if (row === undefined) return notFound(runId);
    return heldBy(runId, row.host === null ? "a process that has just ended" : `process ${row.pid} on ${row.host}`);
  }
}

/** Changes with everything that may make a run claimable. */
const stamp = "last_n || ' ' || messages || ' ' || coalesce(due <= clock_timestamp(), true)";

interface SummaryRow {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly bytes: string;
  readonly is_dead: boolean;
}

function summaryOf({ id, name, status: text, created_at, updated_at, bytes, is_dead }: SummaryRow): RunSummary {
  const status = statusIn(text);
  const isInterrupted = is_dead && (status.kind === "running" || status.kind === "waiting");
  return {
    runId: id,
    name: name === null ? undefined : nameIn(name),
    status: isInterrupted ? { kind: "interrupted", owner: status.owner } : status,
    createdAt: Number(created_at),
    updatedAt: Number(updated_at),
    bytes: Number(bytes),
  };
}

/** Whatever is wrong with one run, the others are listed. */
function statusIn(text: string): RunStatus {
  const status = objectIn(text) as RunStatus | undefined;
  const isWhole =
    status !== undefined &&
    typeof status.kind === "string" &&
    (status.kind !== "waiting" || Array.isArray(status.for)) &&
    (status.kind !== "failed" || typeof status.error?.message === "string");
  return isWhole ? status : { kind: "damaged", reason: "its status in the database cannot be read" };
}

function nameIn(text: string): string | undefined {
  const { name } = objectIn(`{"name":${text}}`) ?? {};
  return typeof name === "string" ? name : undefined;
}

function recordIn<T>(text: string, what: string): T {
  const found = objectIn(text);
  if (found !== undefined) return found as T;
  throw new RunError("damaged", {
    message: `${what} cannot be read`,
    hint: "Restore the database from a backup, or start a new run.",
  });
}

/** Of messages with the same key only the first counts. A key may contain anything, which JSON can write. */
function keyOf(message: RunMessage): string | null {
  if (message.type === "signal") return JSON.stringify(message.key);
  return message.type === "cancel" ? "cancel" : null;
}

/** What this process says about itself. The database adds the name of its own user, which cannot be made up. */
function sender(): string {
  return `${userName()}@${hostname()}`;
}

/** The repository that has the run's files, if its workspace names one. */
function repositoryOf(event: string): string | undefined {
  const { workspace } = (objectIn(event) ?? {}) as { workspace?: { repository?: { url?: unknown } } | null };
  const url = workspace?.repository?.url;
  return typeof url === "string" ? url : undefined;
}

function checkId(runId: string): string {
  try {
    return checkName(runId);
  } catch (cause) {
    const { message, hint } = cause as Error & { hint?: string };
    throw new RunError("bad-request", { message: `This is not a valid run id: ${message}`, cause, hint });
  }
}

function notFound(runId: string): RunError {
  return new RunError("run-not-found", { message: `There is no run ${runId}` });
}

function heldBy(runId: string, who: string): RunError {
  return new RunError("run-held", { message: `The run ${runId} is already being worked on by ${who}` });
}
