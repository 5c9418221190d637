import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DurableError } from "@atomic/durable-files/errors";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { readJournal } from "@atomic/durable-files/journal/read-journal";
import { lockFolder } from "@atomic/durable-files/lock/lock";
import { checkName } from "@atomic/durable-files/safety/names";
import { lookOr, systemCode } from "../../entities/system-error.ts";
import type { JournalEntry } from "../events.ts";
import { RunError } from "../run-error.ts";
import type { RunMessage, RunStore } from "../run-store.ts";
import { FileLog, loadBlob } from "./file-log.ts";
import { endsOf, hasLine, tailOf } from "./journal-lines.ts";
import { removeTranscript, transcriptTail } from "./transcript-file.ts";

/** Other processes hold a journal only for a moment, unless they work on the run. */
const lockWaitMs = 100;

/** Runs in a folder, each with its own folder and an append-only, readable journal. */
export function fileStore(root: string): RunStore {
  const watch = new FileWatch();
  const existing = (runId: string): RunFiles => {
    const files = runFiles(root, runId);
    if (lookAt(runId, files.journal) !== undefined) return files;
    throw new RunError("run-not-found", { message: `There is no run ${runId} in ${root}`, at: files.folder });
  };

  return {
    name: "embedded",
    create: async (runId, event) => {
      const path = runFiles(root, runId).journal;
      if (statOf(path) !== undefined && endsOf(path) !== undefined) return false;
      let isThere = false;
      const journal = await openJournal(path, {
        purpose: `creating the run ${runId}`,
        replay: () => {
          isThere = true;
        },
      }).catch(rethrow(runId));
      try {
        if (!isThere) await journal.append(event);
      } finally {
        journal.close();
      }
      return !isThere;
    },
    open: async (runId, { take, kept, failed }) => {
      const files = existing(runId);
      // Opening it would cut off the incomplete record.
      if (!hasLine(files.journal)) explaining(runId, () => recordsOf(files.journal));
      const journal = await openJournal(files.journal, {
        deadlineMs: lockWaitMs,
        purpose: `running ${runId}`,
        replay: (record) => take(record as JournalEntry),
      }).catch(rethrow(runId));
      return new FileLog(journal, files.folder, files.blobs, {
        failed,
        kept: () => {
          kept();
          watch.changed(`${runId}/journal`);
        },
      });
    },
    read: (runId) => {
      const { journal } = existing(runId);
      return explaining(runId, () => recordsOf(journal));
    },
    tail: (runId, after) => tailOf(existing(runId).journal, after),
    loadBlob: (runId, ref) => loadBlob(runFiles(root, runId).blobs, ref),
    readBlob: (runId, ref) => loadBlob(runFiles(root, runId).blobs, ref),
    notes: (runId) => transcriptTail(existing(runId).folder),
    removeTranscript: (runId, isDry) => removeTranscript(existing(runId).folder, isDry),
    post: async (runId, message, after = 0) => {
      let isKnown = false;
      const inbox = await openJournal(existing(runId).inbox, {
        purpose: `leaving a ${message.type}`,
        replay: ({ n, event }) => {
          const known = event as RunMessage;
          isKnown ||= n > after && known.type === "signal" && message.type === "signal" && known.key === message.key;
        },
      });
      try {
        if (!isKnown) await inbox.append(message);
      } finally {
        inbox.close();
      }
      watch.changed(`${runId}/inbox`);
      return isKnown ? "ignored" : "kept";
    },
    inbox: (runId, after) => {
      const { inbox: path } = runFiles(root, runId);
      const records = lookAt(runId, path) === undefined ? [] : explaining(runId, () => readJournal(path).records);
      // If messages are missing, the next one would get a number that was read before, and never be seen.
      if (records.length < after) {
        const message = `The inbox ${path} has lost messages: the journal has read ${after}, but only ${records.length} exist`;
        throw new RunError("damaged", { message, at: path, hint: "Restore it from a backup, or start a new run." });
      }
      return records.slice(after).map(({ n, event }) => {
        const { type } = (event ?? {}) as { type?: unknown };
        if (messageTypes.includes(type)) return { n, message: event as RunMessage };
        throw new RunError("damaged", {
          message: `Record ${n} of the inbox ${path} is not a message that this version understands`,
          at: `${path}:${n}`,
          hint: "Update atomic, or restore the file from a backup.",
        });
      });
    },
    watch: (runId, what, grown) => watch.add(`${runId}/${what}`, existing(runId)[what], grown),
    stamp: (runId) => {
      const { journal, inbox } = runFiles(root, runId);
      let events: fs.Stats | undefined;
      let messages: fs.Stats | undefined;
      try {
        [events, messages] = [statOf(journal), statOf(inbox)];
      } catch (error) {
        return systemCode(error);
      }
      return events && `${events.size} ${events.mtimeMs} ${messages?.size ?? 0}`;
    },
    // What cannot be looked at may be a run, and is listed as a damaged one.
    ids: () =>
      namesIn(root).filter(
        (name) => !name.startsWith(".") && lookOr(true, () => statOf(join(root, name, "journal.jsonl"))?.isFile()),
      ),
    size: (runId) => sizeOf(existing(runId).folder),
    ends: (runId) => endsOf(existing(runId).journal),
    isAlive: (_runId, { pid, host }) => {
      if (host !== hostname()) return true; // cannot be known from here
      try {
        process.kill(pid, 0);
        return true;
      } catch (error) {
        return systemCode(error) !== "ESRCH";
      }
    },
    // Renamed first, then removed: what a crash leaves behind is not a run, and the next removal deletes it.
    remove: async (runId) => {
      const { folder, journal } = existing(runId);
      // The journal's own lock, so no process takes the run in the meantime.
      const purpose = `removing ${runId}`;
      const held = await lockFolder(`${journal}.lock`, { deadlineMs: lockWaitMs, purpose }).catch(rethrow(runId));
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
    },
  };
}

