// Everything before the point of no return: new content beside each target, old content kept reachable. No target is touched.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt, explain } from "../files/errno.ts";
import { fsyncFolder, makeFolder } from "../files/folder.ts";
import { createFile, forEachChunk, withPlainFile, writeFull } from "../files/plain-file.ts";
import type { Plan } from "./plan-entries.ts";
import type { RecordEntry } from "./record.ts";
import { stateOf } from "./state-of.ts";

export function stage({ record, contents }: Plan): void {
  for (const folder of record.folders) makeFolder(folder);
  for (const [index, entry] of record.entries.entries()) {
    const content = contents[index];
    try {
      if (content !== undefined) createFile(entry.temp, content);
      keepOld(entry);
    } catch (error) {
      throw explain(error, `${entry.target} cannot be written`, "Check the disk and the folder.", entry.target);
    }
  }
  for (const folder of foldersOf(record.entries)) fsyncFolder(folder);
  for (const { target, old } of record.entries) {
    if (stateOf(target) === old) continue;
    throw new DurableError("changed", {
      message: `${target} was changed by another program just now; nothing was written`,
      at: target,
      hint: "Run the command again: it will start from the file as it is now.",
    });
  }
}

/** The folders in which a transaction renames files. */
export function foldersOf(entries: readonly RecordEntry[]): Set<string> {
  return new Set(entries.map(({ target }) => dirname(target)));
}

/** The backup is also the proof that the target was staged here: a record without it beside its target does nothing. */
function keepOld({ kind, target, old, backup }: RecordEntry): void {
  if (kind === "create") {
    createFile(backup, { bytes: new Uint8Array(), mode: 0o600 });
    return;
  }
  if (old.startsWith("link:")) {
    fs.symlinkSync(old.slice("link:".length), backup);
    return;
  }
  // A hard link costs nothing, and a late write into the old file by an editor that has it open shows up in it.
  const impossible = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"];
  if (attempt(() => fs.linkSync(target, backup), ...impossible)) return;
  withPlainFile(target, (source, stat) => {
    const fd = fs.openSync(backup, "wx", 0o600);
    try {
      forEachChunk(source, (chunk) => writeFull(fd, chunk, backup));
      const made = fs.fstatSync(fd);
      if (made.gid !== stat.gid) fs.fchownSync(fd, made.uid, stat.gid);
      fs.fchmodSync(fd, stat.mode & 0o7777);
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  });
}
