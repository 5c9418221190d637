import { type FakeClock, fakeClock, quiet } from "@atomic/testing/simulation/clock";
import type { Budget } from "../../src/run/budget.ts";
import type { LocalEngine, RunHandle } from "../../src/run/engine.ts";
import type { RunEvent } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import type { EngineOptions } from "../../src/run/local-engine.ts";
import { type MemoryDisk, type MemoryStore, memoryEngine, memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";

export interface Life {
  readonly engine: LocalEngine;
  readonly store: MemoryStore;
  readonly run: RunHandle;
}

/** A run in memory, its clock, and as many lives as a test wants to give it. */
export class InMemory {
  readonly clock: FakeClock = fakeClock();
  readonly disk: MemoryDisk = new Map();
  readonly #program: (ctx: RunCtx) => Promise<Json>;
  readonly #options: Partial<EngineOptions>;
  readonly #budget: Budget | undefined;
  #last: Life | undefined;

  constructor(
    program: (ctx: RunCtx) => Promise<Json>,
    options: Partial<EngineOptions> & { readonly budget?: Budget } = {},
  ) {
    const { budget, ...rest } = options;
    this.#program = program;
    this.#options = rest;
    this.#budget = budget;
  }

  /** A process starts, or resumes, the run and goes as far as it can without time passing. The process that had it before is dead. */
  async live(program: (ctx: RunCtx) => Promise<Json> = this.#program): Promise<Life> {
    this.#last?.store.crash();
    const store = memoryStore(this.disk);
    const engine = memoryEngine({ interpret: program, clock: this.clock, ...this.#options }, store);
    const budget = this.#budget === undefined ? {} : { budget: this.#budget };
    await engine.start({ runId: "run", graph: null, input: null, ...budget });
    this.#last = { engine, store, run: await engine.run("run") };
    await quiet();
    return this.#last;
  }

  /** What the journal says so far. */
  events(): RunEvent[] {
    return memoryStore(this.disk)
      .read("run")
      .map(({ event }) => event);
  }

  types(): string[] {
    return this.events().map(({ type }) => type);
  }
}
