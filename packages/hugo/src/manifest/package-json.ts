import { posix } from "node:path";
import { type JsonPart, readJsonObject } from "../json-part.ts";
import { type PackageTree, textOf } from "../package/tree.ts";

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
 * The file that OpenCode loads as a plugin: `exports["./server"]`, else `main`. A package with neither is no plugin; one
 * of which OpenCode would load nothing, without a word, is refused.
 */
export function readEntry(tree: PackageTree): string | undefined {
  const root = readObject(tree, "package.json");
  if (root === undefined) return undefined;
  const exported = root.get("exports");
  const server = exported.node?.kind === "object" ? exported.get("./server") : undefined;
  if (server?.isMissing === false) {
    if (server.node?.kind !== "string") throw server.refuse("must be a plain string: OpenCode loads nothing else");
    return presentFile(server, tree);
  }
  const main = root.get("main");
  if (!main.isMissing) return presentFile(main, tree);
  if (exported.isMissing) return undefined;
  throw exported.refuse('has no "./server", and there is no "main": OpenCode would load nothing, without a word');
}

function presentFile(part: JsonPart, tree: PackageTree): string {
  const path = posix.normalize(part.string());
  const candidates = [path, `${path}.js`, `${path.replace(/\/$/, "")}/index.js`];
  const found = candidates.find((candidate) => tree.has(candidate));
  if (found !== undefined) return found;
  throw part.refuse("names a file that is not in the package", "Its author must build it before it is packed.");
}
