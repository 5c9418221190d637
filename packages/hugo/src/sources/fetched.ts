import type { Context } from "../context.ts";
import type { SizeLimits } from "./limits.ts";

/** A package in Hugo's own folder: none of it has run, and it shares no files with a source or a cache. */
export interface Fetched {
  /** With the scope. Without a package.json, the name of the repository or folder. */
  readonly packageName: string;
  /** The registry's version; a git source's commit (40 hex digits); a local package.json's version if it is valid, else `0.0.0`. */
  readonly version: string;
  /** The tarball's checksum, computed from its bytes; git and local sources have none. */
  readonly integrity?: string;
  /** The package's own folder: `<root>/node_modules/<packageName>`. */
  readonly folder: string;
  /** Holds `node_modules` with the package, and nothing else. */
  readonly root: string;
  /** What the user should know: a registry that the project chose, links that were left out. */
  readonly notices: readonly string[];
}

export interface FetchOptions {
  /** An empty folder. Nothing is ever written elsewhere. */
  readonly into: string;
  readonly context: Context;
  /** Accepts versions that are newer than the minimum release age. Missing if the command has no such option. */
  readonly allowNew?: boolean;
  /** What the lock records: exactly this version or commit, whatever its age. */
  readonly exactly?: { readonly version: string; readonly integrity?: string };
}

export interface ObtainOptions extends FetchOptions {
  /** Where the package's own files go. */
  readonly folder: string;
  readonly limits: SizeLimits;
}

export interface Obtained {
  readonly version?: string;
  readonly integrity?: string;
  readonly notices: readonly string[];
}

/** What a registry knows about a package. */
export interface RegistryVersions {
  readonly name: string;
  /** Every installable version, in ascending order. */
  readonly versions: readonly string[];
  /** `latest` and the like. */
  readonly tags: ReadonlyMap<string, string>;
  /** When each was published; empty if the registry does not say. */
  readonly times: ReadonlyMap<string, Date>;
  /** The messages of deprecated versions. */
  readonly deprecated: ReadonlyMap<string, string>;
}

/** A package that a search in the registry found. */
export interface SearchHit {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly published?: Date;
}
