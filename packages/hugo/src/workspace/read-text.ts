import { isUtf8 } from "node:buffer";
import { HugoError } from "../errors.ts";
import type { Reads } from "./reads.ts";

/** The text of a file; undefined if there is none. What is not UTF-8 is refused with its place. */
export function textIn(
  reads: Reads,
  path: string,
  code: "config-invalid" | "lock-invalid" = "config-invalid",
): string | undefined {
  const bytes = reads.file(path)?.bytes;
  if (bytes === undefined || isUtf8(bytes)) return bytes?.toString("utf8");
  const at = `${path}:${placeOfFirstBad(bytes)}`;
  throw new HugoError(code, {
    message: `${at}: this is not UTF-8 text`,
    at,
    hint: "Save the file as UTF-8. Nothing was changed.",
  });
}

function placeOfFirstBad(bytes: Buffer): string {
  let good = bytes.length;
  while (!isUtf8(bytes.subarray(0, good))) good--;
  const lines = bytes.toString("utf8", 0, good).split("\n");
  return `${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
}
