import * as fs from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Hash } from "@atomic/durable-files/files/hash";
import { joinInside } from "@atomic/durable-files/safety/join-inside";
import { type LockedDependencies, type LockedWorkflow, storeEntry } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree, type PackageTree } from "../../packages/tree.ts";
import { workflowNameOf } from "../../packages/workflow-name.ts";
import type { Fetched } from "../../sources/fetched.ts";
import { removeTree } from "../../sources/remove-tree.ts";
import { temporaryFolder } from "../../sources/temporary-folder.ts";
import { checkDependencies, type DependencyProblem } from "./check-dependencies.ts";
import { errnoOf, randomName, unlessMissing, writeNew } from "./disk.ts";
import { isolate, type SurroundingsProblem, surroundingsProblems } from "./surroundings.ts";
import { listUnsettled } from "./unsettled.ts";

/** Keeps packages under names derived from their content. */
export interface Store {
  /** A new empty folder to fetch into. Its user removes it; the end of the command removes the rest. */
  staging(): string;
  /** Keeps a fetched package. An entry that no lock names in the end is removed. */
  put(fetched: PackageOnDisk, options: PutOptions): Promise<PackageInStore>;
}

export interface PutOptions {
  /** The workflow's name. */
  readonly workflow: string;
  /** What is next to the package and is kept with it, because OpenCode loads the package from here. */
  readonly dependencies?: LockedDependencies | undefined;
}

export type PackageOnDisk = Pick<Fetched, "packageName" | "folder" | "root">;

export interface PackageInStore {
  readonly tree: PackageTree;
  readonly hash: Hash;
  /** Absolute. */
  readonly folder: string;
}

/** The path of a workflow's package in the store. */
export function storedFolder(
  stateFolder: string,
  workflow: string,
  packageName: string,
  { tree, dependencies }: { readonly tree: Hash; readonly dependencies?: LockedDependencies | undefined },
): string {
  // The name comes from hugo.json, which is untrusted, and so are links in the store.
  return joinInside(stateFolder, `store/${storeEntry(workflow, tree, dependencies)}/node_modules/${packageName}`);
}

/** The stored package; undefined if it is missing or too damaged to read. */
export function storedTree(stateFolder: string, name: string, workflow: LockedWorkflow): PackageTree | undefined {
  const { tree, dependencies } = workflow;
  if (tree === undefined) return undefined;
  const folder = storedFolder(stateFolder, name, workflow.package, { tree, dependencies });
  return unlessMissing(() => readPackageTree(folder));
}

/** How the stored dependencies differ from the lock. */
export function storedDependencies(stateFolder: string, name: string, workflow: LockedWorkflow): DependencyProblem[] {
  const { package: packageName, tree, dependencies, delivery } = workflow;
  if (tree === undefined || delivery.kind !== "plugin") return [];
  const folder = storedFolder(stateFolder, name, packageName, { tree, dependencies });
  return fs.existsSync(folder) ? checkDependencies(modulesAround(folder), packageName, dependencies) : [];
}

/** What is around a stored plugin and should not be there, or is not there; empty if the plugin is missing. */
export function storedSurroundings(stateFolder: string, name: string, workflow: LockedWorkflow): SurroundingsProblem[] {
  const { package: packageName, tree, dependencies, delivery } = workflow;
  if (tree === undefined || delivery.kind !== "plugin") return [];
  const isThere = fs.existsSync(storedFolder(stateFolder, name, packageName, { tree, dependencies }));
  return isThere ? surroundingsProblems(stateFolder, storeEntry(name, tree, dependencies)) : [];
}

/** The `node_modules` that a stored package is in. */
function modulesAround(folder: string): string {
  return folder.slice(0, folder.lastIndexOf("node_modules") + "node_modules".length);
}

/** The packages below `.hugo/store`, each in its own folder, which never changes. */
export class PackageStore implements Store {
  readonly #stateFolder: string;
  readonly #opened: string;

