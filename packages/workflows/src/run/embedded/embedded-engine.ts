import type { LocalEngine } from "../engine.ts";
import { type EngineOptions, StoreEngine } from "../local-engine.ts";
import { fileStore } from "./file-store.ts";

/**
 * Runs in a folder. Each has an append-only, readable journal that survives a crash at any point.
 * @example
 * const engine = embeddedEngine(".atomic/runs", { interpret });
 * await engine.start({ runId: "fix-login", graph, input });
 * const run = await engine.run("fix-login");
 * for await (const event of run) console.log(event.type);
 * console.log(await run.ended);
 */
export function embeddedEngine(folder: string, options: EngineOptions): LocalEngine {
  return new StoreEngine(fileStore(folder), options);
}
