import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { EXTENSIONS } from "../packages/manifest/package-json.ts";
import { packageFolder } from "../packages/package-folder.ts";
import { removeTree } from "../sources/remove-tree.ts";
import { temporaryFolder } from "../sources/temporary-folder.ts";
import { type Opencode, runInto } from "./opencode.ts";
import { isRecord } from "./query-opencode.ts";

/** What OpenCode would import from a package. */
export type FoundEntry =
  | { readonly kind: "entry"; readonly url: string; readonly engineRange?: string }
  | { readonly kind: "none"; readonly because: string };

type Json = Readonly<Record<string, unknown>>;

/** What OpenCode itself looks for in a folder; its runtime has an order of its own. */
const INDEX = ["index.ts", "index.tsx", "index.js", "index.mjs", "index.cjs"];

/**
 * Finds the entry of an installed package as OpenCode does: `exports["./server"]`, which may be `{ import }` or
 * `{ default }`, else `main`, else what its runtime loads for the folder: an index file or `module`.
 */
export function findEntry(folder: string, { isPath }: { readonly isPath: boolean }): FoundEntry {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: "none", because: `${folder} does not exist` };
  if (!stats.isDirectory()) return { kind: "entry", url: pathToFileURL(folder).href };
  const firstOf = (names: readonly string[]): string | undefined =>
    names.map((name) => join(folder, name)).find((file) => existsSync(file));
  const index = firstOf(INDEX);
  const json = readPackageJson(folder);
  if (json === undefined) {
    if (index !== undefined && isPath) return entry(index, {});
    return { kind: "none", because: "it has no package.json" };
  }
  const { exports, main } = json;
  const server = isRecord(exports) ? exports["./server"] : undefined;
  const exported = isRecord(server) ? [server.import, server.default] : [server];
  const candidates = [...exported, typeof main === "string" ? main.trim() || undefined : undefined];
  const written = candidates.find((candidate) => typeof candidate === "string");
  if (written === undefined) {
    const modules = [json.module, json["jsnext:main"]].filter((path) => typeof path === "string");
    const loaded = isRecord(exports)
      ? isPath && index
      : firstOf([...EXTENSIONS.map((extension) => `index${extension}`), ...modules]);
    if (loaded) return entry(loaded, json);
    return { kind: "none", because: 'package.json has neither "main" nor "./server" in "exports"' };
  }
  const file = resolve(folder, written);
  if (file.startsWith(folder + sep)) return entry(file, json);
  return { kind: "none", because: `its entry ${written} is outside the package` };
}

function entry(file: string, { engines }: Json): FoundEntry {
  const range = isRecord(engines) ? engines.opencode : undefined;
  return { kind: "entry", url: pathToFileURL(file).href, ...(typeof range === "string" && { engineRange: range }) };
}

function readPackageJson(folder: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isRecord(json) ? json : undefined;
  } catch (error) {
    const isExpected = error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isExpected) return undefined;
    throw error;
  }
}

export interface PluginToLoad {
  /** URL of the file. */
  readonly entry: string;
  /** The config names it as a folder. */
  readonly isPath: boolean;
  readonly engine?: { readonly range: string; readonly version: string };
}

/** Imports a plugin in OpenCode's runtime, without OpenCode. Returns why OpenCode does not load it; undefined if it does. */
export async function problemOfLoading(opencode: Opencode, plugin: PluginToLoad): Promise<string | undefined> {
  const folder = temporaryFolder();
  try {
    const answerFile = join(folder, "answer.json");
    // In a separate folder: the runtime would read the project's bunfig.toml and .env.
    const env = { ...opencode.env, BUN_BE_BUN: "1", PWD: folder };
    const script = join(packageFolder(), "probe", "load-plugin.mjs");
    const args = [script, JSON.stringify(plugin), answerFile];
    const ended = await runInto({ ...opencode, cwd: folder, env }, args, join(folder, "stdout"));
    if (ended.kind === "silent") return ended.isSlow ? "it never finishes loading when imported" : ended.because;
    try {
      const { loads, problem } = JSON.parse(readFileSync(answerFile, "utf8")) as { loads: boolean; problem?: string };
      return loads ? undefined : problem;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "it exits the process that imports it";
      throw error;
    }
  } finally {
    removeTree(folder);
  }
}
