import { Buffer, isUtf8 } from "node:buffer";
import { DurableError } from "../errors.ts";
import type { Hash } from "./hash.ts";
import { hashOf, readAll, withPlainFile } from "./plain-file.ts";

/** What a caller read. Pass `hash` as a change's `expect`: the change is refused if the file differs by then. */
export type FileRead = { bytes: Uint8Array; hash: Hash | "absent" };

export type TextRead = { text: string; hash: Hash | "absent" };

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

/**
 * Reads a text in order to change it later. A byte order mark stays in the text, so it is written back; bytes that are
 * not UTF-8 are refused with their position, because decoding would change them.
 * @example
 * const config = readTextForEdit("opencode.json");
 * const content = editJsonc(config.text, [{ op: "insert", path: ["plugin"], value: "review@1.2.0" }]);
 * await transaction(".state", [{ path: "opencode.json", content, expect: config.hash }]);
 */
export function readTextForEdit(path: string): TextRead {
  const { bytes, hash } = readForEdit(path);
  if (isUtf8(bytes)) {
    return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"), hash };
  }
  // Find the line and column of the first byte that is not part of a character.
  for (let line = 1, start = 0; ; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const text = bytes.subarray(start, end);
    start = end + 1;
    if (isUtf8(text)) continue;
    const decoded = Buffer.from(text).toString("utf8");
    let length = 0;
    for (const character of decoded) {
      const upTo = decoded.slice(0, length + 1);
      if (character === "\ufffd" && !isUtf8(text.subarray(0, Buffer.byteLength(upTo)))) break;
      length += character.length;
    }
    const at = `${path}:${line}:${length + 1}`;
    const hint = "Save the file as UTF-8. Nothing was written.";
    throw new DurableError("syntax", { message: `${at}: this is not UTF-8 text`, at, hint });
  }
}
