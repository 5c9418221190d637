import { graph } from "@atomic/workflows/graph/builder";
import { interpreterOf, interpreterVersion } from "@atomic/workflows/graph/interpret";
import { toolNode } from "@atomic/workflows/graph/nodes/tool";
import { waitNode } from "@atomic/workflows/graph/nodes/wait";
import { createEntityRegistry } from "@atomic/workflows/registry";
import { embeddedEngine } from "@atomic/workflows/run/embedded";
import type { LocalEngine, Run } from "@atomic/workflows/run/engine";
import { bench, type Round, type RunContestant } from "./harness/bench.ts";

const registry = createEntityRegistry();
const never = (): never => {
  throw new Error("Nobody is asked.");
};

/** Counts to a number, waits to be told to go on, and counts on. */
function engineIn(dir: string, before: number, after: number): { engine: LocalEngine; begin(): Promise<void> } {
  const add = (id: string) => toolNode<{ readonly n: number }>({ id, run: ({ n }) => n + 1, into: "n" });
  const compiled = graph({ name: "count", state: { n: 0 } })
    .loop(add("early"), { id: "before", until: ({ n }) => n >= before, maxIterations: before })
    .wait(waitNode({ id: "go", prompt: "Go on?" }))
    .loop(add("late"), { id: "after", until: ({ n }) => n >= before + after, maxIterations: after })
    .compile(registry);
  const host = { open: never, send: never, close: never };
  const engine = embeddedEngine(dir, {
    interpret: interpreterOf(compiled, registry, { host }),
    interpreter: interpreterVersion,
    durability: "turn",
  });
  return { engine, begin: () => engine.start({ runId: "run", graph: compiled.json, input: null }) };
}

async function untilItWaits(run: Run): Promise<void> {
  for await (const event of run) if (event.type === "wait-started") return;
}

const steps = 10_000;

/** So many steps of a run that has taken others before. */
function stepsAfter(before: number): RunContestant {
  let engine: LocalEngine;
  let run: Run;
  return {
    name: `after ${before.toLocaleString("en")} others`,
    ours: true,
    setup: async ({ dir }: Round) => {
      const made = engineIn(dir, before, steps);
      engine = made.engine;
      await made.begin();
      run = await engine.run("run");
      await untilItWaits(run);
    },
    run: async () => {
      await engine.signal("run", "go", null);
      return (await run.ended).kind;
    },
    check: (_round, kind) => {
      if (kind !== "done") throw new Error(`The run is ${kind}.`);
    },
  };
}

const second = "1 s of work, for scale";

/** Of a run that was given back when it waited. */
function resumeAfter(before: number): RunContestant {
  let made: ReturnType<typeof engineIn>;
  return {
    name: `${(before * 3).toLocaleString("en")} records`,
    ours: true,
    setup: async ({ dir }: Round) => {
      made = engineIn(dir, before, 1);
      await made.begin();
      const run = await made.engine.run("run");
      await untilItWaits(run);
      await run.release();
      await made.engine.signal("run", "go", null);
      made = engineIn(dir, before, 1);
    },
    run: async () => (await (await made.engine.run("run")).ended).kind,
    check: async () => {
      const { records } = await made.engine.state("run");
      if (records < before * 3) throw new Error(`There are only ${records} records.`);
    },
  };
}

function workFor(microseconds: number): void {
  const begun = process.cpuUsage();
  for (let used = 0; used < microseconds; ) {
    const { user, system } = process.cpuUsage(begun);
    used = user + system;
  }
}

export default bench({
  title: "What a long run costs",
  about: `A run on disk, one fsync for each turn of the event loop, on Bun. A step is a turn of a loop: it adds one to a number and asks whether that was
enough, three records in all.

- A step costs the same however long the run is, and so does the memory of the process: what has ended leaves it. (A process that has
  run for longer has more of its code compiled, and RSS includes what the garbage collector has not given back.)
- A resume reads the whole journal, checks every record of it, and goes through the graph to where it was; then it takes the last step.`,
  rounds: 5,
  groups: [
    {
      title: "10,000 steps",
      baseline: "after 1,000 others",
      contestants: [
        stepsAfter(1000),
        stepsAfter(10_000),
        { ...stepsAfter(100_000), expectRatio: { of: "after 1,000 others", atMost: 1.2, metric: "cpu" } },
      ],
    },
    {
      title: "Memory of 10,000 steps",
      baseline: "after 10,000 others",
      contestants: [
        stepsAfter(10_000),
        { ...stepsAfter(100_000), expectRatio: { of: "after 10,000 others", atMost: 1.5, metric: "rss" } },
      ],
    },
    {
      title: "Resume a run",
      baseline: second,
      contestants: [
        { name: second, run: () => workFor(1_000_000) },
        resumeAfter(3_334),
        { ...resumeAfter(33_334), expectRatio: { of: second, atMost: 1, metric: "cpu" } },
      ],
    },
  ],
});
