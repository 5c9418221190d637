import { Buffer, isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { Diagnostic } from "./diagnostic.ts";
import { systemCode } from "./system-error.ts";

export interface ReadOptions {
  /** Larger files are not read. */
  readonly maxBytes?: number;
}

export type TextFile =
  | { readonly kind: "text"; readonly text: string; readonly bytes: number; readonly modifiedMs: number }
  | { readonly kind: "unreadable"; readonly diagnostic: Diagnostic };

type Refusal = Omit<Diagnostic, "severity" | "path">;

export const LARGEST_FILE: number = 1024 * 1024;

// A FIFO without a writer would block `open` forever. Windows has neither FIFOs in folders nor this flag.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const REPLACEMENT = "\ufffd";

/** Reads are synchronous and most files are small, so one buffer serves nearly all of them. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Reads an untrusted text file. It never throws, never blocks on a FIFO or a device, and never reads more than
 * `maxBytes`. It refuses text that is not UTF-8: with replacement characters, two names or tool rules that differ on
 * disk could become equal. A byte order mark stays in the text.
 *
 * @example
 * const file = readTextFile("/project/.claude/agents/review.md");
 * if (file.kind === "unreadable") report(file.diagnostic);
 */
export function readTextFile(path: string, options: ReadOptions = {}): TextFile {
  const maxBytes = options.maxBytes ?? LARGEST_FILE;
  let file: number | undefined;
  try {
    file = openSync(path, OPEN_FLAGS);
    const stats = fstatSync(file);
    if (!stats.isFile()) {
      const what = stats.isDirectory() ? "folder" : stats.isFIFO() ? "FIFO" : stats.isSocket() ? "socket" : "device";
      const hint = `Move the ${what} elsewhere, or replace it with a text file.`;
      return unreadable(path, { code: "file-not-regular", message: `This is a ${what}, not a file.`, hint });
    }
    const bytes = stats.size > maxBytes ? undefined : readAll(file, stats.size, maxBytes);
    if (bytes === undefined) {
      const hint = "Move long content into separate files, and refer to them in the text.";
      return unreadable(path, { code: "file-too-large", message: `The file is larger than ${maxBytes} bytes.`, hint });
    }
    const text = bytes.toString("utf8");
    if (text.includes(REPLACEMENT) && !isUtf8(bytes)) {
      // The first replacement character that is not in the file itself, but stands for bytes that are not UTF-8.
      let [offset, from] = [0, 0];
      for (let at = text.indexOf(REPLACEMENT); at !== -1; at = text.indexOf(REPLACEMENT, at + 1)) {
        offset += Buffer.byteLength(text.slice(from, at));
        from = at;
        if (!bytes.subarray(offset, offset + 3).equals(Buffer.from(REPLACEMENT))) break;
      }
      const before = text.slice(0, from);
      return unreadable(path, {
        code: "file-not-utf8",
        message: "The file is not UTF-8 text.",
        line: before.split("\n").length,
        column: before.length - before.lastIndexOf("\n"),
        hint: "Save it as UTF-8.",
      });
    }
    return { kind: "text", text, bytes: bytes.length, modifiedMs: stats.mtimeMs };
  } catch (error) {
    const code = systemCode(error);
    const message = `The file cannot be read (${code}).`;
    const unknown = { code: "file-unreadable", message, hint: "Check the disk and the path." };
    return unreadable(path, refusals.get(code) ?? unknown);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * The text of an ordinary small file; `undefined` for anything else, which is left to `readTextFile`. Reading at a
 * position fails on a FIFO, a socket and a folder, and a device gives nothing or more than fits, so it does not have to
 * check what the file is, which takes Node a fifth of the time.
 *
 * @example
 * const text = readSmallText(path) ?? readTextFile(path);
 */
export function readSmallText(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, OPEN_FLAGS);
    let size = 0;
    for (let read = -1; read !== 0 && size < shared.length; size += read)
      read = readSync(file, shared, size, shared.length - size, size);
    if (size === 0 || size === shared.length) return undefined;
    const text = shared.toString("utf8", 0, size);
    return text.includes(REPLACEMENT) ? undefined : text;
  } catch (error) {
    systemCode(error);
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The bytes, valid until the next call; `undefined` if the file grew beyond the limit while it was read. */
function readAll(file: number, size: number, maxBytes: number): Buffer | undefined {
  // With room for one more byte, a short read means the end of the file, and no second call is needed. The size is 0
  // where the system does not know it.
  let buffer = size < shared.length ? shared : Buffer.allocUnsafe(size + 1);
  let filled = 0;
  for (;;) {
    const read = readSync(file, buffer, filled, buffer.length - filled, null);
    filled += read;
    if (filled > maxBytes) return undefined;
    if (read === 0 || (size > 0 && filled >= size && filled < buffer.length)) return buffer.subarray(0, filled);
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
  }
}

function unreadable(path: string, refusal: Refusal): TextFile {
  return { kind: "unreadable", diagnostic: { severity: "error", path, ...refusal } };
}

/** By the system's error code. */
const refusals: ReadonlyMap<string, Refusal> = new Map([
  ["ENOENT", { code: "file-missing", message: "The file does not exist.", hint: "If it is a link, check its target." }],
  ...["EACCES", "EPERM"].map((code): [string, Refusal] => [
    code,
    {
      code: "file-unreadable",
      message: "You do not have permission to read this file.",
      hint: "Check its permissions.",
    },
  ]),
  ["ELOOP", { code: "file-unreadable", message: "The link is circular.", hint: "Remove the link or its target." }],
  [
    "ENXIO",
    { code: "file-not-regular", message: "This is a socket or a device, not a file.", hint: "Move it elsewhere." },
  ],
]);
