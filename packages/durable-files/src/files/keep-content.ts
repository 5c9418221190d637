import * as fs from "node:fs";
import { dirname } from "node:path";
import { explain } from "./errno.ts";
import { fsyncFoldersOf, makeFolder, missingFolders, removeFile } from "./folder.ts";
import type { Hash } from "./hash.ts";
import { createFiles, hashFile } from "./plain-file.ts";

/** How a file that is being written ends. What a crash leaves behind may be removed by any process that may write the folder. */
export const unfinishedEnd = ".new";

/**
 * Keeps content in a file that is named after its hash: whole or not at all, even after a crash. Cheaper than a transaction,
 * because such a file never changes. Only one process at a time may write to its folder.
 * @example
 * await keepContent(`blobs/${hashOf(bytes)}.json`, bytes, hashOf(bytes));
 */
export async function keepContent(path: string, bytes: Uint8Array, hash: Hash): Promise<void> {
  if (hashFile(path) === hash) return;
  const unfinished = path + unfinishedEnd;
  try {
    for (const folder of missingFolders(dirname(path))) makeFolder(folder);
    removeFile(unfinished);
    await createFiles([{ path: unfinished, at: path, bytes }]);
    fs.renameSync(unfinished, path);
    await fsyncFoldersOf([path]);
  } catch (error) {
    throw explain(
      error,
      `${path} cannot be written`,
      "Check the disk's free space and the folder's permissions.",
      path,
    );
  }
}
