// One engine in a fresh process, on Node or on Bun: `job.mjs <job> <steps> <folder>`. Runs a tenth of the steps to get warm, then
// prints what one of the others took. Plain JavaScript, because Node 20 runs nothing else.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const [, , job, count, folder] = process.argv;
const steps = Number(count);
/** Branches of a fan-out. */
const wide = 100;

/** Each prepares an engine, and gives a function that takes so many steps and returns the number that it has counted to. */
const jobs = {
  plain: () => async (most) => {
    let n = 0;
    while (n < most) n = await Promise.resolve(n + 1);
    return n;
  },
  "atomic memory": () => atomic(),
  "atomic turn": () => atomic("turn"),
  "atomic step": () => atomic("step"),
  "atomic fan": async () => {
    const { graph, toolNode, runnerOf } = await atomicParts();
    const branches = Array.from({ length: wide }, (_, at) => toolNode({ id: `b${at}`, run: () => at }));
    const run = runnerOf(graph({ name: "fan" }).parallel({ branches }));
    return repeated(run, ({ outputs }) => Object.keys(outputs).length - 1);
  },
  "atomic map": async () => {
    const { graph, mapNode, toolNode, runnerOf } = await atomicParts();
    const items = Array.from({ length: wide }, (_, n) => ({ n }));
    const item = toolNode({ id: "b", run: (state) => state.item });
    const map = mapNode({ id: "m", over: () => items, as: "item", nodes: item, limit: wide });
    return repeated(runnerOf(graph({ name: "map" }).then(map)), ({ outputs }) => outputs.m.length);
  },
  "mastra memory": () => mastra(),
  "mastra libsql": () => mastra(join(folder, "mastra.db")),
  "mastra fan": async () => {
    const { createStep, createWorkflow, z, start } = await mastraParts();
    const number = z.object({ n: z.number() });
    const step = createStep({
      id: "b",
      inputSchema: number,
      outputSchema: number,
      execute: async ({ inputData }) => inputData,
    });
    const workflow = createWorkflow({ id: "w", inputSchema: z.array(number), outputSchema: z.array(number) })
      .foreach(step, { concurrency: wide })
      .commit();
    const input = Array.from({ length: wide }, (_, n) => ({ n }));
    return repeated(
      () => start(workflow, input),
      ({ result }) => result.length,
    );
  },
  "langgraph memory": () => langgraph(),
  "langgraph sqlite": async () => {
    const { SqliteSaver } = await theirs("@langchain/langgraph-checkpoint-sqlite");
    return langgraph(SqliteSaver.fromConnString(join(folder, "langgraph.db")));
  },
  "langgraph fan": async () => {
    const { Annotation, END, Send, START, StateGraph } = await theirs("@langchain/langgraph");
    const list = Annotation({ reducer: (all, more) => all.concat(more), default: () => [] });
    const compiled = new StateGraph(Annotation.Root({ done: list }))
      .addNode("b", ({ n }) => ({ done: [n] }))
      .addConditionalEdges(START, () => Array.from({ length: wide }, (_, n) => new Send("b", { n })))
      .addEdge("b", END)
      .compile();
    return repeated(
      () => compiled.invoke({ done: [] }),
      ({ done }) => done.length,
    );
  },
};

/** Not a dependency of ours: installed beside this file. */
async function theirs(name) {
  return await import(name);
}

/** Fan-outs until there were so many branches. */
function repeated(run, branchesOf) {
  return async (most) => {
    let branches = 0;
    while (branches < most) branches += branchesOf(await run());
    return branches;
  };
}

