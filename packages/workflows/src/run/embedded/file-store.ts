import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { type Journal, openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { lockFolder } from "@atomic/durable-files/lock/lock";
import { systemCode } from "../../entities/system-error.ts";
import type { JournalEntry, Owner, RunEvent } from "../events.ts";
import { RunError } from "../run-error.ts";
import type { OpenOptions, RunLog, RunStore } from "../run-store.ts";
import { loadBlob } from "./blobs.ts";
import { FileLog } from "./file-log.ts";
import { FileWatch } from "./file-watch.ts";
import { lettersAfter, post } from "./inbox.ts";
import { endsOf, hasLine, tailOf } from "./journal-lines.ts";
import { namesIn, runFiles, runIds, sizeOf, statOf } from "./run-files.ts";

/** Others hold a journal only for a moment, unless they work on the run. */
const patienceMs = 100;

/** Runs in a folder, each in one of its own with an append-only journal that a person can read. */
export function fileStore(root: string): RunStore {
  const watch = new FileWatch();
  const existing = (runId: string): ReturnType<typeof runFiles> => {
    const files = runFiles(root, runId);
    if (statOf(files.journal) !== undefined) return files;
    throw new RunError("run-not-found", { message: `There is no run ${runId} in ${root}`, at: files.folder });
  };

  return {
    name: "embedded",
    create: async (runId, event) => await create(runFiles(root, runId).journal, runId, event),
    open: async (runId, options) => {
      const files = existing(runId);
      // To open it would cut off what is there of the record.
      if (!hasLine(files.journal)) explaining(runId, () => recordsOf(files.journal));
      return await openLog(runId, files, options, () => watch.changed(`${runId}/journal`));
    },
    read: (runId) => {
      const { journal } = existing(runId);
      return explaining(runId, () => recordsOf(journal));
    },
    tail: (runId, after) => tailOf(existing(runId).journal, after),
    loadBlob: (runId, stored) => loadBlob(runFiles(root, runId).blobs, stored),
    post: async (runId, message) => {
      const kept = await post(existing(runId).inbox, message);
      watch.changed(`${runId}/inbox`);
      return kept;
    },
    letters: (runId, after) => {
      const { inbox } = runFiles(root, runId);
      return explaining(runId, () => lettersAfter(inbox, after));
    },
    watch: (runId, what, grown) => watch.add(`${runId}/${what}`, existing(runId)[what], grown),
    stamp: (runId) => {
      const { journal, inbox } = runFiles(root, runId);
      const [events, letters] = [statOf(journal), statOf(inbox)];
      return events && `${events.size} ${events.mtimeMs} ${letters?.size ?? 0}`;
    },
    ids: () => runIds(root),
    size: (runId) => sizeOf(existing(runId).folder),
    ends: (runId) => endsOf(existing(runId).journal),
    isAlive: (_runId, owner) => isAlive(owner),
    remove: async (runId) => await explained(runId, () => removeRun(root, runId, existing(runId))),
  };
}

/** Throws `damaged` also for a journal that ends inside its first record: there is, or was, a run, and nobody knows which. */
function recordsOf(path: string): JournalEntry[] {
  const { records, torn } = readJournal(path);
  if (records.length > 0 || torn === undefined) return records as JournalEntry[];
  throw new RunError("damaged", {
    message: `Record 1 of the journal ${path} is incomplete (${torn.bytes} bytes), so the run is not known`,
    at: `${path}:1`,
    hint: "Start it again under the same id, or restore the file from a copy.",
  });
}

async function create(path: string, runId: string, event: RunEvent): Promise<boolean> {
  if (statOf(path) !== undefined && endsOf(path) !== undefined) return false;
  let isThere = false;
  const journal = await explained(runId, () =>
    openJournal(path, {
      purpose: `creating the run ${runId}`,
      replay: () => {
        isThere = true;
      },
    }),
  );
  try {
    if (!isThere) await journal.append(event);
  } finally {
    journal.close();
  }
  return !isThere;
}

async function openLog(
  runId: string,
  files: ReturnType<typeof runFiles>,
  { take, kept, failed }: OpenOptions,
  changed: () => void,
): Promise<RunLog> {
  const journal: Journal = await explained(runId, () =>
    openJournal(files.journal, {
      deadlineMs: patienceMs,
      purpose: `running ${runId}`,
      replay: (record) => take(record as JournalEntry),
    }),
  );
  return new FileLog(journal, files.blobs, {
    failed,
    kept: () => {
      kept();
      changed();
    },
  });
}

function isAlive({ pid, host }: Owner): boolean {
  if (host !== hostname()) return true; // cannot be known from here
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

/** First out of sight, then away: what a crash leaves behind is no run, and goes with the next removal. */
async function removeRun(
  root: string,
  runId: string,
  { folder, journal }: ReturnType<typeof runFiles>,
): Promise<boolean> {
  // The lock of the journal itself, so that nobody takes the run up again meanwhile.
  const held = await lockFolder(`${journal}.lock`, { deadlineMs: patienceMs, purpose: `removing ${runId}` });
  try {
    if (endsOf(journal)?.last.type !== "run-ended") return false;
    fs.renameSync(folder, join(root, `.pruned-${randomUUID()}`));
  } finally {
    held.release();
  }
  for (const name of namesIn(root)) {
    if (name.startsWith(".pruned-")) fs.rmSync(join(root, name), { recursive: true, force: true });
  }
  return true;
}

function explaining<T>(runId: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw explain(runId, error);
  }
}

async function explained<T>(runId: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw explain(runId, error);
  }
}

function explain(runId: string, cause: unknown): unknown {
  if (!(cause instanceof DurableError)) return cause;
  const { message, hint, at } = cause;
  const details = { cause, ...(hint !== undefined && { hint }), ...(at !== undefined && { at }) };
  if (cause.code === "locked") {
    return new RunError("run-held", { ...details, message: `Somebody works on the run ${runId} already: ${message}` });
  }
  return cause.code === "damaged" ? new RunError("damaged", { ...details, message }) : cause;
}
