import { createHash } from "node:crypto";
import type { BlobRef, JournalEntry, RunEvent, StepNote } from "@atomic/workflows/internal/run/events";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { OpenOptions, RunLog } from "@atomic/workflows/internal/run/run-store";
import { longestTranscript } from "@atomic/workflows/internal/run/transcript";
import type { Database } from "./database.ts";

/** How many events may wait for the database. */
const maxWaiting = 1024;

/** How long a note waits for others, unless an event takes it along. */
const noteMs = 150;

export interface RunClaim {
  readonly runId: string;
  /** Every claim of a run has the next number; what an earlier one still writes is refused. */
  readonly epoch: string;
  readonly lastN: number;
  readonly noteBytes: number;
}

export interface PostgresLogHooks extends Pick<OpenOptions, "kept" | "failed" | "status"> {
  /** The claim has ended. */
  readonly closed: () => void;
}

/** A run's journal. What comes while a statement is under way travels with the next one. */
export class PostgresLog implements RunLog {
  readonly #database: Database;
  readonly #claim: RunClaim;
  readonly #hooks: PostgresLogHooks;
  #waiting: JournalEntry[] = [];
  #notes: string[] = [];
  #noteN = 0;
  #noteBytes: number;
  #noteTimer: NodeJS.Timeout | undefined;
  /** The next statement, with everything that waits. */
  #flush: Promise<void> | undefined;
  /** The statement under way. */
  #writing: Promise<void> = Promise.resolve();
  #last: number;
  /** The last record that the database has. */
  #keptN: number;
  #isFree = false;
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;
  readonly #saved = new Map<string, Promise<void>>();

  constructor(database: Database, claim: RunClaim, hooks: PostgresLogHooks) {
    this.#database = database;
    this.#claim = claim;
    this.#hooks = hooks;
    this.#last = claim.lastN;
    this.#keptN = claim.lastN;
    this.#noteBytes = claim.noteBytes;
  }

  get isFull(): boolean {
    return this.#waiting.length >= maxWaiting;
  }

  append(event: RunEvent): JournalEntry {
    const entry = { n: ++this.#last, event };
    this.#waiting.push(entry);
    if (this.#flush === undefined) {
      this.#flush = new Promise((resolve) => setImmediate(resolve)).then(() => this.#writing).then(() => this.#write());
      this.#flush.catch(() => undefined); // reported through `failed`
    }
    return entry;
  }

  flushed(): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return this.#flush ?? (this.#keptN === this.#last ? undefined : this.#writing.then(() => this.#check()));
  }

  async saveBlob(text: string): Promise<BlobRef> {
    const ref: BlobRef = { blob: hashOf(text), bytes: Buffer.byteLength(text) };
    let saving = this.#saved.get(ref.blob);
    if (saving === undefined) {
      saving = this.#save(ref, text);
      this.#saved.set(ref.blob, saving);
    }
    await saving;
    return ref;
  }

