import { join } from "node:path";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";

export type Program = (ctx: RunCtx) => Promise<Json>;

/** Gives the engine of another process at each call, over the same runs. */
export type EngineOf = (interpret: Program) => LocalEngine;

let count = 0;

/** Each makes a place for runs; that of the second is in the folder. */
export const bothEngines: readonly [string, (folder: string) => EngineOf][] = [
  [
    "in memory",
    () => {
      const disk: MemoryDisk = new Map();
      return (interpret) => memoryEngine({ interpret }, memoryStore(disk));
    },
  ],
  [
    "in a folder",
    (folder) => {
      const runs = join(folder, String(++count));
      return (interpret) => embeddedEngine(runs, { interpret });
    },
  ],
];

/** As JSON has it: what a journal cannot keep would be lost. */
export async function endOf(engine: LocalEngine): Promise<Json> {
  await engine.start({ runId: "run", graph: null, input: null });
  const status = await (await engine.run("run")).ended;
  return JSON.parse(JSON.stringify(status)) as Json;
}
