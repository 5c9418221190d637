import * as fs from "node:fs";
import { dirname, join } from "node:path";
import type { Hash } from "@atomic/durable-files/files/hash";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree, type PackageTree } from "../../packages/tree.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";
import { randomName } from "./random-name.ts";
import { namesIn, removeTree } from "./remove-tree.ts";
import type { PackageOnDisk, Staging, Store, StoredPackage } from "./store.ts";
import { unlessMissing } from "./unless-missing.ts";
import { writeNew } from "./write-new.ts";

/** The name of an entry: the same content always lies in the same place. */
export function entryName(workflow: string, tree: Hash): string {
  return `${workflow}-${tree.slice("sha256:".length, "sha256:".length + 16)}`;
}

/** Where the package of a workflow lies in the store. */
export function storedFolder(stateFolder: string, workflow: string, packageName: string, tree: Hash): string {
  // The name comes from hugo.json, which may come from anybody, and so may links in the store.
  return joinInside(stateFolder, `store/${entryName(workflow, tree)}/node_modules/${packageName}`);
}

/** The package as it lies there; undefined if it does not, or is too damaged to be read as a package. */
export function storedTree(stateFolder: string, name: string, workflow: LockedWorkflow): PackageTree | undefined {
  if (workflow.tree === undefined) return undefined;
  const folder = storedFolder(stateFolder, name, workflow.package, workflow.tree);
  return unlessMissing(() => readPackageTree(folder));
}

/** The packages below `.hugo/store`, each in a folder of its own that never changes. */
export class PackageStore implements Store {
  readonly #stateFolder: string;

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  async staging(): Promise<Staging> {
    const folder = this.#stagedFolder();
    return {
      folder,
      async [Symbol.asyncDispose]() {
        removeTree(folder);
      },
    };
  }

  async put(fetched: PackageOnDisk, { dependencies }: { readonly dependencies: boolean }): Promise<StoredPackage> {
    const tree = readPackageTree(fetched.folder);
    const hash = hashTree(tree);
    const workflow = workflowNameOf(fetched.packageName);
    const folder = storedFolder(this.#stateFolder, workflow, fetched.packageName, hash);
    const stored: StoredPackage = { tree, hash, folder };
    if (this.#isWhole(stored, dependencies ? namesIn(join(fetched.root, "node_modules")) : [])) return stored;

    const staged = this.#stagedFolder();
    if (dependencies) fs.renameSync(join(fetched.root, "node_modules"), join(staged, "node_modules"));
    else writeTree(join(staged, "node_modules", ...fetched.packageName.split("/")), tree);
    const entry = join(this.#stateFolder, "store", entryName(workflow, hash));
    fs.mkdirSync(dirname(entry), { recursive: true });
    // Only something damaged can be in the way.
    if (fs.existsSync(entry)) fs.renameSync(entry, join(this.#stagedFolder(), "replaced"));
    fs.renameSync(staged, entry);
    return stored;
  }

  keepOnly(entries: ReadonlySet<string>): void {
    const folder = join(this.#stateFolder, "store");
    for (const name of namesIn(folder)) if (!entries.has(name)) removeTree(join(folder, name));
  }

  /** Whether the entry is there, unchanged, with these names beside it. */
  #isWhole({ hash, folder }: StoredPackage, beside: readonly string[]): boolean {
    if (!fs.existsSync(folder) || hashTree(readPackageTree(folder)) !== hash) return false;
    const modules = folder.slice(0, folder.lastIndexOf("node_modules") + "node_modules".length);
    return beside.every((name) => fs.existsSync(join(modules, name)));
  }

  #stagedFolder(): string {
    const folder = join(this.#stateFolder, "staging", randomName());
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }
}

function writeTree(folder: string, tree: PackageTree): void {
  fs.mkdirSync(folder, { recursive: true });
  for (const [path, { bytes, executable }] of tree) {
    fs.mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeNew(join(folder, path), { bytes, executable, durable: false });
  }
}
