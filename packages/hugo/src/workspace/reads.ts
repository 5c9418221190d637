import * as fs from "node:fs";
import { readForEdit } from "@atomic/durable-files/read-for-edit";
import type { Hash } from "../hash.ts";

export interface SeenFile {
  readonly bytes: Uint8Array;
  readonly hash: Hash;
  /** Permission bits. */
  readonly mode: number;
}

/** Everything that a command has looked at, each file once, so that it can be compared right before a change. */
export class Reads {
  readonly #seen = new Map<string, SeenFile | undefined>();

  /** Undefined if there is none. */
  file(path: string): SeenFile | undefined {
    if (!this.#seen.has(path)) this.#seen.set(path, look(path));
    return this.#seen.get(path);
  }

  has(path: string): boolean {
    return this.#seen.has(path);
  }

  /** Those that are no longer what they were. */
  changed(paths: Iterable<string> = this.#seen.keys()): string[] {
    return [...paths].filter((path) => readForEdit(path).hash !== (this.#seen.get(path)?.hash ?? "absent"));
  }

  get paths(): readonly string[] {
    return [...this.#seen.keys()];
  }
}

function look(path: string): SeenFile | undefined {
  const { bytes, hash } = readForEdit(path);
  if (hash === "absent") return undefined;
  return { bytes, hash, mode: fs.statSync(path).mode & 0o7777 };
}