/** The paths of a run's parts. */
interface RunFiles {
  readonly folder: string;
  /** One event per line. */
  readonly journal: string;
  /** Messages from other processes, one per line. */
  readonly inbox: string;
  /** Results that are too long for a line, each named after its hash. */
  readonly blobs: string;
}

/** A run's id is the name of its folder. */
function runFiles(root: string, runId: string): RunFiles {
  let folder: string;
  try {
    folder = join(root, checkName(runId));
  } catch (cause) {
    const { message, hint } = cause as Error & { hint?: string };
    throw new RunError("bad-request", { message: `This is not a valid run id: ${message}`, cause, hint });
  }
  return {
    folder,
    journal: join(folder, "journal.jsonl"),
    inbox: join(folder, "inbox.jsonl"),
    blobs: join(folder, "blobs"),
  };
}

/** Undefined if there is no such file, also because its folder is not a folder. */
function statOf(path: string): fs.Stats | undefined {
  try {
    return fs.statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (systemCode(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The same, for a part of a run. Whatever else the system says is that run's own problem. */
function lookAt(runId: string, path: string): fs.Stats | undefined {
  try {
    return statOf(path);
  } catch (cause) {
    systemCode(cause);
    const message = `The run ${runId} cannot be read: ${(cause as Error).message}`;
    throw new RunError("damaged", { message, at: path, hint: "Check who owns its folder and where it leads.", cause });
  }
}

/** Empty if there is no such folder. */
function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return [];
    throw error;
  }
}

/** The size in bytes of everything in the folder. Folders of locks come and go in the meantime. */
function sizeOf(folder: string): number {
  let entries: fs.Dirent[];
  try {
    entries = fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return 0;
    throw error;
  }
  let bytes = 0;
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += sizeOf(path);
    else if (entry.isFile()) bytes += statOf(path)?.size ?? 0;
  }
  return bytes;
}

/** Also throws `damaged` for a journal that ends inside its first record: then it is unknown which run this is. */
function recordsOf(path: string): JournalEntry[] {
  const { records, torn } = readJournal(path);
  if (records.length > 0 || torn === undefined) return records as JournalEntry[];
  throw new RunError("damaged", {
    message: `Record 1 of the journal ${path} is incomplete (${torn.bytes} bytes), so the run cannot be identified`,
    at: `${path}:1`,
    hint: "Start it again under the same id, or restore the file from a backup.",
  });
}

const messageTypes: readonly unknown[] = ["signal", "cancel", "budget"] satisfies RunMessage["type"][];

function explaining<T>(runId: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return rethrow(runId)(error);
  }
}

/** Turns an error of durable-files into an error about the run. */
function rethrow(runId: string): (cause: unknown) => never {
  return (cause) => {
    if (!(cause instanceof DurableError)) throw cause;
    const { message, hint, at, code } = cause;
    if (code === "damaged") throw new RunError("damaged", { message, hint, at, cause });
    if (code !== "locked") throw cause;
    const held = `The run ${runId} is already being worked on: ${message}`;
    throw new RunError("run-held", { message: held, hint, at, cause });
  };
}

/** Often enough for a cancellation to arrive within a second. */
const pollMs = 200;

interface Watched {
  readonly path: string;
  readonly callbacks: Set<() => void>;
  /** Its size, -1 if there is no such file. */
  seen: number;
}

/** Polls files: the only way to notice other processes' changes that works on every file system. */
class FileWatch {
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  add(name: string, path: string, callback: () => void): () => void {
    let watched = this.#watched.get(name);
    if (watched === undefined) {
      watched = { path, callbacks: new Set(), seen: statOf(path)?.size ?? -1 };
      this.#watched.set(name, watched);
    }
    watched.callbacks.add(callback);
    this.#timer ??= setInterval(() => {
      for (const [each, file] of this.#watched) {
        const size = statOf(file.path)?.size ?? -1;
        if (size === file.seen) continue;
        file.seen = size;
        this.changed(each);
      }
    }, pollMs);
    return () => {
      const file = this.#watched.get(name);
      file?.callbacks.delete(callback);
      if (file?.callbacks.size === 0) this.#watched.delete(name);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Called when this process has changed a file itself. */
  changed(name: string): void {
    for (const callback of [...(this.#watched.get(name)?.callbacks ?? [])]) callback();
  }
}
