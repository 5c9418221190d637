// Any program, cut off after any record of its journal, and again after any record of the next life: the same end.
import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { JournalEntry } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import { type MemoryDisk, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { replay } from "../../src/run/replay.ts";
import { asGraph, type Toy, toyInterpreter } from "./toy.ts";

setDefaultTimeout(120_000);

/** Programs whose keys are unique because every node is named by its place. */
const { program } = fc.letrec<{ program: Toy[]; node: Toy }>((tie) => ({
  program: fc.array(tie("node"), { minLength: 1, maxLength: 3, depthIdentifier: "toy" }),
  node: fc.oneof(
    { depthIdentifier: "toy", maxDepth: 2, depthSize: "small" },
    fc.constant<Toy>({ step: "work" }),
    fc.constant<Toy>({ step: "flaky", options: { retries: 1, backoff: { ms: 0 } } }),
    fc.constant<Toy>({ step: "local", options: { local: true } }),
    fc.constant<Toy>({ wait: "ask" }),
    fc.constant<Toy>({ step: "asking", asks: 2 }),
    fc.constant<Toy>({ step: "flaky-asking", asks: 1, options: { retries: 1, backoff: { ms: 0 } } }),
    fc.constant<Toy>({ sleep: "nap", ms: 0 }),
    fc.record({ loop: fc.constant("L"), times: fc.integer({ min: 1, max: 2 }), body: tie("program") }),
    fc.record({
      fork: fc.constant("fan"),
      branches: fc.array(tie("program"), { minLength: 1, maxLength: 3 }),
      join: fc.constantFrom("all" as const, "settled" as const),
    }),
  ),
}));

function named(toys: readonly Toy[], prefix = "n"): Toy[] {
  return toys.map((toy, index) => {
    const name = `${prefix}${index}`;
    if ("step" in toy) return { ...toy, step: `${toy.step}-${name}` };
    if ("wait" in toy) return { ...toy, wait: `ask-${name}` };
    if ("sleep" in toy) return { ...toy, sleep: `nap-${name}` };
    if ("loop" in toy) return { ...toy, loop: `L-${name}`, body: named(toy.body, `${name}_`) };
    return { ...toy, fork: `fan-${name}`, branches: toy.branches.map((branch, at) => named(branch, `${name}_${at}_`)) };
  });
}

function waitsIn(toys: readonly Toy[], path = ""): string[] {
  return toys.flatMap((toy) => {
    if ("wait" in toy) return [path + toy.wait];
    if ("step" in toy) return Array.from({ length: toy.asks ?? 0 }, (_, at) => `${path}${toy.step}?${at + 1}`);
    if ("loop" in toy) {
      return Array.from({ length: toy.times }, (_, turn) =>
        waitsIn(toy.body, `${path}${toy.loop}#${turn + 1}/`),
      ).flat();
    }
    if ("fork" in toy) return toy.branches.flatMap((branch, at) => waitsIn(branch, `${path}${toy.fork}.${at}/`));
    return [];
  });
}

interface Ended {
  readonly result: Json;
  readonly entries: readonly JournalEntry[];
}

/** Lets a process work on what is on the disk, until its end. */
async function live(disk: MemoryDisk, effects: Set<string>): Promise<Ended> {
  const engine = memoryEngine(
    {
      interpret: toyInterpreter((key, { attempt, idemKey }) => {
        if (key.includes("flaky") && attempt === 1) throw new Error("flaky");
        effects.add(idemKey);
        return `did ${key}`;
      }),
    },
    memoryStore(disk),
  );
  const status = await (await engine.run("run")).ended;
  if (status.kind !== "done" || !("value" in status.result)) throw new Error(`The run is ${JSON.stringify(status)}`);
  return { result: status.result.value, entries: memoryStore(disk).read("run") };
}

/** A disk as it is when the power fails after so many records. */
function diskWith(disk: MemoryDisk, records: number): MemoryDisk {
  const { events, messages, blobs } = disk.get("run")!;
  const watchers = { journal: new Set<() => void>(), inbox: new Set<() => void>() };
  return new Map([
    [
      "run",
      { events: events.slice(0, records), messages: [...messages], blobs, notes: [], watchers, holder: undefined },
    ],
  ]);
}

test("cut off after any record, and again, it ends the same with the same effects", async () => {
  await fc.assert(
    fc.asyncProperty(program, fc.nat(), async (toys, second) => {
      const graph = named(toys);
      const disk: MemoryDisk = new Map();
      const client = memoryEngine({ interpret: async () => null }, memoryStore(disk));
      await client.start({ runId: "run", graph: asGraph(graph), input: null });
      for (const key of waitsIn(graph)) await client.signal("run", key, `answer to ${key}`);
      const allEffects = new Set<string>();
      const whole = await live(disk, allEffects);
      for (let records = 1; records < whole.entries.length; records++) {
        const once = diskWith(disk, records);
        const effects = new Set<string>();
        const resumed = await live(once, effects);
        expect(resumed.result, `after record ${records}`).toEqual(whole.result);
        const finished = finishedKeys(whole.entries.slice(0, records));
        for (const key of finished) expect(effects.has(`run/${key}`), `${key} again`).toBe(false);
        expect(new Set([...effects, ...finished.map((key) => `run/${key}`)])).toEqual(allEffects);
        const twice = diskWith(once, 1 + (second % (resumed.entries.length - 1)));
        expect((await live(twice, new Set())).result).toEqual(whole.result);
        expect(replay(memoryStore(twice).read("run"))?.status.kind).toBe("done");
      }
    }),
    { numRuns: 25, seed: 7 },
  );
});

function finishedKeys(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap(({ event }) => (event.type === "step-finished" ? [event.key] : []));
}
