import { isUtf8 } from "node:buffer";
import type { Hash } from "@atomic/durable-files/files/hash";
import { HugoError } from "../errors.ts";
import { hashOf } from "../packages/hash.ts";
import { type PlainFile, readPlain } from "./store/disk.ts";

/** A file as it was when it was read. */
export class SeenFile {
  readonly bytes: Buffer;
  /** Permission bits. */
  readonly mode: number;
  #hash: Hash | undefined;

  constructor({ bytes, mode }: PlainFile) {
    this.bytes = bytes;
    this.mode = mode;
  }

  /** Only commands that change something need it. */
  get hash(): Hash {
    this.#hash ??= hashOf(this.bytes);
    return this.#hash;
  }
}

/** Everything a command has read, each file once, so it can be compared right before a change. */
export class SeenFiles {
  readonly #seen = new Map<string, SeenFile | undefined>();

  /** Undefined if there is none. */
  file(path: string): SeenFile | undefined {
    if (!this.#seen.has(path)) {
      const file = readPlain(path);
      this.#seen.set(path, file && new SeenFile(file));
    }
    return this.#seen.get(path);
  }

  has(path: string): boolean {
    return this.#seen.has(path);
  }

  /** Files that are no longer what they were. */
  changed(isRelevant: (path: string) => boolean = () => true): string[] {
    return [...this.#seen.keys()].filter(isRelevant).filter((path) => {
      const [before, now] = [this.#seen.get(path), readPlain(path)];
      return before === undefined || now === undefined ? before !== now : !before.bytes.equals(now.bytes);
    });
  }
}

/** The text of a file; undefined if there is none. Refuses anything that is not UTF-8, with its position. */
export function textIn(
  reads: SeenFiles,
  path: string,
  code: "config-invalid" | "lock-invalid" = "config-invalid",
): string | undefined {
  const bytes = reads.file(path)?.bytes;
  if (bytes === undefined || isUtf8(bytes)) return bytes?.toString("utf8");
  let good = bytes.length;
  while (!isUtf8(bytes.subarray(0, good))) good--;
  const lines = bytes.toString("utf8", 0, good).split("\n");
  const at = `${path}:${lines.length}:${(lines.at(-1) ?? "").length + 1}`;
  throw new HugoError(code, {
    message: `${at}: this is not UTF-8 text`,
    at,
    hint: "Save the file as UTF-8. Nothing was changed.",
  });
}
