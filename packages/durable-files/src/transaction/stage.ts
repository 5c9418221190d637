// Before the point of no return: puts the new content beside each target and keeps the old content. No target is touched.
import * as fs from "node:fs";
import { dirname } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt, explain } from "../files/errno.ts";
import { fsyncFolder, makeFolder } from "../files/folder.ts";
import { createFile, forEachChunk, withPlainFile, writeFull } from "../files/plain-file.ts";
import type { Plan } from "./plan-entries.ts";
import { stateOf } from "./state-of.ts";

const noHardLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"];

export function stage({ record, contents }: Plan): void {
  for (const folder of record.folders) makeFolder(folder);
  for (const [index, entry] of record.entries.entries()) {
    const content = contents[index];
    try {
      if (content !== undefined) createFile(entry.temp, content);
      // Keep the old content. The backup also proves that the target was staged here: without it, a record does nothing.
      const { kind, target, old, backup } = entry;
      if (kind === "create") createFile(backup, { bytes: new Uint8Array(), mode: 0o600 });
      else if (old.startsWith("link:")) fs.symlinkSync(old.slice("link:".length), backup);
      // A hard link costs nothing, and it shows a late write by an editor that has the old file open.
      else if (!attempt(() => fs.linkSync(target, backup), ...noHardLinks)) {
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
    } catch (error) {
      throw explain(
        error,
        `${entry.target} cannot be written`,
        "Check the disk's free space and the folder's permissions.",
        entry.target,
      );
    }
  }
  for (const folder of new Set(record.entries.map(({ target }) => dirname(target)))) fsyncFolder(folder);
  for (const { target, old } of record.entries) {
    if (stateOf(target) === old) continue;
    throw new DurableError("changed", {
      message: `${target} was just changed by another program; nothing was written`,
      at: target,
      hint: "Run the command again; it will use the file's current content.",
    });
  }
}
