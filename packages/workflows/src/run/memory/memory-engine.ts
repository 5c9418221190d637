import type { LocalEngine } from "../engine.ts";
import { type EngineOptions, localEngine } from "../local-engine.ts";
import { type MemoryStore, memoryStore } from "./memory-store.ts";

/** Runs that end with this process, for tests and dry runs. Engines over stores of one disk are processes. */
export function memoryEngine(options: EngineOptions, store: MemoryStore = memoryStore()): LocalEngine {
  return localEngine(store, options);
}
