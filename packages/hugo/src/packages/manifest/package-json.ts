import { posix } from "node:path";
import type { JsonPart } from "@atomic/durable-files/jsonc/part";
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

/** In the order in which OpenCode's runtime tries them. */
export const EXTENSIONS: readonly string[] = [".tsx", ".jsx", ".mts", ".ts", ".mjs", ".js", ".cts", ".cjs"];

/** The files that OpenCode loads from a package; a package may be for the server, the terminal or both. */
export interface PluginEntries {
  /** Registers agents, commands, tools and hooks. */
  readonly entry?: string | undefined;
  /** Draws inside OpenCode's terminal: a module, or a theme if the package has only themes. */
  readonly tui?: string | undefined;
}

/**
 * Finds what OpenCode loads, as OpenCode does: `exports["./server"]`, plain or as `{ import }` or `{ default }`, else
 * `main`, else the folder, which means an index file or `module`. For the terminal it is `exports["./tui"]`, or
 * `oc-themes`. A package with none of these is not a plugin; one that OpenCode would silently fail to load is refused.
 */
export function readEntries(tree: PackageTree): PluginEntries {
  const root = readJsonFile(tree, "package.json", HINT);
  if (root === undefined) return {};
  const exported = root.get("exports");
  const hasExports = exported.node?.kind === "object";
  const exportOf = (key: string): JsonPart | undefined => {
    const part = hasExports ? exported.get(key) : undefined;
    const forms = part?.node?.kind === "object" ? [part.get("import"), part.get("default")] : [part];
    return forms.find((form) => form?.node?.kind === "string" && form.string() !== "");
  };
  const fileFor = (path: string): string | undefined => {
    const plain = posix.normalize(path.trim());
    const folder = plain.replace(/\/$/, "");
    const candidates = [
      plain,
      ...EXTENSIONS.map((extension) => plain + extension),
      ...EXTENSIONS.map((extension) => `${folder}/index${extension}`),
    ];
    return candidates.find((candidate) => tree.has(candidate));
  };
  const named = (part: JsonPart): string => {
    const found = fileFor(part.string());
    if (found !== undefined) return found;
    throw part.refuse("names a file that is not in the package", "Its author must build it before packing.");
  };
  const [terminal, themes] = [exportOf("./tui"), root.get("oc-themes")];
  const theme = themes.node?.kind === "array" ? themes.items()[0] : undefined;
  const tui = terminal ?? theme;
  const drawn = tui === undefined ? undefined : named(tui);

  const main = root.get("main");
  const hasMain = !main.isMissing && main.string().trim() !== "";
  const written = exportOf("./server") ?? (hasMain ? main : undefined);
  if (written !== undefined) return { entry: named(written), tui: drawn };
  if (!hasExports) {
    // The runtime then loads the folder, and prefers an index file.
    const index = EXTENSIONS.map((extension) => `index${extension}`).find((name) => tree.has(name));
    const modules = [root.get("module"), root.get("jsnext:main")].filter((part) => part.node?.kind === "string");
    const entry = index ?? modules.map((part) => fileFor(part.string())).find((file) => file !== undefined);
    if (entry !== undefined || exported.isMissing) return { entry, tui: drawn };
  }
  // OpenCode does not look for an index file in a registry package with exports.
  if (drawn !== undefined) return { tui: drawn };
  const problem = 'has no "./server" for "import" or "default", and "main" is missing';
  throw exported.refuse(`${problem}: OpenCode would load nothing and report no error`);
}
