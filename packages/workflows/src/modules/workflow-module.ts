// Imports the module of a workflow, on Node and Bun, from wherever it lies.
import { realpathSync, statSync } from "node:fs";
import * as nodeModule from "node:module";
import { type BunGlobal, importOnBun } from "./workflow-module-bun.ts";
import { WorkflowModuleError } from "./workflow-module-error.ts";
import * as hooks from "./workflow-module-hooks.ts";
import { explained } from "./workflow-module-problem.ts";

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
  else register(new URL(`./workflow-module-hooks${import.meta.url.slice(-3)}`, import.meta.url));
}
