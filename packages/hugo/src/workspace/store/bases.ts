import * as fs from "node:fs";
import { join } from "node:path";
import { fsyncFolder } from "@atomic/durable-files/files/folder";
import type { Hash } from "@atomic/durable-files/files/hash";
import { createFiles } from "@atomic/durable-files/files/plain-file";
import { hashOf } from "../../packages/hash.ts";
import { randomName, readPlain } from "./disk.ts";
import { HALF_BASE } from "./state-folder.ts";
import { listUnsettled } from "./unsettled.ts";

/** Contents by hash: merge bases, and what `hugo undo` restores. */
export class BaseStore {
  readonly #stateFolder: string;

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  /** Undefined if it is missing or damaged. */
  get(hash: Hash): Uint8Array | undefined {
    const bytes = readPlain(join(this.#stateFolder, basePath(hash)))?.bytes;
    return bytes !== undefined && hashOf(bytes) === hash ? bytes : undefined;
  }

  /** When this resolves, they survive a power failure. */
  async put(contents: Iterable<Uint8Array>): Promise<void> {
    const missing = new Map([...contents].map((bytes) => [hashOf(bytes), bytes] as const));
    for (const hash of [...missing.keys()]) if (this.get(hash) !== undefined) missing.delete(hash);
    if (missing.size === 0) return;
    listUnsettled(this.#stateFolder, [...missing.keys()].map(basePath));
    const folder = join(this.#stateFolder, "bases");
    fs.mkdirSync(folder, { recursive: true });
    const files = [...missing].map(([hash, bytes]) => ({
      path: join(folder, `${HALF_BASE}${randomName()}`),
      at: join(this.#stateFolder, basePath(hash)),
      bytes,
    }));
    await createFiles(files);
    for (const { path, at } of files) fs.renameSync(path, at);
    fsyncFolder(folder);
  }
}

/** Below the state folder. */
export function basePath(hash: Hash): string {
  return `bases/${hash.slice("sha256:".length)}`;
}
