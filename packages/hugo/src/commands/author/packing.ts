import { readdirSync } from "node:fs";
import { join, posix } from "node:path";
import type { Context } from "../../context.ts";
import { managerEnvironment } from "../../sources/program/environment.ts";
import { findProgram } from "../../sources/program/find-program.ts";
import { runProgram } from "../../sources/program/run-program.ts";
import { removeTree } from "../../sources/remove-tree.ts";
import { temporaryFolder } from "../../sources/temporary-folder.ts";
import { error, type PackageProblem } from "./read-source.ts";

export type Packed =
  | { readonly kind: "known"; readonly files: ReadonlySet<string> }
  /** npm is missing, or nothing can be packed. */
  | { readonly kind: "unknown"; readonly because: string }
  | { readonly kind: "failed"; readonly problem: PackageProblem };

const TIMEOUT = 60_000;

/** The files that npm would pack. Nothing is packed, and no script runs. */
export async function packedFiles(folder: string, context: Context): Promise<Packed> {
  // The folder is the author's own, but the `npm` in its node_modules, or where Hugo runs, is untrusted.
  const world = { ...context, beside: [folder] };
  const file = findProgram("npm", world);
  if (file === undefined) return { kind: "unknown", because: "npm is not installed" };
  const home = temporaryFolder();
  try {
    const env = managerEnvironment(world, home);
    const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--offline", "--loglevel=error"];
    const npm = { file, cwd: folder, env, signal: context.signal, timeout: TIMEOUT };
    const { code, stdout, stderr } = await runProgram({ ...npm, args });
    // A list of packages, or one by name: npm has had both.
    let listed: Record<string, { files?: { path: string }[] } | null> | null = null;
    try {
      if (code === 0) listed = JSON.parse(stdout);
    } catch (caught) {
      if (!(caught instanceof SyntaxError)) throw caught;
    }
    const [pack] = Object.values(listed ?? {});
    if (Array.isArray(pack?.files)) return { kind: "known", files: new Set(pack.files.map(({ path }) => path)) };
    const complaint = stderr.trim().split("\n")[0] || `it exited with code ${code} and listed no files`;
    const hint = "Run `npm pack --dry-run` in the package and fix what it reports; publishing would fail the same way.";
    return { kind: "failed", problem: error("package.json", `\`npm pack\` failed: ${complaint}`, hint) };
  } finally {
    removeTree(home);
  }
}

/** Everything that could be packed, if the real list is unknown. */
export function allFiles(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(below, entry.name);
    if (path === "node_modules" || path === ".git") return [];
    if (entry.isDirectory()) return allFiles(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

/** Files that npm never packs and that do not matter. */
const NEVER_PACKED = /(?:^|\/)(?:\.npmignore|\.gitignore|\.npmrc|\.DS_Store|\._[^/]*|\.[^/]*\.swp|[^/]*\.orig)$/;

/** Files that the package needs but would not contain. */
export function missingFromPackage(needed: readonly string[], packed: ReadonlySet<string>): PackageProblem[] {
  return needed
    .filter((path) => !packed.has(path) && !NEVER_PACKED.test(path))
    .map((path) => {
      const [first = path] = path.split("/");
      const hint = `Add "${first}" to "files" in package.json, and check .npmignore and .gitignore.`;
      return error(path, "would be missing from the package", hint);
    });
}