async function atomicParts() {
  const { graph, mapNode, toolNode } = await import("@atomic/workflows");
  const { embeddedEngine } = await import("@atomic/workflows/engine");
  const { memoryEngine } = await import("@atomic/workflows/engine/memory");
  const { createEntityRegistry } = await import("@atomic/workflows/entities");
  const { interpreterOf, interpreterVersion } = await import("@atomic/workflows/graph");
  const registry = createEntityRegistry();
  let runs = 0;
  const runnerOf = (builder, durability) => {
    const compiled = builder.compile(registry);
    const options = { interpret: interpreterOf(compiled, registry, { host: {} }), interpreter: interpreterVersion };
    return async () => {
      // A new one for every run: one that keeps its runs in memory keeps all of them.
      const engine =
        durability === undefined ? memoryEngine(options) : embeddedEngine(folder, { ...options, durability });
      const runId = `run-${runs++}`;
      await engine.start({ runId, graph: compiled.json, input: null });
      const ended = await (await engine.run(runId)).ended;
      if (ended.kind !== "done") throw new Error(JSON.stringify(ended));
      return ended.result.value;
    };
  };
  return { graph, mapNode, toolNode, runnerOf };
}

async function atomic(durability) {
  const { graph, toolNode, runnerOf } = await atomicParts();
  const add = toolNode({ id: "add", run: ({ n }) => n + 1, into: "n" });
  const counting = (most) => {
    return graph({ name: "count", state: { n: 0 } }).loop(add, { until: ({ n }) => n >= most, maxIterations: most });
  };
  return async (most) => (await runnerOf(counting(most), durability)()).state.n;
}

async function mastraParts() {
  const { createStep, createWorkflow } = await theirs("@mastra/core/workflows");
  const { z } = await theirs("zod");
  const start = async (workflow, inputData) => {
    const run = await (workflow.createRunAsync ?? workflow.createRun).call(workflow);
    const ended = await run.start({ inputData });
    if (ended.status !== "success") throw new Error(JSON.stringify(ended));
    return ended;
  };
  return { createStep, createWorkflow, z, start };
}

async function mastra(file) {
  const { createStep, createWorkflow, z, start } = await mastraParts();
  const schema = z.object({ n: z.number() });
  const add = createStep({
    id: "add",
    inputSchema: schema,
    outputSchema: schema,
    execute: async ({ inputData }) => ({ n: inputData.n + 1 }),
  });
  let limit = 0;
  const workflow = createWorkflow({ id: "count", inputSchema: schema, outputSchema: schema })
    .dountil(add, async ({ inputData }) => inputData.n >= limit)
    .commit();
  if (file !== undefined) {
    const { Mastra } = await theirs("@mastra/core");
    const { LibSQLStore } = await theirs("@mastra/libsql");
    const storage = new LibSQLStore({ id: "bench", url: `file:${file}` });
    new Mastra({ storage, workflows: { count: workflow }, logger: false });
  }
  return async (most) => {
    limit = most;
    return (await start(workflow, { n: 0 })).result.n;
  };
}

async function langgraph(checkpointer) {
  const { Annotation, END, START, StateGraph } = await theirs("@langchain/langgraph");
  let limit = 0;
  const compiled = new StateGraph(Annotation.Root({ n: Annotation }))
    .addNode("add", ({ n }) => ({ n: n + 1 }))
    .addEdge(START, "add")
    .addConditionalEdges("add", ({ n }) => (n >= limit ? END : "add"))
    .compile(checkpointer === undefined ? {} : { checkpointer });
  let threads = 0;
  return async (most) => {
    limit = most;
    const configurable = { thread_id: String(threads++) };
    return (await compiled.invoke({ n: 0 }, { recursionLimit: most * 2 + 10, configurable })).n;
  };
}

const run = await jobs[job]();
await run(Math.ceil(steps / 10));
const [cpu, wall] = [process.cpuUsage(), performance.now()];
const counted = await run(steps);
const wallMs = (performance.now() - wall) / steps;
const { user, system } = process.cpuUsage(cpu);
if (counted !== steps) throw new Error(`${job} counted to ${counted}, not to ${steps}`);
const rssBytes = process.resourceUsage().maxRSS * 1024;
writeFileSync(
  1,
  JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 / steps, rssBytes, rssAtMost: false, calls: steps }),
);
process.exit(); // some leave things open
