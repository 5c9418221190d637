// Before the point of no return: puts the new content beside each target and keeps the old content. No target is touched.
import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt, explain } from "../files/errno.ts";
import { fsyncFoldersOf } from "../files/folder.ts";
import { inItsFolder } from "../files/pinned.ts";
import { createFiles, forEachChunk, modeInGroup, withPlainFile, writeFull } from "../files/plain-file.ts";
import type { Plan } from "./plan-entries.ts";
import { stateOf } from "./state-of.ts";

const noHardLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"];

export async function stage({ record, contents }: Plan): Promise<void> {
  const { entries, folders } = record;
  for (const folder of folders) attempt(() => inItsFolder(folder, (path) => fs.mkdirSync(path)), "EEXIST");
  await createFiles(
    entries.flatMap(({ temp, target }, index) => {
      const content = contents[index];
      return content === undefined ? [] : [{ ...content, path: temp, at: target, isPinned: true }];
    }),
  );
  for (const { kind, target, old, backup: real } of entries) {
    const keep = (backup: string): void => {
      // Keep the old content. The backup also proves that the target was staged here: without it, a record does nothing.
      // One without content is on disk as soon as its folder is.
      if (kind === "create") fs.closeSync(fs.openSync(backup, "wx", 0o600));
      else if (old.startsWith("link:")) fs.symlinkSync(old.slice("link:".length), backup);
      // A hard link costs nothing, and it shows a late write by an editor that has the old file open.
      else if (!attempt(() => fs.linkSync(join(dirname(backup), basename(target)), backup), ...noHardLinks)) {
        withPlainFile(target, (source, stat) => {
          const fd = fs.openSync(backup, "wx", 0o600);
          try {
            forEachChunk(source, (chunk) => writeFull(fd, chunk, backup));
            fs.fchmodSync(fd, modeInGroup(fd, stat.gid, stat.mode & 0o7777));
            fs.fsyncSync(fd);
          } finally {
            fs.closeSync(fd);
          }
        });
      }
    };
    try {
      inItsFolder(real, keep);
    } catch (error) {
      throw explain(
        error,
        `${target} cannot be written`,
        "Check the disk's free space and the folder's permissions.",
        target,
      );
    }
  }
  await fsyncFoldersOf([...folders, ...entries.map(({ target }) => target)]);
  for (const { target, old } of entries) {
    if (stateOf(target) === old) continue;
    throw new DurableError("changed", {
      message: `${target} was just changed by another program; nothing was written`,
      at: target,
      hint: "Run the command again; it will use the file's current content.",
    });
  }
}
