// The files at the start of a phase, on disk: a process that continues the run can still tell what a shell has built since.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import * as z from "zod/mini";
import { hashOf, type Tree } from "./tree-hash.ts";

const entries = z.array(z.tuple([z.string(), z.string()]));

/** Without a tree, what was kept is removed. */
export function keepTree(path: string, tree: Tree | undefined): void {
  if (tree === undefined) {
    rmSync(path, { force: true });
    return;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, JSON.stringify([...tree.fingerprints]));
  renameSync(next, path);
}

/** Undefined if it is not the tree with this hash, which the journal knows. */
export function keptTree(path: string, hash: string | undefined): Tree | undefined {
  try {
    const fingerprints = new Map(entries.parse(JSON.parse(readFileSync(path, "utf8"))));
    return hash !== undefined && hashOf(fingerprints) === hash ? { hash, fingerprints } : undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing || error instanceof SyntaxError || error instanceof z.core.$ZodError) return undefined;
    throw error;
  }
}
