import type { Context } from "../context.ts";
import type { SizeLimits } from "./limits.ts";

/** A package in Hugo's own folder: none of it has run, and it shares no file with a source or a cache. */
export interface Fetched {
  /** With the scope. A repository or folder without package.json is called like itself. */
  readonly packageName: string;
  /** Of the registry; of a git source the commit, 40 hex digits; of a local one what its package.json says, if that can be one, else `0.0.0`. */
  readonly version: string;
  /** Of the tarball, as the registry states it and as its bytes have it; git and local sources have none. */
  readonly integrity?: string;
  /** The package's own folder: `<root>/node_modules/<packageName>`. */
  readonly folder: string;
  /** Holds `node_modules` with the package and what it depends on, and nothing else. */
  readonly root: string;
  /** What the user wants to know: a registry that the project chose, links that were left out. */
  readonly notices: readonly string[];
}

export interface FetchOptions {
  /** An empty folder. Whatever happens, nothing is written elsewhere. */
  readonly into: string;
  readonly context: Context;
  /** Takes versions that are younger than the minimum release age. */
  readonly allowNew: boolean;
  /** What the lock holds: this version or commit and no other, whatever its age. */
  readonly exactly?: { readonly version: string; readonly integrity?: string };
  /** `false` for read-only callers: dependencies are not fetched. */
  readonly dependencies?: boolean;
}

/** What a source needs to know to bring the package's own files. */
export interface ObtainOptions extends FetchOptions {
  /** Where the package's own files go. */
  readonly folder: string;
  readonly limits: SizeLimits;
}

/** What a source says of the files that it has brought. */
export interface Obtained {
  readonly version?: string;
  readonly integrity?: string;
  readonly notices: readonly string[];
}

/** What a registry knows of a package. */
export interface RegistryVersions {
  readonly name: string;
  /** All that can be installed, in ascending order. */
  readonly versions: readonly string[];
  /** `latest` and the like. */
  readonly tags: ReadonlyMap<string, string>;
  /** When each was published; empty if the registry keeps that to itself. */
  readonly times: ReadonlyMap<string, Date>;
  /** Messages of versions that their author advises against. */
  readonly deprecated: ReadonlyMap<string, string>;
}

/** A package that a search in the registry found. */
export interface SearchHit {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly published?: Date;
}