  tell(note: StepNote): void {
    if (this.#isClosed || this.#failure !== undefined) return;
    const text = JSON.stringify(note);
    if (this.#noteBytes + text.length > longestTranscript) return;
    this.#noteBytes += text.length;
    this.#notes.push(text);
    this.#noteTimer ??= setTimeout(() => {
      this.#noteTimer = undefined;
      // An event that waits takes the notes along.
      if (this.#flush !== undefined || this.#notes.length === 0 || this.#isClosed) return;
      const writing = this.#writing.then(() => this.#write());
      writing.catch(() => undefined); // reported through `failed`
    }, noteMs);
  }

  /** Nothing can be kept any more. */
  fail(error: unknown): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = { error };
    this.#hooks.failed(error);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#noteTimer);
    this.#hooks.closed();
    if (this.#isFree) return;
    const { runId, epoch } = this.#claim;
    const { schema } = this.#database.url;
    await this.#database.query(`update ${schema}.run set owner = null where id = $1 and epoch = $2`, [runId, epoch]);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #write(): Promise<void> {
    const batch = this.#waiting;
    const notes = this.#notes;
    this.#waiting = [];
    this.#notes = [];
    this.#flush = undefined;
    const done = this.#send(batch, notes, this.#hooks.status());
    this.#writing = done.catch(() => undefined);
    return done;
  }

  async #send(batch: readonly JournalEntry[], notes: readonly string[], status: RunStatus): Promise<void> {
    // After a failure or the end, no caller may believe that something was kept.
    this.#check();
    if (this.#isClosed) throw new Error("The journal has been closed.");
    try {
      const first = this.#noteN + 1;
      this.#noteN += notes.length;
      const numbered = { n: notes.map((_, index) => first + index), notes };
      const last = batch.at(-1);
      if (last !== undefined) await this.#insert(batch, last, numbered, status);
      else if (!this.#isFree) await this.#insertNotes(numbered);
    } catch (error) {
      this.fail(error);
      throw error;
    }
    if (batch.length > 0) this.#hooks.kept();
  }

  /** One statement: it happens as a whole, or not at all because another process has claimed the run. */
  async #insert(
    batch: readonly JournalEntry[],
    last: JournalEntry,
    { n, notes }: NumberedNotes,
    status: RunStatus,
  ): Promise<void> {
    const { runId, epoch } = this.#claim;
    const { schema } = this.#database.url;
    const texts = batch.map(({ event }) => JSON.stringify(event));
    const ended = last.event.type === "run-ended";
    const isFree = ended || last.event.type === "run-released";
    const read = Math.max(0, ...batch.map(({ event }) => ("inbox" in event ? event.inbox : 0)));
    const arrived = async (): Promise<{ id: string }[] | undefined> => {
      const [row] = await this.#database.query<{ arrived: boolean }>(
        `select epoch = $2 and last_n = $3 as arrived from ${schema}.run where id = $1`,
        [runId, epoch, last.n],
      );
      return row?.arrived === true ? [{ id: runId }] : undefined;
    };
    const rows = await this.#database.query<{ id: string }>(
      `with own as (
         update ${schema}.run set last_n = $4, status = $5, updated_at = $6, ended = $7,
           due = to_timestamp($8::double precision / 1000), read = greatest(read, $9), bytes = bytes + $10 + $11,
           note_bytes = note_bytes + $11, owner = case when $12 then null else owner end
         where id = $1 and epoch = $2 and last_n = $3
         returning id, epoch
       ), told as (
         insert into ${schema}.note (run, epoch, n, note)
         select id, epoch, n, note from own, unnest($13::bigint[], $14::text[]) as t (n, note)
       ), kept as (
         insert into ${schema}.event (run, n, event)
         select id, n, event from own, unnest($15::bigint[], $16::text[]) as t (n, event)
       )
       select id from own`,
      [
        ...[runId, epoch, this.#keptN, last.n, JSON.stringify(status), last.event.at, ended, dueAt(last, status)],
        ...[read, bytesOf(texts), bytesOf(notes), isFree, n, notes, batch.map((each) => each.n), texts],
      ],
      { arrived },
    );
    // The statement may have waited for its own twin, sent over a connection that broke.
    if (rows.length === 0 && (await arrived()) === undefined) throw lost(runId);
    this.#keptN = last.n;
    this.#isFree = isFree;
  }

  async #insertNotes({ n, notes }: NumberedNotes): Promise<void> {
    const { runId, epoch } = this.#claim;
    const { schema } = this.#database.url;
    const rows = await this.#database.query(
      `with own as (
         update ${schema}.run set bytes = bytes + $3, note_bytes = note_bytes + $3 where id = $1 and epoch = $2
         returning id, epoch
       ), told as (
         insert into ${schema}.note (run, epoch, n, note)
         select id, epoch, n, note from own, unnest($4::bigint[], $5::text[]) as t (n, note) on conflict do nothing
       )
       select id from own`,
      [runId, epoch, bytesOf(notes), n, notes],
    );
    if (rows.length === 0) throw lost(runId);
  }

  async #save({ blob, bytes }: BlobRef, content: string): Promise<void> {
    const { runId, epoch } = this.#claim;
    const { schema } = this.#database.url;
    const rows = await this.#database.query(
      `with own as (select id from ${schema}.run where id = $1 and epoch = $2 for update),
       kept as (
         insert into ${schema}.blob (run, hash, content) select id, $3, $4 from own on conflict do nothing returning run
       ), counted as (
         update ${schema}.run set bytes = bytes + $5 from kept where id = kept.run
       )
       select id from own`,
      [runId, epoch, blob, content, bytes],
    );
    if (rows.length === 0) throw lost(runId);
  }
}

interface NumberedNotes {
  readonly n: readonly number[];
  readonly notes: readonly string[];
}

function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
}

function lost(runId: string): RunError {
  return new RunError("lost", {
    message: `The run ${runId} was taken over by another process`,
    hint: "It continues there; nothing more is done here.",
  });
}

/** Milliseconds since 1970; null: something can be done at once. */
function dueAt(last: JournalEntry, status: RunStatus): number | null {
  if (status.kind === "stopped") return Number.POSITIVE_INFINITY;
  if (last.event.type !== "run-released" || last.event.rests === undefined) return null;
  return last.event.rests.until ?? Number.POSITIVE_INFINITY;
}

export function hashOf(text: string): BlobRef["blob"] {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}
