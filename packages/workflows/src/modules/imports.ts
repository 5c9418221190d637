// What an import in a workflow means on every runtime: a module of this package, a relative file, or another package.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { packageRoot } from "./package-root.ts";

export function isOwnModule(specifier: string): boolean {
  return specifier === "@atomic/workflows" || specifier.startsWith("@atomic/workflows/");
}

type Exports = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;

let own: ReadonlyMap<string, string> | undefined;

/**
 * This package's modules by name, with their files. `@atomic/workflows/…` in a workflow is always the copy that runs it: it
 * works even where nothing is installed, it fits the interpreter, and its classes exist once.
 */
export function ownModules(): ReadonlyMap<string, string> {
  if (own !== undefined) return own;
  const root = packageRoot();
  const { exports }: { exports: Exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const condition = import.meta.filename.endsWith(".ts") ? "bun" : "default";
  const modules = Object.entries(exports).filter(([path, { types }]) => types !== undefined && !path.includes("*"));
  own = new Map(
    modules.map(([path, targets]) => [
      `@atomic/workflows${path.slice(1)}`,
      join(root, targets[condition] ?? targets.default ?? ""),
    ]),
  );
  return own;
}

export function isBeside(specifier: string): boolean {
  return /^(?:\.{0,2}\/|file:)/.test(specifier);
}

const endings = [".ts", ".mts", ".js", ".mjs", ".json", "/index.ts", "/index.js"];

/** Looks for a file as Bun and bundlers do: as written, with `.ts` for `.js`, then with an extension. */
export function fileBeside(specifier: string, importer: string): string | undefined {
  const asked = fileURLToPath(new URL(specifier, pathToFileURL(importer)));
  const candidates = [asked, asked.replace(/js$/, "ts"), ...endings.map((ending) => asked + ending)];
  const file = candidates.find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  return file === undefined ? undefined : realpathSync(file);
}

/** Has what Node's own error has, and which file imports what. */
export function notFound(specifier: string, importer: string): Error {
  const error = new Error(`Cannot find ${specifier}`);
  return Object.assign(error, { code: "ERR_MODULE_NOT_FOUND", specifier, importer });
}
