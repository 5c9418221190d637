// The record of a transaction in progress. Its name says how far it got, so each step forward is one atomic rename:
//   transaction.intent  nothing has been changed yet, temporary files may exist     recovery: remove them
//   transaction.commit  decided: all of it will happen                               recovery: carry on
//   transaction.undo    decided: put back what was applied                           recovery: carry on
//   transaction.done    everything is in place, backups may exist                    recovery: remove them
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { DurableError } from "../errors.ts";
import { fsyncFolder, removeFile } from "../files/folder.ts";
import { inItsFolder } from "../files/pinned.ts";
import { createFile, readAll, withPlainFile } from "../files/plain-file.ts";
import { foldName } from "../safety/names.ts";
import { isThere, type PathState } from "./state-of.ts";

export const phases = ["intent", "commit", "undo", "done"] as const;
export type RecordPhase = (typeof phases)[number];

export type RecordEntry = {
  kind: "create" | "replace" | "delete";
  target: string;
  old: PathState;
  new: PathState;
  /** Holds the new content until it is renamed over the target. */
  temp: string;
  /** Holds the old content until the transaction is done; empty for a file that is created. */
  backup: string;
};

export type TransactionRecord = {
  /** 12 hex digits: part of the names of all staged files. */
  id: string;
  entries: RecordEntry[];
  /** Folders the transaction creates, outermost first. */
  folders: string[];
  /** Folders to remove at the end if they are empty then, innermost first. */
  prune: string[];
};

/** Paths are stored relative to the state folder: a project that is moved or copied half-way recovers where it is now. */
type StoredRecord = Omit<TransactionRecord, "entries"> & { entries: Omit<RecordEntry, "temp" | "backup">[] };

const format = "durable-files transaction 1";
const largest = 256 * 1024 * 1024;

export function recordPath(stateDir: string, phase: RecordPhase | "tmp"): string {
  return join(stateDir, `transaction.${phase}`);
}

/** What a path is if only transactions themselves may write it, else undefined. Both are real paths. */
export function ownFileKind(stateDir: string, path: string): string | undefined {
  const first = foldName(relative(stateDir, path).split(sep, 1)[0] ?? "");
  if (first === "lock" || first.startsWith("transaction.")) return "one of the state folder's own files";
  const isStaged = /^\.durable-[0-9a-f]{12}-\d+\.(?:new|old)$/i.test(basename(path));
  return isStaged ? "a file that only transactions may create" : undefined;
}

/**
 * The files that a transaction puts beside each target. Their names follow from the target and a random id, so a record cannot
 * name any other file, and a planted record names files that are not there. Neither ends like anything an agent tool would load.
 */
export function stagedBeside(target: string, id: string, position: number): { temp: string; backup: string } {
  const name = join(dirname(target), `.durable-${id}-${position}`);
  return { temp: `${name}.new`, backup: `${name}.old` };
}

export function writeIntent(stateDir: string, record: TransactionRecord): void {
  const stored: StoredRecord = {
    id: record.id,
    entries: record.entries.map((entry) => ({
      kind: entry.kind,
      target: relative(stateDir, entry.target),
      old: entry.old,
      new: entry.new,
    })),
    folders: record.folders.map((folder) => relative(stateDir, folder)),
    prune: record.prune.map((folder) => relative(stateDir, folder)),
  };
  const body = JSON.stringify(stored);
  inItsFolder(recordPath(stateDir, "tmp"), (temp) => {
    removeFile(temp); // torn by a crash: nothing had been done for it yet
    createFile(temp, { bytes: Buffer.from(`${headerOf(body)}\n${body}\n`), mode: 0o600 });
    fs.renameSync(temp, recordPath(dirname(temp), "intent"));
    fsyncFolder(dirname(temp));
  });
}

/** One step forward, on disk when this returns. */
export function advance(stateDir: string, from: RecordPhase, to: RecordPhase): void {
  inItsFolder(recordPath(stateDir, from), (record) => {
    fs.renameSync(record, recordPath(dirname(record), to));
    fsyncFolder(dirname(record));
  });
}

/**
 * The record of an unfinished transaction, if there is one. Its text is untrusted: a cloned repository's author may have put it there.
 * What passes can still only act on a target that has a file with an unguessable name beside it (see `apply.ts`).
 */
