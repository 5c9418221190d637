import * as fs from "node:fs";
import { join } from "node:path";
import { fsyncFolder } from "@atomic/durable-files/files/folder";
import type { Hash } from "@atomic/durable-files/files/hash";
import { createFiles } from "@atomic/durable-files/files/plain-file";
import { hashOf } from "../../packages/hash.ts";
import { removeTree } from "../../sources/remove-tree.ts";
import { namesIn, randomName, readPlain } from "./disk.ts";

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

  /** When this resolves, they survive a power failure. */
  async put(contents: Iterable<Uint8Array>): Promise<void> {
    const missing = new Map([...contents].map((bytes) => [hashOf(bytes), bytes] as const));
    for (const hash of [...missing.keys()]) if (this.get(hash) !== undefined) missing.delete(hash);
    if (missing.size === 0) return;
    fs.mkdirSync(this.#folder, { recursive: true });
    const files = [...missing].map(([hash, bytes]) => ({
      path: join(this.#folder, `new-${randomName()}`),
      at: join(this.#folder, hexOf(hash)),
      bytes,
    }));
    await createFiles(files);
    for (const { path, at } of files) fs.renameSync(path, at);
    fsyncFolder(this.#folder);
  }

  keepOnly(hashes: ReadonlySet<Hash>): void {
    const kept = new Set([...hashes].map(hexOf));
    for (const name of namesIn(this.#folder)) if (!kept.has(name)) removeTree(join(this.#folder, name));
  }
}

function hexOf(hash: Hash): string {
  return hash.slice("sha256:".length);
}
