import { existsSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { HugoError } from "../../errors.ts";
import { readJsonObject } from "../../packages/json-part.ts";
import { readPackageTree } from "../../packages/read-tree.ts";
import type { PackageFile, PackageTree } from "../../packages/tree.ts";

/** A package as it lies before its author: what counts of it for Hugo and OpenCode. */
export interface SourcePackage {
  readonly folder: string;
  readonly json: JsonPart;
  /** Only package.json, the entry and what lies in the folders of a workflow; not everything there will be packed. */
  readonly tree: PackageTree;
}

const FOLDERS = ["agents", "agent", "commands", "command", "skills", "skill", "workflows"];

const HINT = "See `npm help package.json` for the allowed fields.";

export function readSource(folder: string): SourcePackage {
  const file = join(folder, "package.json");
  if (!existsSync(file)) {
    const isThere = existsSync(folder);
    throw new HugoError(isThere ? "no-workflow" : "package-not-found", {
      message: isThere ? `${folder} is not a package: package.json is missing` : `There is no folder ${folder}`,
      at: folder,
      hint: "`hugo init` writes a new workflow package.",
    });
  }
  const bytes = readFileSync(file);
  const json = readJsonObject(bytes.toString("utf8"), { file: "package.json", code: "manifest-invalid", hint: HINT });
  const files = [...FOLDERS.flatMap((name) => filesIn(folder, name)), ...entryFiles(folder, json)];
  const all: [string, PackageFile][] = [...files, ["package.json", { bytes, executable: false }]];
  return { folder, json, tree: new Map(all.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function filesIn(folder: string, name: string): [string, PackageFile][] {
  const isFolder = statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? [...readPackageTree(join(folder, name))].map(([path, file]) => [`${name}/${path}`, file]) : [];
}

const EXTENSIONS = [".ts", ".tsx", ".js", ".mjs", ".cjs"];

/** Whatever package.json may mean by its entry. */
function entryFiles(folder: string, json: JsonPart): [string, PackageFile][] {
  const value = json.value() as { main?: unknown; exports?: Record<string, unknown> };
  const server = value.exports?.["./server"];
  const nested = typeof server === "object" && server !== null ? Object.values(server) : [server];
  const written = [value.main, ...nested].filter((path): path is string => typeof path === "string");
  const candidates = (written.length > 0 ? written : ["."])
    .map((path) => posix.normalize(path))
    .filter((path) => !path.startsWith("..") && !posix.isAbsolute(path))
    .flatMap((path) => [path, ...EXTENSIONS.flatMap((end) => [path + end, posix.join(path, `index${end}`)])]);
  const present = candidates.filter((path) => existsSync(join(folder, path)) && statSync(join(folder, path)).isFile());
  return present.map((path) => [path, { bytes: readFileSync(join(folder, path)), executable: false }]);
}
