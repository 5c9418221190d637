// A run that counts, waits for an answer, and counts on, in a fresh process on Node or on Bun, in the folder that it is
// started in: `growth.mjs steps <before> <after>` prints what it took to go on, `growth.mjs resume <before>` what it took to
// take the run up again, `growth.mjs work <milliseconds>` uses so much of the processor. Plain JavaScript, for Node 20.
import { writeFileSync } from "node:fs";
import { graph, toolNode, waitNode } from "@atomic/workflows";
import { embeddedEngine } from "@atomic/workflows/engine";
import { createEntityRegistry } from "@atomic/workflows/entities";
import { interpreterOf, interpreterVersion } from "@atomic/workflows/graph";

const [, , job, ...numbers] = process.argv;
const registry = createEntityRegistry();

function engineOf(before, after) {
  const add = (id) => toolNode({ id, run: ({ n }) => n + 1, into: "n" });
  const compiled = graph({ name: "count", state: { n: 0 } })
    .loop(add("early"), { id: "before", until: ({ n }) => n >= before, maxIterations: before })
    .wait(waitNode({ id: "go", prompt: "Go on?" }))
    .loop(add("late"), { id: "after", until: ({ n }) => n >= before + after, maxIterations: after })
    .compile(registry);
  const interpret = interpreterOf(compiled, registry, { host: {} });
  const engine = embeddedEngine(process.cwd(), { interpret, interpreter: interpreterVersion, durability: "turn" });
  return { engine, begin: () => engine.start({ runId: "run", graph: compiled.json, input: null }) };
}

async function untilItWaits(run) {
  for await (const event of run) if (event.type === "wait-started") return;
}

async function mustBeDone(run, engine, counted) {
  const { kind, result } = await run.ended;
  if (kind !== "done") throw new Error(`The run is ${kind}.`);
  if (result.value.state.n !== counted) throw new Error(`It counted to ${result.value.state.n}, not to ${counted}.`);
  return engine;
}

/** Each prepares something, and gives the part that counts. */
const jobs = {
  steps: async (before, after) => {
    const { engine, begin } = engineOf(before, after);
    await begin();
    const run = await engine.run("run");
    await untilItWaits(run);
    return async () => {
      await engine.signal("run", "go", true);
      await mustBeDone(run, engine, before + after);
    };
  },
  resume: async (before) => {
    const { engine, begin } = engineOf(before, 1);
    await begin();
    const run = await engine.run("run");
    await untilItWaits(run);
    await run.release();
    await engine.signal("run", "go", true);
    return async () => {
      const next = engineOf(before, 1).engine;
      await mustBeDone(await next.run("run"), next, before + 1);
    };
  },
  work: (milliseconds) => () => {
    const begun = process.cpuUsage();
    for (let used = 0; used < milliseconds * 1000; ) {
      const { user, system } = process.cpuUsage(begun);
      used = user + system;
    }
  },
};

const run = await jobs[job](...numbers.map(Number));
const [cpu, wall] = [process.cpuUsage(), performance.now()];
await run();
const wallMs = performance.now() - wall;
const { user, system } = process.cpuUsage(cpu);
const rssBytes = process.resourceUsage().maxRSS * 1024;
writeFileSync(1, JSON.stringify({ wallMs, cpuMs: (user + system) / 1000, rssBytes, rssAtMost: false, calls: 1 }));
process.exit();
