import { Buffer, isUtf8 } from "node:buffer";
import { DurableError } from "../errors.ts";
import type { Hash } from "./hash.ts";
import { readForEdit } from "./read-for-edit.ts";

export type TextRead = { text: string; hash: Hash | "absent" };

/**
 * Reads a text in order to change it later. A byte order mark stays in the text, so that it is written back; bytes that are
 * not UTF-8 are refused with their place, since decoding would turn them into something else.
 * @example
 * const config = readTextForEdit("opencode.json");
 * const content = editJsonc(config.text, [{ op: "insert", path: ["plugin"], value: "review@1.2.0" }]);
 * await transaction(".state", [{ path: "opencode.json", content, expect: config.hash }]);
 */
export function readTextForEdit(path: string): TextRead {
  const { bytes, hash } = readForEdit(path);
  if (!isUtf8(bytes)) throw notUtf8(path, bytes);
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"), hash };
}

function notUtf8(path: string, bytes: Uint8Array): DurableError {
  const { line, column } = firstBad(bytes);
  const at = `${path}:${line}:${column}`;
  return new DurableError("syntax", {
    message: `${at}: this is not UTF-8 text`,
    at,
    hint: "Save the file as UTF-8; nothing was written.",
  });
}

function firstBad(bytes: Uint8Array): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (;;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const text = bytes.subarray(start, end);
    if (!isUtf8(text)) return { line, column: validStart(text) + 1 };
    line += 1;
    start = end + 1;
  }
}

/** How many characters come before the first byte that belongs to none. */
function validStart(line: Uint8Array): number {
  const decoded = Buffer.from(line).toString("utf8");
  let length = 0;
  for (const character of decoded) {
    if (character === "\ufffd" && !isUtf8(line.subarray(0, Buffer.byteLength(decoded.slice(0, length + 1))))) break;
    length += character.length;
  }
  return length;
}