export function findRecord(stateDir: string): { phase: RecordPhase; record: TransactionRecord } | undefined {
  const [phase, second] = phases.filter((each) => fs.existsSync(recordPath(stateDir, each)));
  if (second !== undefined) throw damaged(recordPath(stateDir, second), "exists alongside another record");
  if (phase === undefined) return undefined;
  const file = recordPath(stateDir, phase);
  const text = withPlainFile(file, (fd) => readAll(fd, file, largest).toString("utf8")) ?? "";
  const [header = "", body = "", ...rest] = text.split("\n");
  if (rest.length !== 1 || rest[0] !== "") throw damaged(file, "is incomplete");
  if (header !== headerOf(body)) {
    const known = header.startsWith(JSON.stringify({ format }).slice(0, -1));
    throw damaged(file, known ? "does not match its checksum" : "has an unknown format, perhaps from a newer version");
  }
  let stored: unknown;
  try {
    stored = JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (!isStoredRecord(stored)) throw damaged(file, "is not a valid record");
  const { id } = stored;
  const entries = stored.entries.map((entry, position) => {
    const target = resolve(stateDir, entry.target);
    return { ...entry, target, ...stagedBeside(target, id, position) };
  });
  const folders = stored.folders.map((path) => resolve(stateDir, path));
  const prune = stored.prune.map((path) => resolve(stateDir, path));
  if (new Set(entries.map(({ target }) => target)).size < entries.length) throw damaged(file, "lists a file twice");
  for (const { target } of entries) {
    const own = ownFileKind(stateDir, target);
    if (own !== undefined) throw damaged(file, `lists ${target}, ${own}`);
    // Targets were free of links when they were written down.
    let deepest = dirname(target);
    while (!isThere(deepest)) deepest = dirname(deepest);
    if (fs.lstatSync(deepest).isSymbolicLink() || fs.realpathSync.native(deepest) !== deepest) {
      throw damaged(file, `lists ${target}, which is reached through a symbolic link`);
    }
  }
  const created = folders.map((folder) => ({ folder, kind: "create" }));
  for (const { folder, kind } of [...created, ...prune.map((pruned) => ({ folder: pruned, kind: "delete" }))]) {
    if (entries.some((entry) => entry.kind === kind && entry.target.startsWith(`${folder}/`))) continue;
    throw damaged(file, `lists the folder ${folder}, but no files in it`);
  }
  return { phase, record: { id, entries, folders, prune } };
}

function headerOf(body: string): string {
  return JSON.stringify({ format, sha256: createHash("sha256").update(body).digest("hex") });
}

const possible = [
  /^create: absent -> sha256:[0-9a-f]{64}$/,
  /^replace: sha256:[0-9a-f]{64} -> sha256:[0-9a-f]{64}$/,
  /^delete: (?:sha256:[0-9a-f]{64}|link:.+) -> absent$/s,
];

function isStoredRecord(value: unknown): value is StoredRecord {
  if (!hasExactly(value, "entries", "folders", "id", "prune")) return false;
  const { id, entries, folders, prune } = value;
  if (typeof id !== "string" || !/^[0-9a-f]{12}$/.test(id)) return false;
  if (!Array.isArray(entries) || !Array.isArray(folders) || !Array.isArray(prune)) return false;
  for (const entry of entries as unknown[]) {
    if (!hasExactly(entry, "kind", "new", "old", "target")) return false;
    if ([entry.kind, entry.old, entry.new].some((each) => typeof each !== "string")) return false;
    if (!possible.some((form) => form.test(`${entry.kind}: ${entry.old} -> ${entry.new}`))) return false;
  }
  const paths: unknown[] = [...entries.map(({ target }) => target), ...folders, ...prune];
  return paths.every((path) => typeof path === "string" && path !== "" && !path.includes("\0") && !isAbsolute(path));
}

/** Whether a value is an object with these keys, which are given in alphabetical order, and no others. */
function hasExactly<K extends string>(value: unknown, ...keys: K[]): value is Record<K, unknown> {
  return typeof value === "object" && value !== null && Object.keys(value).sort().join() === keys.join();
}

function damaged(file: string, what: string): DurableError {
  return new DurableError("damaged", {
    message: `The transaction record ${file} ${what}`,
    at: file,
    hint: `Nothing was changed. Check that the files the record lists look right, then remove the record (rm ${file}). If it came with someone else's repository, just remove it.`,
  });
}
