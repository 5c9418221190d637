// Graphs on the engine that keeps its runs in memory: real journals, real crashes, no disk.
import type { EntityInput } from "../../src/entities/define-entity.ts";
import { createEntityRegistry, type EntityRegistry } from "../../src/entities/registry.ts";
import type { CompiledGraph, CompileOptions } from "../../src/graph/compile.ts";
import { type GraphResult, interpreterOf, interpreterVersion } from "../../src/graph/interpret/interpret.ts";
import type { Services } from "../../src/graph/services.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import type { RunEvent } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import type { EngineOptions } from "../../src/run/local-engine.ts";
import { type MemoryStore, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunStatus } from "../../src/run/run-state.ts";
import { entity } from "../entities.ts";
import { ScriptedHost } from "./scripted-host.ts";

/** A registry with these names; details only where a test is about them. */
export function registryWith(names: {
  readonly agent?: readonly string[];
  readonly skill?: readonly string[];
  readonly command?: readonly string[];
  readonly more?: readonly EntityInput[];
}): EntityRegistry {
  const registry = createEntityRegistry();
  for (const type of ["agent", "skill", "command"] as const) {
    for (const name of names[type] ?? []) registry.register(entity(name, "claude:project", { type }));
  }
  for (const each of names.more ?? []) registry.register(each);
  return registry;
}

export const noEntities: EntityRegistry = createEntityRegistry();

export interface RunOptions extends Partial<Services>, CompileOptions {
  readonly input?: Json;
  readonly registry?: EntityRegistry;
  readonly store?: MemoryStore;
  readonly runId?: string;
  /** How many steps of a queue run at a time. */
  readonly queues?: Readonly<Record<string, number>>;
  readonly limits?: EngineOptions["limits"];
  /** Sent before the run begins. */
  readonly signals?: Readonly<Record<string, Json>>;
}

export interface Ended {
  readonly status: RunStatus;
  /** Of a run that is done. */
  readonly result: GraphResult;
  readonly events: readonly RunEvent[];
  /** Of steps, in the order in which they ended. */
  readonly keys: readonly string[];
}

export function engineFor(compiled: CompiledGraph, options: RunOptions = {}): LocalEngine {
  const { registry = noEntities, host = new ScriptedHost(), store, queues = {}, limits = {}, ...rest } = options;
  const interpret = interpreterOf(compiled, registry, { host, ...rest }, rest);
  return memoryEngine({ interpret, interpreter: interpreterVersion, queues, limits }, store ?? memoryStore());
}

/** Runs a graph from its beginning, or from where the store has it, to its end. */
export async function runGraph(compiled: CompiledGraph, options: RunOptions = {}): Promise<Ended> {
  const { runId = "run", input = null, signals = {} } = options;
  const engine = engineFor(compiled, options);
  await engine.start({ runId, graph: compiled.json, input });
  for (const [key, value] of Object.entries(signals)) await engine.signal(runId, key, value);
  const run = await engine.run(runId);
  return await endedOf(engine, runId, await run.ended);
}

export async function endedOf(engine: LocalEngine, runId: string, status: RunStatus): Promise<Ended> {
  const events: RunEvent[] = [];
  for await (const { event } of engine.journal(runId)) events.push(event);
  const keys = events.flatMap((event) => (event.type === "step-finished" ? [event.key] : []));
  return {
    status,
    events,
    keys,
    get result(): GraphResult {
      if (status.kind !== "done" || !("value" in status.result)) {
        throw new Error(`The run is not done: ${JSON.stringify(status)}`);
      }
      return status.result.value as GraphResult;
    },
  };
}
