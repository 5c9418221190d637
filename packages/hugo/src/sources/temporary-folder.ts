// Folders in the system's place for temporary files. Their names say whose they are, so what a killed process left can be removed.
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNameOfDead, ownerName } from "@atomic/durable-files/lock/owner";
import { HugoError } from "../errors.ts";
import { removeTree } from "./remove-tree.ts";

const PREFIX = "hugo-";

/** A new folder of this process, as a real path. The first one removes those of processes that were killed. */
export function temporaryFolder(): string {
  const parent = inTemporary(() => fs.realpathSync(tmpdir()));
  if (!tidied.has(parent)) {
    tidied.add(parent);
    try {
      removeAbandoned(parent);
    } catch (error) {
      // A folder that cannot be listed or removed must not stop a command that does not need it.
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }
  return inTemporary(() => fs.mkdtempSync(join(parent, `${PREFIX}${ownerName()}-`)));
}

/** The variables that decide where it is: `os.tmpdir` reads the first that is set. */
const VARIABLES = process.platform === "win32" ? ["TEMP", "TMP"] : ["TMPDIR", "TMP", "TEMP"];

/** A missing or protected folder for temporary files is the fault of a variable, and has nothing to do with the project. */
function inTemporary<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    if (!isMissing && !["EACCES", "EPERM", "EROFS"].includes(code)) throw error;
    const folder = tmpdir();
    const set = VARIABLES.find((name) => process.env[name]);
    const [variable] = set === undefined ? VARIABLES : [set];
    const place = set === undefined ? folder : `${folder} (from ${set})`;
    const [message, hint] = isMissing
      ? fs.existsSync(folder)
        ? [
            `${place} is not a folder, but temporary files are written there`,
            `Set ${variable} to a folder that you can write. Nothing was changed.`,
          ]
        : [
            `The folder for temporary files, ${place}, does not exist`,
            `Create it, or set ${variable} to a folder that you can write. Nothing was changed.`,
          ]
      : [
          `The folder for temporary files, ${place}, cannot be written (${code})`,
          `Make it writable, or set ${variable} to a folder that you can write. Nothing was changed.`,
        ];
    throw new HugoError("setting-invalid", { message, at: folder, hint, cause: error });
  }
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
