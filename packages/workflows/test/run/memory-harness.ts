import { Waiting } from "@atomic/testing/waiting";
import { type MemoryDisk, type MemoryStore, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { Harness, WorkerProcess } from "./harness.ts";
import { heldEffect } from "./held-effect.ts";
import { toyInterpreter } from "./toy.ts";

export async function memoryHarness(open: (disk: MemoryDisk) => MemoryStore = memoryStore): Promise<Harness> {
  const disk: MemoryDisk = new Map();
  const outside: string[] = [];
  const workers: WorkerProcess[] = [];
  const interpret = toyInterpreter(() => {
    throw new Error("a client works on nothing");
  });
  return {
    client: memoryEngine({ interpret }, open(disk)),
    outside: async () => [...outside],
    worker: async ({ interpreter = "1" } = {}) => {
      const worker = await startWorker(open(disk), outside, interpreter);
      workers.push(worker);
      return worker;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) await worker.kill();
    },
  };
}

async function startWorker(store: MemoryStore, outside: string[], interpreter: string): Promise<WorkerProcess> {
  const lines: string[] = [];
  const waiting = new Waiting<string>();
  let isDead = false;
  const say = (line: string): void => {
    lines.push(line);
    waiting.announce(line);
  };
  const held = heldEffect((line) => {
    if (isDead) return; // the dead do nothing
    outside.push(line);
    say(line);
  });
  const engine = memoryEngine(
    {
      interpret: toyInterpreter(held.effect),
      interpreter,
      pollMs: 10,
      onProblem: (runId, error) => say(`problem ${runId} ${(error as { code: string }).code}`),
    },
    store,
  );
  const worker = await engine.work({ concurrency: 50 });
  return {
    said: async (line) => {
      await waiting.first(
        lines,
        (each) => each === line,
        10_000,
        (why) => `Not said: ${line}${why}`,
      );
    },
    open: held.open,
    kill: async () => {
      isDead = true;
      store.crash();
      void worker.stop(); // of a dead process nothing comes any more
    },
    stop: () => worker.stop(),
  };
}
