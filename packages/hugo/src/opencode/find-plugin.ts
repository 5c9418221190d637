import { dirname, resolve, sep } from "node:path";
import { HugoError } from "../errors.ts";
import { addressOf, parsePackageSpec } from "../sources/spec.ts";
import { isWithin } from "./is-within.ts";
import type { ConfigDocument, PluginEntry } from "./read-config.ts";

/** What an entry of a plugin array refers to, however it is written. */
type PluginIdentity =
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "git"; readonly url: string }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "unknown" };

/** A package to look for in plugin arrays. */
export interface PluginTarget {
  readonly packageName: string;
  /** See `addressOf`, if it came from a repository. */
  readonly gitUrl?: string;
  /** Absolute folders with its files: in the store, or where its author works on it. */
  readonly folders?: readonly string[];
  /** Its name in the lock: in Hugo's store, an entry's path tells which of two packages with one name it is. */
  readonly workflow?: string;
  /** If another workflow's package has the same name: whether this one's entries name a package or a place. */
  readonly only?: "named" | "placed";
}

interface Identified {
  readonly entry: PluginEntry;
  readonly identity: Exclude<PluginIdentity, { kind: "package" }>;
  /** In OpenCode's order. */
  readonly rank: number;
}

/** The entries of some configs, ready to be searched for many packages. */
export interface IdentifiedPlugins {
  readonly byName: ReadonlyMap<string, readonly { readonly entry: PluginEntry; readonly rank: number }[]>;
  readonly others: readonly Identified[];
}

export function identifyPlugins(configs: readonly ConfigDocument[]): IdentifiedPlugins {
  const byName = new Map<string, { entry: PluginEntry; rank: number }[]>();
  const others: Identified[] = [];
  for (const [rank, entry] of configs.flatMap(({ plugins }) => plugins).entries()) {
    const identity = identify(entry);
    if (identity.kind !== "package") others.push({ entry, identity, rank });
    else byName.set(identity.name, [...(byName.get(identity.name) ?? []), { entry, rank }]);
  }
  return { byName, others };
}

/** Every entry for a package, in OpenCode's order: of several versions, OpenCode loads the last. */
export function findPlugin({ byName, others }: IdentifiedPlugins, target: PluginTarget): PluginEntry[] {
  const { packageName, gitUrl, folders = [], workflow, only } = target;
  const byPlace = others.filter(({ identity }) => {
    if (identity.kind === "git") return identity.url === gitUrl;
    if (identity.kind === "unknown") return false;
    const [, owner] = IN_STORE.exec(identity.path) ?? [];
    if (owner !== undefined && workflow !== undefined) return owner === workflow;
    const isNamed = only === undefined && packageIn(identity.path) === packageName;
    return isNamed || folders.some((folder) => isWithin(folder, identity.path));
  });
  const found = [...(only === "placed" ? [] : (byName.get(packageName) ?? [])), ...byPlace];
  return found.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

/** A workflow's folder in Hugo's store, see `storedFolder`. */
const IN_STORE = /[\\/]\.hugo[\\/]store[\\/]([^\\/]+)-[0-9a-f]{16}[\\/]node_modules[\\/]/;
const NAMED = /^((?:@[^/@\s]+\/)?[^/@\s:#]+)(?:@(.*))?$/s;

function identify({ spec, file }: Pick<PluginEntry, "spec" | "file">): PluginIdentity {
  if (/^\.{0,2}\//.test(spec)) return { kind: "path", path: resolve(dirname(file), spec) };
  const [, name, version = ""] = NAMED.exec(spec) ?? [];
  try {
    // Loaded here, because almost no config names a plugin this way.
    if (/^file:\/\//i.test(spec))
      return { kind: "path", path: process.getBuiltinModule("node:url").fileURLToPath(spec) };
    if (/^file:/i.test(spec)) return { kind: "path", path: resolve(dirname(file), spec.slice("file:".length)) };
    if (name === undefined) {
      const source = parsePackageSpec(spec);
      return source.kind === "git" ? { kind: "git", url: addressOf(source) } : { kind: "unknown" };
    }
  } catch (error) {
    // Not a file on this machine, or a form that Hugo never writes.
    if (error instanceof TypeError || error instanceof URIError || error instanceof HugoError)
      return { kind: "unknown" };
    throw error;
  }
  const [, aliased] = /^npm:((?:@[^/@]+\/)?[^/@]+)/.exec(version) ?? [];
  return { kind: "package", name: aliased ?? name };
}

/** The absolute path that an entry names; undefined if it names a package. */
export function pathIn(entry: Pick<PluginEntry, "spec" | "file">): string | undefined {
  const identity = identify(entry);
  return identity.kind === "path" ? identity.path : undefined;
}

/** `…/node_modules/@org/review/index.js` belongs to `@org/review`. */
function packageIn(path: string): string | undefined {
  const parts = path.split(sep);
  const [first, second] = parts.slice(parts.lastIndexOf("node_modules") + 1);
  if (!parts.includes("node_modules") || first === undefined) return undefined;
  return first.startsWith("@") ? `${first}/${second ?? ""}` : first;
}
