import { fileStore } from "./run/embedded/file-store.ts";
import { makeRunsFolder, runsFolder } from "./run/embedded/runs-folder.ts";
import type { LocalEngine } from "./run/engine.ts";
import { type EngineOptions, StoreEngine } from "./run/local-engine.ts";
import type { RunStore } from "./run/run-store.ts";

/** The engine for a project's runs. Everything that reads or runs them gets it here, so all agree on where they are. */
export function projectEngine(project: string, options: Omit<EngineOptions, "folder">): LocalEngine {
  const folder = runsFolder(project);
  const store = fileStore(folder);
  const create: RunStore["create"] = async (runId, event) => {
    makeRunsFolder(folder);
    return await store.create(runId, event);
  };
  return new StoreEngine({ ...store, create }, { ...options, folder: project });
}
