// Imports the module of a workflow, on Node and Bun, from wherever it lies.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { builtinModules, createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { explained } from "./explain-error.ts";
import * as hooks from "./hooks.ts";
import { fileBeside, isBeside, isOwnModule, notFound, ownModules } from "./imports.ts";
import { WorkflowModuleError } from "./workflow-module-error.ts";

let loads = 0;

/**
 * The module as it is on disk now. Every call makes a new one, also of the files that it imports by relative paths, and
 * a module cannot be forgotten: call it when there is something to run, not to look.
 */
export async function importWorkflowModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new WorkflowModuleError("file-missing", {
      problem: "There is no such file any more.",
      at: path,
      hint: "Load the entities again.",
    });
  }
  const { Bun: bun } = globalThis as { Bun?: BunGlobal };
  if (bun !== undefined && path.includes("?")) {
    throw new WorkflowModuleError("file-missing", {
      problem: 'Bun cannot load a file from a path that contains "?".',
      at: path,
      hint: "Rename the file or folder, or use Node.",
    });
  }
  const files = new Set([path]);
  try {
    if (bun !== undefined) return await importOnBun(bun, path, files);
    installHooks();
    loads += 1;
    return await import(hooks.marked(realpathSync(path), loads));
  } catch (error) {
    throw explained(error, path, files);
  }
}

let isInstalled = false;

/** `registerHooks` is there from Node 22.15 on; `register` starts a thread, and later versions deprecate it. */
function installHooks(): void {
  if (isInstalled) return;
  isInstalled = true;
  const { registerHooks, register } = nodeModule as typeof nodeModule & { registerHooks?: (each: object) => void };
  if (registerHooks !== undefined) registerHooks({ resolve: hooks.resolve, load: hooks.load });
  else register(new URL(`./hooks${import.meta.url.slice(-3)}`, import.meta.url));
}

// What Bun needs to import a workflow module. It reads TypeScript, but has no hooks for imports: modules can only be put in
// the place of names, and packages that are not installed it would fetch from the registry.
/** The part of Bun's own API that nothing in `node:` replaces. */
interface BunGlobal {
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
async function importOnBun(
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
