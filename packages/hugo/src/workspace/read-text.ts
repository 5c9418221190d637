import { isUtf8 } from "node:buffer";
import { readTextForEdit } from "@atomic/durable-files/read-text-for-edit";
import type { Reads } from "./reads.ts";

/** The text of a file; undefined if there is none. What is not UTF-8 is refused with its place. */
export function textIn(reads: Reads, path: string): string | undefined {
  const bytes = reads.file(path)?.bytes;
  if (bytes === undefined) return undefined;
  // It says where.
  if (!isUtf8(bytes)) return readTextForEdit(path).text;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
