// What Bun needs to import a workflow module. It reads TypeScript, but has no hooks for imports: modules can only be put in
// the place of names, and packages that are not installed it would fetch from the registry.
import { existsSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { fileBeside, isBeside, isOwnModule, notFound, ownModules } from "./workflow-module-imports.ts";

/** The part of Bun's own API that nothing in `node:` replaces. */
export interface BunGlobal {
  plugin(plugin: { readonly name: string; setup(build: BunBuild): void }): unknown;
  readonly Transpiler: new (options: { readonly loader: "ts" }) => BunTranspiler;
}

interface BunTranspiler {
  scanImports(text: string): { readonly path: string }[];
}

interface BunBuild {
  module(name: string, load: () => Promise<{ readonly loader: "object"; readonly exports: object }>): unknown;
}

/** Adds to `files` what the module imports by relative paths. */
export async function importOnBun(
  bun: BunGlobal,
  path: string,
  files: Set<string>,
): Promise<Readonly<Record<string, unknown>>> {
  provideOwnModules(bun);
  addImportedFiles(bun, path, files);
  const { cache } = createRequire(import.meta.url);
  for (const file of files) delete cache[file];
  return await import(pathToFileURL(path).href);
}

let isProvided = false;

function provideOwnModules(bun: BunGlobal): void {
  if (isProvided) return;
  isProvided = true;
  bun.plugin({
    name: "workflows",
    setup: (build) => {
      for (const [name, file] of ownModules())
        build.module(name, async () => ({ loader: "object", exports: await import(file) }));
    },
  });
}

function addImportedFiles(bun: BunGlobal, path: string, files: Set<string>): void {
  const transpiler = new bun.Transpiler({ loader: "ts" });
  const open = [path];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    files.add(file);
    if (!/\.m?[jt]s$/.test(file)) continue;
    for (const specifier of importsIn(transpiler, readFileSync(file, "utf8"))) {
      const found = isBeside(specifier) ? fileBeside(specifier, file) : undefined;
      if (found !== undefined && !files.has(found)) open.push(found);
      if (found === undefined && !isThere(specifier, file)) throw notFound(specifier, file);
    }
  }
}

function importsIn(transpiler: BunTranspiler, text: string): string[] {
  try {
    return transpiler.scanImports(text).map(({ path }) => path);
  } catch (error) {
    // It cannot be parsed; the import will say so, and where.
    if (error instanceof Object && ("position" in error || "errors" in error)) return [];
    throw error;
  }
}

/** Asking Bun itself would fetch the package. A tsconfig.json may give a meaning to any name. */
function isThere(specifier: string, importer: string): boolean {
  if (isOwnModule(specifier)) return ownModules().has(specifier);
  if (isBeside(specifier)) return false;
  if (/^(?:[a-z]+:|#)/.test(specifier) || builtinModules.includes(specifier)) return true;
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  for (let at = dirname(importer); ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules", name)) || existsSync(join(at, "tsconfig.json"))) return true;
    if (at === dirname(at)) return false;
  }
}
