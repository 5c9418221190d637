import { expect, setDefaultTimeout, test } from "bun:test";
import { displayWidth } from "@atomic/terminal/width";
import fc from "fast-check";
import type { JsonObject } from "../../src/graph/json-value.ts";
import { drawGraph, toMermaid } from "../../src/graph/pictures.ts";
import { readGraph } from "../../src/graph/read-graph.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, type MemoryStore, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { crashingStore } from "./crashing-store.ts";
import { expectedOf } from "./expected.ts";
import { mermaidProblems } from "./mermaid-grammar.ts";
import { anyPlans, builderOf } from "./plans.ts";
import { engineFor, noEntities, runGraph } from "./run-graph.ts";

setDefaultTimeout(180_000);

test("any graph is the same after writing and reading it", () => {
  fc.assert(
    fc.property(anyPlans, (plan) => {
      const { json } = builderOf(plan).compile(noEntities);
      expect(readGraph(JSON.parse(JSON.stringify(json)))).toEqual(json);
    }),
    { numRuns: 300 },
  );
});

test("any graph can be drawn, in 80 columns, and as Mermaid that follows its grammar", () => {
  fc.assert(
    fc.property(anyPlans, (plan) => {
      const { json } = builderOf(plan).compile(noEntities);
      expect(Math.max(...drawGraph(json).split("\n").map(displayWidth))).toBeLessThanOrEqual(80);
      expect(mermaidProblems(toMermaid(json))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("any graph gives the same result as the plainest evaluation", async () => {
  await fc.assert(
    fc.asyncProperty(anyPlans, async (plan) => {
      const { status } = await runGraph(builderOf(plan).compile(noEntities));
      expect(stateOf(status)).toEqual(expectedOf(plan));
    }),
    { numRuns: 200 },
  );
});

test("any graph gives the same result if its process dies repeatedly, and nothing that ended runs again", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyPlans,
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      async (plan, lives) => {
        const compiled = builderOf(plan).compile(noEntities);
        const disk: MemoryDisk = new Map();
        for (const records of lives) {
          const { store, died } = crashingStore(disk, records);
          const engine = engineFor(compiled, { store });
          await engine.start({ runId: "run", graph: compiled.json, input: null });
          // The last life may have been long enough.
          if ((await engine.status("run")).kind === "done" || (await engine.status("run")).kind === "failed") break;
          const run = await engine.run("run");
          await Promise.race([died, run.ended]);
        }
        const { status, keys } = await runGraph(compiled, { store: memoryStore(disk) });
        expect(stateOf(status)).toEqual(expectedOf(plan));
        expect(new Set(keys).size).toBe(keys.length);
      },
    ),
    { numRuns: 150 },
  );
});

/** Only values of a few bytes stay in memory or in a record: all others are read where they are kept, each time. */
const tiny = { inlineBytes: 20, recentBytes: 0 };

function onDisk(store: MemoryStore): MemoryStore {
  return { ...store, readBlob: (runId, ref) => store.loadBlob(runId, ref) as Json };
}

test("any graph gives the same result if large values are not in memory, also if its process dies", async () => {
  await fc.assert(
    fc.asyncProperty(anyPlans, fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }), async (plan, lives) => {
      const compiled = builderOf(plan).compile(noEntities);
      const disk: MemoryDisk = new Map();
      for (const records of lives) {
        const { store, died } = crashingStore(disk, records);
        const engine = engineFor(compiled, { store: onDisk(store), limits: tiny });
        await engine.start({ runId: "run", graph: compiled.json, input: null });
        if ((await engine.status("run")).kind === "done" || (await engine.status("run")).kind === "failed") break;
        await Promise.race([died, (await engine.run("run")).ended]);
      }
      const store = onDisk(memoryStore(disk));
      const { status } = await runGraph(compiled, { store, limits: tiny });
      const engine = engineFor(compiled, { store });
      const result = status.kind === "done" ? await engine.loadLarge("run", status.result) : "failed";
      const state = result === "failed" ? result : (result as JsonObject).state;
      expect(structuredClone(state)).toEqual(expectedOf(plan) as Json);
    }),
    { numRuns: 150 },
  );
});

function stateOf(status: Awaited<ReturnType<typeof runGraph>>["status"]): unknown {
  if (status.kind === "failed") return "failed";
  if (status.kind !== "done" || !("value" in status.result)) throw new Error(JSON.stringify(status));
  return (status.result.value as { state: unknown }).state;
}
