import { createHash } from "node:crypto";
import type { JournalEntry, RunEvent, Stored } from "../events.ts";
import type { Json } from "../json.ts";
import { RunError } from "../run-error.ts";
import type { Letter, Message, OpenOptions, RunLog, RunStore } from "../run-store.ts";

interface MemoryRun {
  readonly entries: JournalEntry[];
  readonly letters: Letter[];
  readonly blobs: Map<string, string>;
  readonly watchers: Readonly<Record<"journal" | "inbox", Set<() => void>>>;
  holder: object | undefined;
  bytes: number;
}

export interface MemoryStore extends RunStore {
  /** Every owner is gone at once, as after a power cut: their logs write nothing more, and the runs are free. */
  crash(): void;
}

/** Runs that live as long as this object. Several engines over one of it are several processes on one disk. */
export function memoryStore(): MemoryStore {
  const runs = new Map<string, MemoryRun>();

  const runOf = (runId: string): MemoryRun => {
    const run = runs.get(runId);
    if (run !== undefined) return run;
    throw new RunError("run-not-found", { message: `There is no run ${runId}` });
  };
  const add = (run: MemoryRun, event: RunEvent): JournalEntry => {
    const entry = { n: run.entries.length + 1, event };
    run.entries.push(entry);
    return entry;
  };

  return {
    name: "memory",
    create: async (runId, event) => {
      if (runs.has(runId)) return false;
      const run = newRun();
      runs.set(runId, run);
      add(run, event);
      return true;
    },
    open: async (runId, options) => openLog(runId, runOf(runId), add, options),
    read: (runId) => [...runOf(runId).entries],
    tail: (runId, after) => {
      const { entries } = runOf(runId);
      let read = after;
      return () => {
        const fresh = entries.slice(read);
        read = Math.max(read, entries.length);
        return fresh;
      };
    },
    loadBlob: (runId, { blob }) => {
      const text = runOf(runId).blobs.get(blob);
      if (text === undefined)
        throw new RunError("damaged", { message: `The run ${runId} has lost the result ${blob}` });
      return JSON.parse(text) as Json;
    },
    post: async (runId, message) => {
      const run = runOf(runId);
      if (isKnown(run.letters, message)) return "ignored";
      run.letters.push({ n: run.letters.length + 1, message });
      for (const grown of [...run.watchers.inbox]) grown();
      return "kept";
    },
    letters: (runId, after) => runOf(runId).letters.slice(after),
    watch: (runId, what, grown) => {
      const watchers = runOf(runId).watchers[what];
      watchers.add(grown);
      return () => watchers.delete(grown);
    },
    stamp: (runId) => {
      const run = runs.get(runId);
      return run && `${run.entries.length}:${run.letters.length}`;
    },
    ids: () => [...runs.keys()],
    size: (runId) => runOf(runId).bytes,
    ends: (runId) => {
      const { entries } = runOf(runId);
      return { first: entries[0]!.event, last: entries.at(-1)!.event };
    },
    isAlive: (runId) => runOf(runId).holder !== undefined,
    remove: async (runId) => {
      runs.delete(runId);
    },
    crash: () => {
      for (const run of runs.values()) {
        run.holder = undefined;
        run.watchers.inbox.clear();
      }
    },
  };
}

function newRun(): MemoryRun {
  return {
    entries: [],
    letters: [],
    blobs: new Map(),
    watchers: { journal: new Set(), inbox: new Set() },
    holder: undefined,
    bytes: 0,
  };
}

/** Of two signals with one key the first one counts. */
function isKnown(letters: readonly Letter[], message: Message): boolean {
  if (message.type !== "signal") return false;
  return letters.some(({ message: known }) => known.type === "signal" && known.key === message.key);
}

function openLog(
  runId: string,
  run: MemoryRun,
  add: (run: MemoryRun, event: RunEvent) => JournalEntry,
  { take, kept }: OpenOptions,
): RunLog {
  if (run.holder !== undefined) {
    throw new RunError("run-held", { message: `The run ${runId} is held by this process (pid ${process.pid})` });
  }
  const holder = {};
  run.holder = holder;
  for (const entry of run.entries) take(entry);
  return {
    isFull: false,
    append: (event) => {
      // A process that died writes nothing.
      if (run.holder !== holder) return run.entries.length + 1;
      const entry = add(run, event);
      kept([entry]);
      for (const grown of run.watchers.journal) grown();
      return entry.n;
    },
    flushed: () => (run.holder === holder ? undefined : new Promise(() => undefined)),
    saveBlob: async (text): Promise<Stored> => {
      const blob = `sha256:${createHash("sha256").update(text).digest("hex")}` as const;
      if (run.holder === holder) run.blobs.set(blob, text);
      return { blob, bytes: Buffer.byteLength(text) };
    },
    close: () => {
      if (run.holder === holder) run.holder = undefined;
    },
  };
}
