import { posix } from "node:path";
import { readJsonFile } from "../json-part.ts";
import type { PackageTree } from "../tree.ts";

/** A package's name and version; missing in repositories that are not npm packages. */
export interface PackageFacts {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
}

const HINT = "Only the package's author can fix it.";

/** From package.json; what is missing there comes from a Claude plugin's manifest. */
export function readPackageFacts(tree: PackageTree): PackageFacts {
  const facts: { -readonly [Key in keyof PackageFacts]: PackageFacts[Key] } = {};
  for (const file of [".claude-plugin/plugin.json", "package.json"]) {
    const root = readJsonFile(tree, file, HINT);
    for (const key of ["name", "version", "description"] as const) {
      const text = root?.get(key).optionalString();
      if (text !== undefined) facts[key] = text;
    }
  }
  return facts;
}

const EXTENSIONS = [".ts", ".tsx", ".js", ".mjs", ".cjs"];
const INDEX = EXTENSIONS.map((extension) => `index${extension}`);

/**
 * The file that OpenCode loads as a plugin: `exports["./server"]`, plain or as `{ import }` or `{ default }`, else
 * `main`, else an index file. A package with none of these is not a plugin; one that OpenCode would silently fail to
 * load is refused.
 */
export function readEntry(tree: PackageTree): string | undefined {
  const root = readJsonFile(tree, "package.json", HINT);
  if (root === undefined) return undefined;
  const exported = root.get("exports");
  const server = exported.node?.kind === "object" ? exported.get("./server") : undefined;
  const servers = server?.node?.kind === "object" ? [server.get("import"), server.get("default")] : [server];
  let written = servers.find((each) => each?.node?.kind === "string");
  const main = root.get("main");
  if (written === undefined && !main.isMissing && main.string().trim() !== "") written = main;
  if (written !== undefined) {
    const path = posix.normalize(written.string().trim());
    const folder = path.replace(/\/$/, "");
    const candidates = [
      path,
      ...EXTENSIONS.map((extension) => path + extension),
      ...INDEX.map((name) => `${folder}/${name}`),
    ];
    const found = candidates.find((candidate) => tree.has(candidate));
    if (found !== undefined) return found;
    throw written.refuse("names a file that is not in the package", "Its author must build it before packing.");
  }
  // OpenCode does not look for an index file in a registry package with exports.
  const index = exported.node?.kind === "object" ? undefined : INDEX.find((name) => tree.has(name));
  if (index !== undefined || exported.isMissing) return index;
  const problem = 'has no "./server" for "import" or "default", and "main" is missing';
  throw exported.refuse(`${problem}: OpenCode would load nothing and report no error`);
}
