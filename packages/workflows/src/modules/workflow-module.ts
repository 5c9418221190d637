// Imports a workflow's module on Node and Bun, wherever it is.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { explainImportError } from "./explain-error.ts";
import * as hooks from "./hooks.ts";
import { fileBeside, isBeside, isOwnModule, notFound, ownModules } from "./imports.ts";
import { WorkflowModuleError } from "./workflow-module-error.ts";

let loads = 0;
let isPrepared = false;

/**
 * The module as it is on disk now. Every call loads a new copy of it and of the files that it imports by relative paths, and
 * modules cannot be unloaded: call this only to run something.
 */
export async function importWorkflowModule(path: string): Promise<Readonly<Record<string, unknown>>> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new WorkflowModuleError("file-missing", {
      problem: "The file no longer exists.",
      at: path,
      hint: "Reload the entities.",
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
    if (!isPrepared) {
      isPrepared = true;
      // `registerHooks` exists since Node 22.15; `register` starts a thread, and later versions deprecate it.
      const { registerHooks, register } = nodeModule as typeof nodeModule & { registerHooks?: (each: object) => void };
      if (registerHooks !== undefined) registerHooks({ resolve: hooks.resolve, load: hooks.load });
      else register(new URL(`./hooks${import.meta.url.slice(-3)}`, import.meta.url));
    }
    loads += 1;
    return await import(`${pathToFileURL(realpathSync(path)).href}?workflow=${loads}`);
  } catch (error) {
    throw explainImportError(error, path, files);
  }
}

/** The part of Bun's own API that nothing in `node:` replaces. */
interface BunGlobal {
  plugin(plugin: { readonly name: string; setup(build: BunBuild): void }): unknown;
  readonly Transpiler: new (options: {
    readonly loader: "ts";
  }) => { scanImports(text: string): { readonly path: string }[] };
}

interface BunBuild {
  module(name: string, load: () => Promise<{ readonly loader: "object"; readonly exports: object }>): unknown;
}

/**
 * Bun reads TypeScript, but has no import hooks: it can only replace modules by name, and it would download a package that
 * is not installed. Adds what the module imports by relative paths to `files`.
 */
async function importOnBun(
  bun: BunGlobal,
  path: string,
  files: Set<string>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isPrepared) {
    isPrepared = true;
    bun.plugin({
      name: "workflows",
      setup: (build) => {
        for (const [name, file] of ownModules())
          build.module(name, async () => ({ loader: "object", exports: await import(file) }));
      },
    });
  }
  const transpiler = new bun.Transpiler({ loader: "ts" });
  const open = [path];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    files.add(file);
    if (!/\.m?[jt]s$/.test(file)) continue;
    let imports: { readonly path: string }[];
    try {
      imports = transpiler.scanImports(readFileSync(file, "utf8"));
    } catch (error) {
      // It cannot be parsed; the import will report that, and where.
      if (error instanceof Object && ("position" in error || "errors" in error)) continue;
      throw error;
    }
    for (const { path: specifier } of imports) {
      const found = isBeside(specifier) ? fileBeside(specifier, file) : undefined;
      if (found !== undefined && !files.has(found)) open.push(found);
      if (found === undefined && !mayResolve(specifier, file)) throw notFound(specifier, file);
    }
  }
  const { cache } = nodeModule.createRequire(import.meta.url);
  for (const file of files) delete cache[file];
  return await import(pathToFileURL(path).href);
}

/** Asking Bun itself would download the package. A tsconfig.json may map any name. */
function mayResolve(specifier: string, importer: string): boolean {
  if (isOwnModule(specifier)) return ownModules().has(specifier);
  if (isBeside(specifier)) return false;
  if (/^(?:[a-z]+:|#)/.test(specifier) || nodeModule.builtinModules.includes(specifier)) return true;
  const [name = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  for (let folder = dirname(importer); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", name)) || existsSync(join(folder, "tsconfig.json"))) return true;
    if (folder === dirname(folder)) return false;
  }
}
