// Imports the module of a workflow, on Node and Bun, from wherever it lies.
import { statSync } from "node:fs";
import * as nodeModule from "node:module";
import { pathToFileURL } from "node:url";
import { importedOnBun, isBun } from "./workflow-module-bun.ts";
import { WorkflowModuleError } from "./workflow-module-error.ts";
import { loadTypeScript, marked, type ResolveContext, type Resolved, resolving } from "./workflow-module-hooks.ts";
import { explained } from "./workflow-module-problem.ts";
import { typeStripper } from "./workflow-module-types.ts";

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
  loads += 1;
  const url = marked(pathToFileURL(path).href, loads);
  try {
    if (isBun()) return await importedOnBun(path, url);
    await installHooks();
    return await import(url);
  } catch (error) {
    throw await explained(error, path);
  }
}

let installed: Promise<void> | undefined;

function installHooks(): Promise<void> {
  installed ??= install();
  return installed;
}

interface SyncHooks {
  resolve(
    specifier: string,
    context: ResolveContext,
    next: (specifier: string, context: ResolveContext) => Resolved,
  ): Resolved;
  load(url: string, context: object, next: (url: string, context: object) => object): object;
}

/** The first is there from Node 22.15 on; the second would start a thread there, too, and is on its way out. */
async function install(): Promise<void> {
  const { registerHooks, register } = nodeModule as typeof nodeModule & { registerHooks?: (hooks: SyncHooks) => void };
  if (registerHooks === undefined) {
    register(new URL(`./workflow-module-thread${import.meta.url.slice(-3)}`, import.meta.url));
    return;
  }
  const strip = await typeStripper();
  registerHooks({
    resolve: (specifier, context, next) => {
      const asked = resolving(specifier, context);
      return asked.after(next(specifier, asked.context));
    },
    load: (url, context, next) => loadTypeScript(url, strip) ?? next(url, context),
  });
}
