import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree } from "../../packages/tree.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";
import { storedFolder } from "./packages.ts";
import { removeTree } from "./remove-tree.ts";
import type { PackageOnDisk, Staging, Store, StoredPackage } from "./store.ts";

/** A store for `--dry-run`: it says where a package would lie, and keeps nothing. */
export class RehearsalStore implements Store {
  readonly #stateFolder: string;
  readonly #folders: string[] = [];

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  async staging(): Promise<Staging> {
    const folder = mkdtempSync(join(tmpdir(), "hugo-dry-run-"));
    this.#folders.push(folder);
    return {
      folder,
      async [Symbol.asyncDispose]() {
        removeTree(folder);
      },
    };
  }

  async put({ packageName, folder }: PackageOnDisk): Promise<StoredPackage> {
    const tree = readPackageTree(folder);
    const hash = hashTree(tree);
    return { tree, hash, folder: storedFolder(this.#stateFolder, workflowNameOf(packageName), packageName, hash) };
  }

  /** Removes what nobody has disposed of. */
  end(): void {
    for (const folder of this.#folders) removeTree(folder);
  }
}
