import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { DurableError } from "../errors.ts";
import { attempt } from "./errno.ts";
import { missingFolders } from "./folder.ts";

/** Opens a folder without reading it, so a folder that may only be entered works, too. Node does not name this flag. */
const O_PATH = 0o10000000;
const canPin = process.platform === "linux" && fs.existsSync("/proc/self/fd");

/**
 * Changes something in a folder that must still be where it was when its real path was looked up. Another program may
 * replace a folder on the way with a link at any moment, and the change would happen wherever that leads. On Linux the
 * folder is opened first, and `change` gets a path through that open folder; elsewhere a moment remains between the
 * look and the change.
 *
 * @param path Its folder is a real path, without links.
 */
export function inItsFolder<T>(path: string, change: (path: string) => T): T {
  const folder = dirname(path);
  if (!canPin) {
    refuseUnlessSame(folder, fs.realpathSync.native(folder));
    return change(path);
  }
  const fd = fs.openSync(folder, O_PATH | fs.constants.O_DIRECTORY);
  const pinned = `/proc/self/fd/${fd}`;
  try {
    refuseUnlessSame(folder, fs.readlinkSync(pinned));
    return change(join(pinned, basename(path)));
  } catch (error) {
    throw naming(error, pinned, folder);
  } finally {
    fs.closeSync(fd);
  }
}

/** An open folder: what happens below `path` happens in that very folder, whatever has its name by then. */
export interface PinnedFolder {
  readonly path: string;
  /** Where it was when it was opened, without links. */
  readonly real: string;
  /** The same error, with the folder's name in place of `path`. */
  naming(error: unknown): unknown;
  /** Afterwards `path` means nothing, or another folder. */
  close(): void;
}

/**
 * Opens a folder for a whole series of changes, and creates it if necessary. Off Linux, `path` is its real path, and
 * another program can still replace the folder.
 *
 * @param within A real path. Refuses a folder that is elsewhere.
 */
export function pinFolder(folder: string, within: string | undefined): PinnedFolder {
  const missing = missingFolders(folder);
  const deepest = missing[0] === undefined ? folder : dirname(missing[0]);
  const found = fs.realpathSync.native(deepest);
  const inReal = (path: string): string => join(found, path.slice(deepest.length));
  const real = inReal(folder);
  if (within !== undefined && real !== within && !real.startsWith(join(within, "/"))) {
    const hint = "A folder on the way has become a link. Nothing was changed; put the folder back.";
    throw new DurableError("unsafe-path", { message: `${real} is not in ${within}`, at: folder, hint });
  }
  for (const each of missing) attempt(() => inItsFolder(inReal(each), (path) => fs.mkdirSync(path)), "EEXIST");
  if (!canPin) {
    refuseUnlessSame(real, fs.realpathSync.native(real));
    return { path: real, real, naming: (error) => error, close: () => undefined };
  }
  const fd = fs.openSync(real, O_PATH | fs.constants.O_DIRECTORY);
  const path = `/proc/self/fd/${fd}`;
  try {
    refuseUnlessSame(real, fs.readlinkSync(path));
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  return { path, real, naming: (error) => naming(error, path, real), close: () => fs.closeSync(fd) };
}

/** Changes an error in place, so its class, code and stack stay. */
function naming(error: unknown, pinned: string, folder: string): unknown {
  const isPart = new RegExp(`${pinned}(?!\\d)`, "g");
  for (let at = error; at instanceof Error; at = at.cause) {
    const named = at as Error & Record<string, unknown>;
    for (const key of ["message", "at", "hint", "path", "dest"]) {
      const text = named[key];
      if (typeof text === "string" && isPart.test(text)) named[key] = text.replace(isPart, () => folder);
      isPart.lastIndex = 0;
    }
  }
  return error;
}

function refuseUnlessSame(folder: string, real: string): void {
  if (real === folder) return;
  // Linux's way to say that an open folder has been removed.
  if (real === `${folder} (deleted)`) {
    const facts = { code: "ENOENT", syscall: "open", path: folder };
    throw Object.assign(new Error(`ENOENT: no such file or directory, open '${folder}'`), facts);
  }
  throw new DurableError("unsafe-file", {
    message: `${folder} now leads to ${real}: another program replaced it while it was being changed`,
    at: folder,
    hint: "Put the folder back, then run the command again.",
  });
}
