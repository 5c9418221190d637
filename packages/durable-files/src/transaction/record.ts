// The record of a transaction under way. Its name says how far it got, so each step forward is one atomic rename:
//   transaction.intent  nothing has been changed yet, temporary files may exist     recovery: remove them
//   transaction.commit  decided: all of it will happen                               recovery: carry on
//   transaction.undo    decided: put back what was applied                           recovery: carry on
//   transaction.done    everything is in place, backups may exist                    recovery: remove them
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { DurableError } from "../errors.ts";
import { fsyncFolder, removeFile } from "../files/folder.ts";
import { readAll, withPlainFile } from "../files/plain-file.ts";
import { createFile } from "../files/write.ts";
import type { PathState } from "./state-of.ts";
import { decodeRecord, encodeRecord } from "./stored-record.ts";

export const phases = ["intent", "commit", "undo", "done"] as const;
export type Phase = (typeof phases)[number];

export type Entry = {
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
  /** Part of the names of all staged files. */
  id: string;
  entries: Entry[];
  /** Folders the transaction creates, outermost first. */
  folders: string[];
  /** Folders to remove at the end if they are empty then, innermost first. */
  prune: string[];
};

const format = "durable-files transaction 1";
const largest = 256 * 1024 * 1024;

export function recordPath(stateDir: string, phase: Phase | "tmp"): string {
  return join(stateDir, `transaction.${phase}`);
}

/** The record of an unfinished transaction, if there is one. */
export function findRecord(stateDir: string): { phase: Phase; record: TransactionRecord } | undefined {
  const found = phases.filter((phase) => fs.existsSync(recordPath(stateDir, phase)));
  const [phase, second] = found;
  if (second !== undefined) throw damaged(recordPath(stateDir, second), "exists beside another record");
  if (phase === undefined) return undefined;
  return { phase, record: readRecord(stateDir, recordPath(stateDir, phase)) };
}

export function writeIntent(stateDir: string, record: TransactionRecord): void {
  const temp = recordPath(stateDir, "tmp");
  removeFile(temp); // torn by a crash: nothing had been done for it yet
  createFile(temp, { bytes: Buffer.from(encode(stateDir, record)), mode: 0o600 });
  fs.renameSync(temp, recordPath(stateDir, "intent"));
  fsyncFolder(stateDir);
}

/** One step forward, on disk when this returns. */
export function advance(stateDir: string, from: Phase, to: Phase): void {
  fs.renameSync(recordPath(stateDir, from), recordPath(stateDir, to));
  fsyncFolder(stateDir);
}

function encode(stateDir: string, record: TransactionRecord): string {
  const body = encodeRecord(stateDir, record);
  return `${JSON.stringify({ format, sha256: sha256(body) })}\n${body}\n`;
}

function readRecord(stateDir: string, file: string): TransactionRecord {
  const text = withPlainFile(file, (fd) => readAll(fd, file, largest).toString("utf8")) ?? "";
  const [header = "", body = "", ...rest] = text.split("\n");
  if (rest.length !== 1 || rest[0] !== "") throw damaged(file, "is not complete");
  if (header !== JSON.stringify({ format, sha256: sha256(body) })) {
    const known = header.startsWith(JSON.stringify({ format }).slice(0, -1));
    throw damaged(file, known ? "fails its checksum" : "is of an unknown format, perhaps of a newer version");
  }
  const record = decodeRecord(stateDir, body);
  if ("problem" in record) throw damaged(file, record.problem);
  return record;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function damaged(file: string, what: string): DurableError {
  return new DurableError("damaged", {
    message: `The transaction record ${file} ${what}`,
    at: file,
    hint: `Nothing was touched. Compare the files it names with what you expect, then remove it (rm ${file}). If it came with a repository from somebody else, just remove it.`,
  });
}
