// What Bun needs to import the module of a workflow. It reads TypeScript, but has no hooks for imports: modules can only
// be put in the place of names, and names that it does not know it would fetch from the registry.
import { existsSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { WorkflowModuleError } from "./workflow-module-error.ts";

/** The little of Bun that there is no other way to. */
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

type Exports = Readonly<Record<string, Readonly<Record<"bun" | "default", string | undefined>>>>;

const own = "@atomic/workflows/";

function bunGlobal(): BunGlobal | undefined {
  return (globalThis as { Bun?: BunGlobal }).Bun;
}

export function isBun(): boolean {
  return bunGlobal() !== undefined;
}

export async function importedOnBun(path: string, url: string): Promise<Readonly<Record<string, unknown>>> {
  const bun = bunGlobal();
  if (bun === undefined) throw new Error("This is not Bun.");
  provideOwnModules(bun);
  const { cache } = createRequire(import.meta.url);
  // The first has a new address by its number.
  for (const file of filesBehind(bun, path)) delete cache[file];
  return await import(url);
}

const provided = new Set<string>();

/** `@atomic/workflows/…` is the copy that runs the workflow: it is there also where nothing is installed. */
function provideOwnModules(bun: BunGlobal): void {
  if (provided.size > 0) return;
  const root = resolve(import.meta.dirname, "../..");
  const { exports }: { exports: Exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const condition = import.meta.filename.endsWith(".ts") ? "bun" : "default";
  bun.plugin({
    name: "workflows",
    setup: (build) => {
      for (const [way, targets] of Object.entries(exports)) {
        const file = join(root, targets[condition] ?? "");
        const name = own + way.slice("./".length);
        provided.add(name);
        build.module(name, async () => ({ loader: "object", exports: await import(file) }));
      }
    },
  });
}

/** The module, and all files that it imports by relative paths. Packages must be installed. */
function filesBehind(bun: BunGlobal, path: string): ReadonlySet<string> {
  const transpiler = new bun.Transpiler({ loader: "ts" });
  const found = new Set<string>();
  const open = [path];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !existsSync(file) || !/\.m?[jt]s$/.test(file)) continue;
    found.add(file);
    for (const name of importsIn(transpiler, readFileSync(file, "utf8"))) {
      if (/^\.{0,2}\//.test(name)) open.push(resolve(dirname(file), name));
      else if (!isThere(name, file)) throw missing(name, file);
    }
  }
  return found;
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

/** A tsconfig.json may give a meaning to any name. */
function isThere(name: string, file: string): boolean {
  if (name.startsWith(own)) return provided.has(name);
  if (/^(?:[a-z]+:|#)/.test(name) || builtinModules.includes(name)) return true;
  const [folder = ""] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [];
  for (let at = dirname(file); ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules", folder)) || existsSync(join(at, "tsconfig.json"))) return true;
    if (at === dirname(at)) return false;
  }
}

function missing(name: string, file: string): WorkflowModuleError {
  return new WorkflowModuleError("import-missing", {
    problem: name.startsWith(own) ? `There is no module ${name}.` : `Cannot find package '${name}'.`,
    at: file,
    hint: name.startsWith(own) ? "See its README.md for all modules." : "Install it in the project.",
  });
}
