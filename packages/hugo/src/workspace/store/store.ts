import type { Hash } from "@atomic/durable-files/files/hash";
import type { PackageTree } from "../../packages/tree.ts";

/** Where packages lie under names that follow from their content. */
export interface Store {
  /** A private empty folder for a package manager to work in; removed whatever happens. */
  staging(): Promise<Staging>;
  /**
   * Keeps a fetched package. An entry that no lock names in the end is tidied away.
   *
   * @param options With `dependencies`, all of the node_modules is kept: OpenCode loads the package from here.
   */
  put(fetched: PackageOnDisk, options: { readonly dependencies: boolean }): Promise<StoredPackage>;
}

export interface Staging extends AsyncDisposable {
  readonly folder: string;
}

export interface PackageOnDisk {
  readonly packageName: string;
  /** The package's own folder. */
  readonly folder: string;
  /** The folder that holds the node_modules with the package and its dependencies. */
  readonly root: string;
}

export interface StoredPackage {
  readonly tree: PackageTree;
  readonly hash: Hash;
  /** Absolute. */
  readonly folder: string;
}
