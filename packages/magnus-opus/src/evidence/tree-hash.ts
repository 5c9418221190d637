// A hash of the working tree: evidence is valid for exactly one state of the files.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { sessionsFolder } from "../sessions/workplace.ts";

const run = promisify(execFile);

/** Generated folders, for projects without git. */
const skipped: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  ".svelte-kit",
  "dist",
  "build",
  ".vercel",
  "coverage",
  ".venv",
  "venv",
  ".tox",
  "target",
  ".gradle",
]);

/** Caches that a run of the tests leaves, even if git does not ignore them. */
const caches = /(^|\/)(__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis)\//;

export interface Tree {
  readonly hash: string;
  /** Of each file, by its path. */
  readonly fingerprints: ReadonlyMap<string, string>;
}

export async function treeHash(project: string): Promise<string> {
  return (await readTree(project)).hash;
}

/** All files that git would commit or, without git, all files that are not generated. Session folders are left out. */
export async function readTree(project: string): Promise<Tree> {
  let paths: readonly string[];
  try {
    // The repository's own settings must not name a program that git runs.
    const args = [
      "-c",
      "core.fsmonitor=false",
      "-c",
      "core.hooksPath=/dev/null",
      "ls-files",
      "-z",
      "--cached",
      "--others",
      "--exclude-standard",
    ];
    const { stdout } = await run("git", args, { cwd: project, maxBuffer: 256 * 1024 * 1024 });
    paths = [...new Set(stdout.split("\0").filter((path) => path !== ""))];
  } catch (error) {
    // Git is not installed, this is not a repository, or git does not trust it.
    const { code } = error as { readonly code?: unknown };
    if (code !== "ENOENT" && typeof code !== "number") throw error;
    paths = pathsByWalk(project);
  }
  const sorted = paths.filter(counts).sort();
  const fingerprints = new Map(sorted.map((path) => [path, fingerprint(join(project, path))]));
  return { hash: hashOf(fingerprints), fingerprints };
}

/** `fingerprints`: sorted by path. */
export function hashOf(fingerprints: Tree["fingerprints"]): string {
  const hash = createHash("sha256");
  for (const [path, each] of fingerprints) hash.update(`${path}\0${each}\n`);
  return `sha256:${hash.digest("hex")}`;
}

function counts(path: string): boolean {
  return !`/${path}`.includes(`/${sessionsFolder}/`) && !caches.test(path);
}

function pathsByWalk(project: string, below = ""): readonly string[] {
  return readdirSync(join(project, below), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? pathsByWalk(project, path) : [path];
  });
}

/** Kind, executable bit and content. A submodule counts as a folder. */
function fingerprint(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return "absent";
  if (stat.isSymbolicLink()) return `link ${readlinkSync(file)}`;
  if (!stat.isFile()) return "other";
  const kind = (stat.mode & 0o100) === 0 ? "file" : "program";
  try {
    return `${kind} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
  } catch (error) {
    // Unreadable, or just deleted: the other files still count.
    if (!["EACCES", "EPERM", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return `${kind} unreadable ${stat.size} ${stat.mtimeMs}`;
  }
}
