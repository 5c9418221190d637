import { createHash } from "node:crypto";
import type { LocalEngine } from "../engine.ts";
import type { BlobRef, JournalEntry, RunEvent, StepNote } from "../events.ts";
import type { Json } from "../json.ts";
import { type EngineOptions, StoreEngine } from "../local-engine.ts";
import { RunError } from "../run-error.ts";
import type { InboxEntry, OpenOptions, RunLog, RunStore } from "../run-store.ts";

/** Runs that end with this process, for tests and dry runs. Engines whose stores share a disk act like separate processes. */
export function memoryEngine(options: EngineOptions, store: MemoryStore = memoryStore()): LocalEngine {
  return new StoreEngine(store, options);
}

interface MemoryRun {
  /** An event's record number is its index plus one. */
  readonly events: RunEvent[];
  readonly messages: InboxEntry[];
  readonly blobs: Map<string, string>;
  readonly notes: StepNote[];
  readonly watchers: Readonly<Record<"journal" | "inbox", Set<() => void>>>;
  holder: MemoryLog | undefined;
}

/** The storage that outlives a test's simulated processes. */
export type MemoryDisk = Map<string, MemoryRun>;

export interface MemoryStore extends RunStore {
  read(runId: string): JournalEntry[];
  /** Acts as if the process were killed: what it still does leaves no trace, and its runs are free. */
  crash(): void;
}

/** Runs that live as long as this process. Stores with the same disk act like processes on one machine. */
export function memoryStore(disk: MemoryDisk = new Map()): MemoryStore {
  const held = new Set<MemoryLog>();
  const watching = new Set<() => void>();
  let isDead = false;

  const runOf = (runId: string): MemoryRun => {
    const run = disk.get(runId);
    if (run !== undefined) return run;
    throw new RunError("run-not-found", { message: `There is no run ${runId}` });
  };

  return {
    name: "memory",
    create: async (runId, event) => {
      if (isDead || disk.has(runId)) return false;
      const watchers = { journal: new Set<() => void>(), inbox: new Set<() => void>() };
      disk.set(runId, { events: [event], messages: [], blobs: new Map(), notes: [], watchers, holder: undefined });
      return true;
    },
    open: async (runId, options) => {
      if (isDead) return await new Promise(() => undefined);
      const log = new MemoryLog(runId, runOf(runId), options);
      held.add(log);
      return log;
    },
    read: (runId) => entriesAfter(runOf(runId), 0),
    tail: (runId, after) => {
      const run = runOf(runId);
      let read = after;
      return () => {
        const fresh = entriesAfter(run, read);
        read += fresh.length;
        return fresh;
      };
    },
    loadBlob: (runId, { blob }) => {
      const text = runOf(runId).blobs.get(blob);
      if (text !== undefined) return JSON.parse(text) as Json;
      throw new RunError("damaged", { message: `The run ${runId} has lost the result ${blob}` });
    },
    notes: (runId) => {
      const { notes } = runOf(runId);
      let read = 0;
      return () => {
        const fresh = notes.slice(read);
        read += fresh.length;
        return fresh;
      };
    },
    removeTranscript: (runId, isDry) => {
      const { notes } = runOf(runId);
      const { length } = JSON.stringify(notes);
      if (!isDry) notes.length = 0;
      return length;
    },
    post: async (runId, message, after = 0) => {
      const run = runOf(runId);
      // The first of two signals with the same key counts.
      const isKnown = run.messages.some(
        ({ n, message: known }) =>
          n > after && known.type === "signal" && message.type === "signal" && known.key === message.key,
      );
      if (isDead || isKnown) return "ignored";
      run.messages.push({ n: run.messages.length + 1, message });
      for (const grown of [...run.watchers.inbox]) grown();
      return "kept";
    },
    inbox: (runId, after) => runOf(runId).messages.slice(after),
    watch: (runId, what, grown) => {
      const watchers = runOf(runId).watchers[what];
      watchers.add(grown);
      const stop = (): void => {
        watchers.delete(grown);
        watching.delete(stop);
      };
      watching.add(stop);
      return stop;
    },
    stamp: (runId) => {
      const run = disk.get(runId);
      return run && `${run.events.length} ${run.messages.length}`;
    },
    ids: () => (isDead ? [] : [...disk.keys()]),
    size: (runId) => JSON.stringify(runOf(runId).events).length,
    ends: (runId) => {
      const { events } = runOf(runId);
      return { first: events[0]!, last: events.at(-1)! };
    },
    isAlive: (runId) => runOf(runId).holder !== undefined,
    remove: async (runId) => runOf(runId).holder === undefined && disk.delete(runId),
    crash: () => {
      isDead = true;
      for (const log of held) log.close();
      for (const stop of [...watching]) stop();
    },
  };
}

function entriesAfter({ events }: MemoryRun, after: number): JournalEntry[] {
  return events.slice(after).map((event, index) => ({ n: after + index + 1, event }));
}

/** Memory is not for keeping what agents said for long. */
const mostNotes = 10_000;

class MemoryLog implements RunLog {
  readonly isFull = false;
  readonly #run: MemoryRun;
  readonly #kept: OpenOptions["kept"];

  constructor(runId: string, run: MemoryRun, { take, kept }: OpenOptions) {
    if (run.holder !== undefined) {
      const message = `The run ${runId} is already being worked on by this process (pid ${process.pid})`;
      throw new RunError("run-held", { message });
    }
    for (const entry of entriesAfter(run, 0)) take(entry);
    run.holder = this;
    this.#run = run;
    this.#kept = kept;
  }

  append(event: RunEvent): JournalEntry {
    const run = this.#run;
    const entry = { n: run.events.length + 1, event };
    if (run.holder !== this) return entry;
    run.events.push(event);
    this.#kept();
    for (const grown of run.watchers.journal) grown();
    return entry;
  }

  flushed(): Promise<void> | undefined {
    return this.#run.holder === this ? undefined : new Promise(() => undefined);
  }

  async saveBlob(text: string): Promise<BlobRef> {
    const blob = `sha256:${createHash("sha256").update(text).digest("hex")}` as const;
    this.#run.blobs.set(blob, text);
    return { blob, bytes: Buffer.byteLength(text) };
  }

  tell(note: StepNote): void {
    const { holder, notes } = this.#run;
    if (holder === this && notes.length < mostNotes) notes.push(note);
  }

  close(): void {
    if (this.#run.holder === this) this.#run.holder = undefined;
  }
}
