import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { DurableError } from "../errors.ts";

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
    if (error instanceof Error) error.message = error.message.replaceAll(pinned, folder);
    throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function refuseUnlessSame(folder: string, real: string): void {
  if (real === folder) return;
  throw new DurableError("unsafe-file", {
    message: `${folder} now leads to ${real}: another program replaced it while it was being changed`,
    at: folder,
    hint: "Put the folder back, then run the command again.",
  });
}