  /** @param opened The same folder, as its user has opened it; by now it may have another name. */
  constructor(stateFolder: string, opened: string = stateFolder) {
    this.#stateFolder = stateFolder;
    this.#opened = opened;
  }

  staging(): string {
    const folder = join(this.#opened, "staging", randomName());
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  async put(fetched: PackageOnDisk, { workflow, dependencies }: PutOptions): Promise<PackageInStore> {
    const tree = readPackageTree(fetched.folder);
    const hash = hashTree(tree);
    const { packageName } = fetched;
    // Refuses a package that cannot be a folder.
    workflowNameOf(packageName);
    const at = { tree: hash, dependencies };
    const folder = storedFolder(this.#opened, workflow, packageName, at);
    const stored = { tree, hash, folder: storedFolder(this.#stateFolder, workflow, packageName, at) };
    const isIntact = (modules: string): boolean => checkDependencies(modules, packageName, dependencies).length === 0;
    if (fs.existsSync(folder) && hashTree(readPackageTree(folder)) === hash && isIntact(modulesAround(folder)))
      return stored;

    const staged = this.staging();
    if (dependencies !== undefined && dependencies.size > 0) {
      moveFolder(join(fetched.root, "node_modules"), join(staged, "node_modules"));
      if (!isIntact(join(staged, "node_modules"))) throw changedMeanwhile(fetched);
    } else {
      const target = join(staged, "node_modules", ...fetched.packageName.split("/"));
      fs.mkdirSync(target, { recursive: true });
      for (const [path, { bytes, executable }] of tree) {
        fs.mkdirSync(dirname(join(target, path)), { recursive: true });
        writeNew(join(target, path), { bytes, executable });
      }
    }
    isolate(staged);
    const entry = dirname(modulesAround(folder));
    listUnsettled(this.#opened, [`store/${basename(entry)}`]);
    fs.mkdirSync(dirname(entry), { recursive: true });
    // Only something damaged can be in the way.
    if (fs.existsSync(entry)) fs.renameSync(entry, join(this.staging(), "replaced"));
    fs.renameSync(staged, entry);
    return stored;
  }
}

export function changedMeanwhile({ folder }: PackageOnDisk): HugoError {
  return new HugoError("integrity-mismatch", {
    message: "The package changed while Hugo was storing it",
    at: folder,
    hint: "Another program is writing to Hugo's folder. Nothing was changed; run the command again.",
  });
}

/** Temporary files are often on another disk, where a folder cannot be moved to. */
function moveFolder(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    fs.cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/**
 * A store for a command that does not hold the lock, because it waits for a registry or for an answer. What it keeps
 * stays outside the place until `settle`; after a dry run, it is gone.
 */
export class PendingStore implements Store {
  readonly #stateFolder: string;
  readonly #folders: string[] = [];
  readonly #kept: (PutOptions & { readonly fetched: PackageOnDisk; readonly hash: Hash })[] = [];

  constructor(stateFolder: string) {
    this.#stateFolder = stateFolder;
  }

  staging(): string {
    const folder = temporaryFolder();
    this.#folders.push(folder);
    return folder;
  }

  async put(fetched: PackageOnDisk, { workflow, dependencies }: PutOptions): Promise<PackageInStore> {
    const { packageName, folder } = fetched;
    const tree = readPackageTree(folder);
    const hash = hashTree(tree);
    this.#kept.push({ fetched, hash, workflow, dependencies });
    return { tree, hash, folder: storedFolder(this.#stateFolder, workflow, packageName, { tree: hash, dependencies }) };
  }

  /** A command that decides again keeps its packages again. */
  forget(): void {
    this.#kept.length = 0;
  }

  /** For the holder of the lock: moves what was kept into the store. */
  async settle(opened: string): Promise<void> {
    const store = new PackageStore(this.#stateFolder, opened);
    for (const { fetched, hash, ...options } of this.#kept) {
      if ((await store.put(fetched, options)).hash !== hash) throw changedMeanwhile(fetched);
    }
  }

  /** Removes what is left of the staging folders. */
  end(): void {
    for (const folder of this.#folders) removeTree(folder);
  }
}
