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
    isLeased: false,
    outside: async () => [...outside],
    worker: async ({ interpreter = "1", concurrency = 50 } = {}) => {
      const worker = await startWorker(open(disk), outside, interpreter, concurrency);
      workers.push(worker);
      return worker;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) await worker.kill();
    },
  };
}

async function startWorker(
  store: MemoryStore,
  outside: string[],
  interpreter: string,
  concurrency: number,
): Promise<WorkerProcess> {
  const lines: string[] = [];
  const waiting = new Waiting<string>();
  let isDead = false;
  /** What is to be opened once it wakes. */
  let paused: string[] | undefined;
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
  const worker = await engine.work({ concurrency });
  return {
    said: async (line) => {
      await waiting.first(
        lines,
        (each) => each === line,
        10_000,
        (why) => `Not said: ${line}${why}`,
      );
    },
    open: (key) => (paused === undefined ? held.open(key) : paused.push(key)),
    pause: async () => {
      paused ??= [];
    },
    wake: async () => {
      for (const key of paused ?? []) held.open(key);
      paused = undefined;
    },
    kill: async () => {
      isDead = true;
      store.crash();
      void worker.stop(); // of a dead process nothing comes any more
    },
    stop: () => worker.stop(),
  };
}
