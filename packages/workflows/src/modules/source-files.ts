// The files that a workflow is made of, by their content: its module, and what that imports or reads from beside it.
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fileBeside, isBeside } from "./imports.ts";

/** Hashes by path, relative to the first module's folder. */
export type SourceFiles = Readonly<Record<string, string>>;

const imports = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"'\n]+)["']/g;
/** Prompts are often in Markdown next to the module. */
const urls = /\bnew URL\(\s*["']([^"'\n]+)["']\s*,\s*import\.meta\.url\s*\)/g;
const isCode = /\.[cm]?[jt]sx?$/;

/** Packages are left out: a lock file says what they are. */
export function sourceFiles(modules: readonly string[]): SourceFiles {
  const [first = ""] = modules;
  const folder = dirname(realpathSync(first));
  const found = new Map<string, string>();
  const open = modules.map((path) => realpathSync(path));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const name = relative(folder, path).split(sep).join("/");
    if (found.has(name)) continue;
    const text = readFileSync(path, "utf8");
    found.set(name, createHash("sha256").update(text).digest("hex").slice(0, 16));
    if (!isCode.test(path)) continue;
    const beside = [...text.matchAll(imports)].flatMap(([, specifier = ""]) =>
      isBeside(specifier) ? [fileBeside(specifier, path)] : [],
    );
    const read = [...text.matchAll(urls)].flatMap(([, specifier = ""]) =>
      /^[a-z]+:/i.test(specifier) ? [] : [fileURLToPath(new URL(specifier, pathToFileURL(path)))],
    );
    for (const file of [...beside, ...read]) {
      if (file === undefined || relative(dirname(path), file).split(sep).includes("node_modules")) continue;
      if (statSync(file, { throwIfNoEntry: false })?.isFile()) open.push(realpathSync(file));
    }
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The paths that differ, with what happened to them. */
export function changedFiles(before: SourceFiles, after: SourceFiles): readonly string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}
