import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { isRecord } from "./registered.ts";

/** What OpenCode would import of a package. */
export type Entry =
  | { readonly kind: "entry"; readonly url: string; readonly engineRange?: string }
  | { readonly kind: "none"; readonly because: string };

type Json = Readonly<Record<string, unknown>>;

const INDEX = ["index.ts", "index.tsx", "index.js", "index.mjs", "index.cjs"];

/**
 * Finds the entry of an installed package as OpenCode does: `exports["./server"]`, which may be `{ import }` or
 * `{ default }`, else `main`, else an index file.
 */
export function findEntry(folder: string, { isPath }: { readonly isPath: boolean }): Entry {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) return none(`${folder} is not there`);
  if (!stats.isDirectory()) return { kind: "entry", url: pathToFileURL(folder).href };
  const index = INDEX.map((name) => join(folder, name)).find((file) => existsSync(file));
  const json = readPackageJson(folder);
  if (json === undefined) return index === undefined || !isPath ? none("it has no package.json") : entry(index, {});
  const written = exportedServer(json) ?? main(json);
  if (written === undefined) {
    const isLeftOut = isRecord(json.exports) && !isPath;
    if (index !== undefined && !isLeftOut) return entry(index, json);
    return none('package.json has neither "main" nor an "exports" with "./server"');
  }
  const file = resolve(folder, written);
  if (!file.startsWith(folder + sep)) return none(`its entry ${written} lies outside of the package`);
  return entry(file, json);
}

function entry(file: string, { engines }: Json): Entry {
  const range = isRecord(engines) ? engines.opencode : undefined;
  return { kind: "entry", url: pathToFileURL(file).href, ...(typeof range === "string" && { engineRange: range }) };
}

function none(because: string): Entry {
  return { kind: "none", because };
}

function exportedServer({ exports }: Json): string | undefined {
  const server = isRecord(exports) ? exports["./server"] : undefined;
  const candidates = isRecord(server) ? [server.import, server.default] : [server];
  return candidates.find((candidate) => typeof candidate === "string");
}

function main({ main: written }: Json): string | undefined {
  return typeof written === "string" && written.trim() !== "" ? written.trim() : undefined;
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
