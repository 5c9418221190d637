import type { LocalEngine } from "../engine.ts";
import { type EngineOptions, localEngine } from "../local-engine.ts";
import { type MemoryStore, memoryStore } from "./memory-store.ts";

/** Runs that end with this process, for tests and dry runs. Engines that share a store are processes that share a disk. */
export function memoryEngine(options: EngineOptions, store: MemoryStore = memoryStore()): LocalEngine {
  return localEngine(store, options);
}
