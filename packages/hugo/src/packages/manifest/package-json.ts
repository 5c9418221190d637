import { posix } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
import { readJsonObject } from "../json-part.ts";
import { type PackageTree, textOf } from "../tree.ts";

/** What a package is called; all of it is missing in repositories that are no npm packages. */
export interface PackageFacts {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
}

const HINT = "Only the author of the package can correct it.";

/** From package.json, and what is missing there from the manifest of a Claude plugin. */
export function readPackageFacts(tree: PackageTree): PackageFacts {
  return { ...factsIn(tree, ".claude-plugin/plugin.json"), ...factsIn(tree, "package.json") };
}

function factsIn(tree: PackageTree, file: string): PackageFacts {
  const root = readObject(tree, file);
  if (root === undefined) return {};
  const entries = ["name", "version", "description"].flatMap((key) => {
    const text = root.get(key).optionalString();
    return text === undefined ? [] : [[key, text]];
  });
  return Object.fromEntries(entries);
}

function readObject(tree: PackageTree, file: string): JsonPart | undefined {
  const text = textOf(tree, file);
  return text === undefined ? undefined : readJsonObject(text, { file, code: "manifest-invalid", hint: HINT });
}

/**
 * The file that OpenCode loads as a plugin: `exports["./server"]`, plain or as `{ import }` or `{ default }`, else
 * `main`, else an index file. A package with none of these is no plugin; one of which OpenCode would load nothing,
 * without a word, is refused.
 */
export function readEntry(tree: PackageTree): string | undefined {
  const root = readObject(tree, "package.json");
  if (root === undefined) return undefined;
  const exported = root.get("exports");
  const written = serverIn(exported) ?? mainIn(root);
  if (written !== undefined) return presentFile(written, tree);
  // Of a package of the registry that has exports, OpenCode does not look for an index file.
  const index = exported.node?.kind === "object" ? undefined : INDEX.find((name) => tree.has(name));
  if (index !== undefined || exported.isMissing) return index;
  const problem = 'has no "./server" for "import" or "default", and there is no "main"';
  throw exported.refuse(`${problem}: OpenCode would load nothing, without a word`);
}

function serverIn(exported: JsonPart): JsonPart | undefined {
  if (exported.node?.kind !== "object") return undefined;
  const server = exported.get("./server");
  const candidates = server.node?.kind === "object" ? [server.get("import"), server.get("default")] : [server];
  return candidates.find(({ node }) => node?.kind === "string");
}

function mainIn(root: JsonPart): JsonPart | undefined {
  const main = root.get("main");
  return main.isMissing || main.string().trim() === "" ? undefined : main;
}

const EXTENSIONS = [".ts", ".tsx", ".js", ".mjs", ".cjs"];
const INDEX = EXTENSIONS.map((extension) => `index${extension}`);

function presentFile(part: JsonPart, tree: PackageTree): string {
  const path = posix.normalize(part.string().trim());
  const folder = path.replace(/\/$/, "");
  const candidates = [
    path,
    ...EXTENSIONS.map((extension) => path + extension),
    ...INDEX.map((name) => `${folder}/${name}`),
  ];
  const found = candidates.find((candidate) => tree.has(candidate));
  if (found !== undefined) return found;
  throw part.refuse("names a file that is not in the package", "Its author must build it before it is packed.");
}
