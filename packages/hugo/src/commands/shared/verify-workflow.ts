import { existsSync } from "node:fs";
import type { LockedWorkflow } from "@atomic/workflows/hugo-lock/lock";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import { compareTrees } from "../../packages/compare-trees.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import type { PackageTree } from "../../packages/tree.ts";
import { hashTree } from "../../packages/tree-hash.ts";
import { parsePackageSpec } from "../../sources/spec.ts";
import type { Snapshot } from "../../workspace/snapshot.ts";
import { cachedPlugin } from "./opencode-cache.ts";
import { statusOf, type WorkflowStatus } from "./workflow-status.ts";

/** Something that is not as hugo.json says. */
export interface Difference {
  readonly workflow: string;
  readonly kind: /** The package is not in the store, as after a clone. */
    | "store-missing"
    /** Its files in the store are not those that were installed. */
    | "store-changed"
    /** What the next merge starts from is gone or damaged. */
    | "base-missing"
    /** A plugin array names another version. */
    | "entry-changed"
    /** What OpenCode will run is not what was installed. */
    | "cache-changed"
    /** What the user did to copied files: nothing wrong. */
    | "file-modified"
    | "file-deleted"
    | "file-skipped"
    | "file-conflict";
  /** The file or folder, as far as it has a name. */
  readonly at: string;
  readonly detail: string;
  /** What to do; missing where nothing is wrong. */
  readonly next?: string;
}

export interface Verified {
  readonly name: string;
  readonly version: string;
  /** How many files were read and hashed. */
  readonly hashed: number;
  readonly differences: readonly Difference[];
}

/** Reads and hashes everything that belongs to a workflow again. */
export function verifyWorkflow(snapshot: Snapshot, name: string, context: Context): Verified {
  const workflow = snapshot.lock.workflows.get(name)!;
  const status = statusOf(snapshot, name);
  const stored = checkStore(snapshot, name, workflow);
  const cached = stored.tree === undefined ? NOTHING : checkCache(name, workflow, stored.tree, context);
  const bases = checkBases(snapshot, name, workflow);
  const hashed = stored.hashed + cached.hashed + bases.hashed + status.files.length;
  const differences = [
    ...stored.differences,
    ...bases.differences,
    ...entryDifferences(status),
    ...cached.differences,
    ...fileDifferences(status),
  ];
  return { name, version: workflow.version, hashed, differences };
}

interface Checked {
  readonly hashed: number;
  readonly differences: readonly Difference[];
}

const NOTHING: Checked = { hashed: 0, differences: [] };

/** The tree is only given if it is the one that was installed. */
function checkStore(
  snapshot: Snapshot,
  name: string,
  { tree: expected, source }: LockedWorkflow,
): Checked & { readonly tree?: PackageTree } {
  const difference = (kind: "store-missing" | "store-changed", detail: string, next = "hugo ci"): Checked => ({
    hashed: 0,
    differences: [{ workflow: name, kind, at: "store", detail, next }],
  });
  if (expected === undefined) {
    const again = `hugo install --force ${source}`;
    return difference("store-missing", "It was taken over from an earlier Hugo, without its package.", again);
  }
  const tree = readable(() => snapshot.storedTree(name));
  if (tree instanceof HugoError) return difference("store-changed", tree.message);
  if (tree === undefined) return difference("store-missing", "Its package is not in the store.");
  const hash = hashTree(tree);
  if (hash === expected) return { hashed: tree.size, differences: [], tree };
  return { ...difference("store-changed", `The store has ${hash}, hugo.json says ${expected}.`), hashed: tree.size };
}

function checkBases(snapshot: Snapshot, name: string, { delivery }: LockedWorkflow): Checked {
  if (delivery.kind === "plugin") return NOTHING;
  const needed = [...delivery.files].flatMap(([at, file]) => {
    if (file.kind === "skipped") return [];
    return [file.base, file.pending].flatMap((hash) => (hash === undefined ? [] : [{ at, hash }]));
  });
  const missing = needed.filter(({ hash }) => snapshot.baseOf(hash) === undefined);
  return {
    hashed: needed.length,
    differences: missing.map(({ at, hash }) => ({
      workflow: name,
      kind: "base-missing",
      at,
      detail: `What the package gave (${hash.slice(0, 19)}…) is not in the store, or damaged.`,
      next: "hugo ci",
    })),
  };
}

function entryDifferences({ name, source, entries }: WorkflowStatus): Difference[] {
  return entries
    .filter(({ state }) => state === "modified")
    .map(({ file, spec, pin }) => ({
      workflow: name,
      kind: "entry-changed",
      at: file,
      detail: `The plugin array says ${spec}, hugo.json says ${pin ?? "nothing that could stand there"}.`,
      next: `hugo install --force ${source}, or put the entry back`,
    }));
}

/** Packages of the registry only: others OpenCode loads from the store. */
function checkCache(name: string, workflow: LockedWorkflow, expected: PackageTree, context: Context): Checked {
  const { delivery, source, package: packageName, version } = workflow;
  if (delivery.kind === "copy" || parsePackageSpec(source).kind !== "registry") return NOTHING;
  const at = cachedPlugin(context, `${packageName}@${version}`, packageName);
  if (!existsSync(at)) return NOTHING;
  const next = `rm -r ${at}, so that OpenCode fetches it again`;
  const tree = readable(() => readPackageTree(at));
  if (tree instanceof HugoError) {
    return { hashed: 0, differences: [{ workflow: name, kind: "cache-changed", at, detail: tree.message, next }] };
  }
  const differences = compareTrees(expected, tree).map(
    ({ path, how }): Difference => ({
      workflow: name,
      kind: "cache-changed",
      at: `${at}/${path}`,
      detail: `OpenCode's copy is not what was installed: this file is ${how === "changed" ? "another" : how}.`,
      next,
    }),
  );
  return { hashed: tree.size, differences };
}

function fileDifferences({ name, files }: WorkflowStatus): Difference[] {
  return files.flatMap(({ path, state }): Difference[] => {
    if (state === "clean") return [];
    return [{ workflow: name, kind: `file-${state}`, at: path, detail: DETAILS[state] }];
  });
}

const DETAILS = {
  modified: "locally modified",
  deleted: "locally deleted",
  skipped: "left out at its installation",
  conflict: "an update waits beside it",
} as const;

/** What is too damaged to be read as a package is an answer here, not a failure. */
function readable<T>(read: () => T): T | HugoError {
  try {
    return read();
  } catch (error) {
    if (error instanceof HugoError) return error;
    throw error;
  }
}
