import * as fs from "node:fs";
import { join } from "node:path";
import type { Hash } from "@atomic/durable-files/files/hash";
import { hashOf } from "../../packages/hash.ts";
import { namesIn, randomName, readPlain, removeTree, syncFolder, writeNew } from "./disk.ts";

/** Contents by hash: merge bases, and what `hugo undo` restores. */
export class BaseStore {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "bases");
  }

  /** Undefined if it is missing or damaged. */
  get(hash: Hash): Uint8Array | undefined {
    const bytes = readPlain(join(this.#folder, hexOf(hash)))?.bytes;
    return bytes !== undefined && hashOf(bytes) === hash ? bytes : undefined;
  }

  /** When this returns, they survive a power failure. */
  put(contents: Iterable<Uint8Array>): void {
    const missing = [...contents].filter((bytes) => this.get(hashOf(bytes)) === undefined);
    if (missing.length === 0) return;
    fs.mkdirSync(this.#folder, { recursive: true });
    for (const bytes of missing) {
      const unnamed = join(this.#folder, `new-${randomName()}`);
      writeNew(unnamed, { bytes, executable: false, durable: true });
      fs.renameSync(unnamed, join(this.#folder, hexOf(hashOf(bytes))));
    }
    syncFolder(this.#folder);
  }

  keepOnly(hashes: ReadonlySet<Hash>): void {
    const kept = new Set([...hashes].map(hexOf));
    for (const name of namesIn(this.#folder)) if (!kept.has(name)) removeTree(join(this.#folder, name));
  }
}

function hexOf(hash: Hash): string {
  return hash.slice("sha256:".length);
}
