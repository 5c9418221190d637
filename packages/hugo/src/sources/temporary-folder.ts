// Folders in the system's place for temporary files. Their names say whose they are, so what a killed process left can be removed.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNameOfDead, ownerName } from "@atomic/durable-files/lock/owner";
import { removeTree } from "./remove-tree.ts";

const PREFIX = "hugo-";

/** A new folder of this process, as a real path. The first one removes those of processes that were killed. */
export function temporaryFolder(): string {
  const parent = fs.realpathSync(tmpdir());
  if (!tidied.has(parent)) {
    tidied.add(parent);
    try {
      removeAbandoned(parent);
    } catch (error) {
      // A folder that cannot be listed or removed must not stop a command that does not need it.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }
  return fs.mkdtempSync(join(parent, `${PREFIX}${ownerName()}-`));
}

const tidied = new Set<string>();

/** Only folders of this user, and only if their process is certainly dead. */
function removeAbandoned(parent: string): void {
  const me = process.geteuid?.();
  for (const entry of fs.readdirSync(parent, { withFileTypes: true })) {
    const owner = entry.name.startsWith(PREFIX) ? entry.name.slice(PREFIX.length, entry.name.lastIndexOf("-")) : "";
    if (!entry.isDirectory() || !isNameOfDead(owner)) continue;
    const folder = join(parent, entry.name);
    if (me !== undefined && fs.lstatSync(folder, { throwIfNoEntry: false })?.uid !== me) continue;
    removeTree(folder);
  }
}
