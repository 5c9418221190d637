import { existsSync } from "node:fs";
import type { LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { HugoError } from "../../errors.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import { hashTree, type PackageTree } from "../../packages/tree.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { copiedFindings, readStored } from "./copied-findings.ts";
import { type HealthFinding, problem, warning } from "./finding.ts";
import { type LoadedFrom, versionIn } from "./loaded-from.ts";

/** Whether what was installed is still there, byte for byte where that matters. */
export function integrityFindings(
  snapshot: Snapshot,
  name: string,
  { locked, from }: { readonly locked: LockedWorkflow; readonly from: LoadedFrom | undefined },
): HealthFinding[] {
  const { delivery } = locked;
  const stored = readStored(snapshot, name);
  if (delivery.kind === "copy") return copiedFindings(snapshot, name, { ...delivery, source: locked.source }, stored);
  return [...storeFindings(stored, locked, from), ...cacheFindings(stored, locked, from)];
}

type Stored = ReturnType<typeof readStored>;

function storeFindings(stored: Stored, { tree }: LockedWorkflow, from: LoadedFrom | undefined): HealthFinding[] {
  // After a migration nobody knows what it should be.
  if (tree === undefined) return [];
  const hint = "`hugo ci` restores what hugo.json holds.";
  if (stored === "missing") {
    const message = "Its package is not in Hugo's store";
    return [from?.isPath === true ? problem("missing-files", message, hint) : warning("missing-files", message, hint)];
  }
  if (stored !== "unreadable" && hashTree(stored) === tree) return [];
  return [problem("tampered", "Its package in Hugo's store is not what was installed", hint)];
}

/** OpenCode runs its own copy, which nobody but Hugo compares with anything. */
function cacheFindings(stored: Stored, { version }: LockedWorkflow, from: LoadedFrom | undefined): HealthFinding[] {
  const isComparable = from?.cacheFolder !== undefined && typeof stored !== "string" && existsSync(from.folder);
  // Another version differs as a whole, which is a finding of its own.
  if (!isComparable || versionIn(from.folder) !== version) return [];
  const changed = differingPaths(stored, readCached(from.folder));
  if (changed.length === 0) return [];
  const [first, second, ...more] = changed;
  const shown = [first, second].filter((path) => path !== undefined).join(", ");
  const message = `OpenCode's copy differs from what was installed: ${shown}${more.length === 0 ? "" : ` and ${more.length} more`}`;
  return [problem("tampered", message, `Remove ${from.cacheFolder}: OpenCode fetches it again.`)];
}

function readCached(folder: string): PackageTree {
  try {
    return readPackageTree(folder);
  } catch (error) {
    if (error instanceof HugoError && error.code === "package-unsafe") return new Map();
    throw error;
  }
}

/** By content: npm makes programs executable that other package managers do not. */
function differingPaths(one: PackageTree, other: PackageTree): string[] {
  const paths = new Set([...one.keys(), ...other.keys()]);
  const isSame = (path: string): boolean => {
    const [a, b] = [one.get(path)?.bytes, other.get(path)?.bytes];
    return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
  };
  return [...paths].filter((path) => !isSame(path)).sort();
}
