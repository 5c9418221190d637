import { DurableError } from "../errors.ts";
import type { Hash } from "./hash.ts";
import { hashOf, readAll, withPlainFile } from "./plain-file.ts";

/** What a caller read. Hand `hash` back as `expect` of a change: it is refused if the file is something else by then. */
export type FileRead = { bytes: Uint8Array; hash: Hash | "absent" };

const largest = 64 * 1024 * 1024;

/**
 * Reads a file in order to change it later. Links are followed; a FIFO, device or folder is refused; a missing file is `"absent"`.
 * @example
 * const read = readForEdit("opencode.json");
 * await transaction(".state", [{ path: "opencode.json", content: edit(read.bytes), expect: read.hash }]);
 */
export function readForEdit(path: string): FileRead {
  if (path.includes("\0")) {
    throw new DurableError("unsafe-path", { message: `${JSON.stringify(path)} contains a NUL character` });
  }
  const bytes = withPlainFile(path, (fd) => readAll(fd, path, largest));
  return bytes === undefined ? { bytes: new Uint8Array(), hash: "absent" } : { bytes, hash: hashOf(bytes) };
}
