// Graphs run wherever their users do: on Node, on Bun, and on the Bun inside OpenCode.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { repository } from "../plugin/workflow-folder.ts";

setDefaultTimeout(180_000);

const program = `
import { graph } from "./graph/builder.js";
import { agentNode, askUserNode, toolNode } from "./graph/action-nodes.js";
import { interpreterOf } from "./graph/interpret/interpret.js";
import { drawGraph, toMermaid } from "./graph/pictures.js";
import { append, sum } from "./graph/state.js";
import { createEntityRegistry } from "./entities/registry.js";
import { memoryEngine } from "./run/memory/memory-engine.js";

const registry = createEntityRegistry();
const make = async () =>
  graph({ name: "everywhere", state: { n: sum(), log: append() } })
    .parallel({ limit: 2, branches: [1, 2, 3].map((n) => toolNode({ id: "t" + n, run: () => n, into: "n" })) })
    .loop(agentNode({ id: "agent", prompt: ({ n, iteration }) => n + "/" + iteration, into: "log" }), {
      until: ({ iteration }) => iteration === 2,
    })
    .then(askUserNode({ id: "ask", question: "Go on?", into: "log" }));
const compiled = (await make()).compile(registry);
const host = { open: async () => 1, send: async ({ prompt }) => ({ text: "re: " + prompt }), close: async () => {} };
const engine = memoryEngine({ interpret: interpreterOf(compiled, registry, { host }) });
await engine.start({ runId: "r", graph: compiled.json, input: null });
await engine.signal("r", "ask", "yes");
const { kind, result } = await (await engine.run("r")).ended;
console.log(JSON.stringify({ kind, result, chart: toMermaid(compiled.json), picture: drawGraph(compiled.json) }));
`;

test("Node, Bun and the Bun inside OpenCode run and draw a graph in the same way", async () => {
  const workflows = join(repository, "packages/workflows");
  const build = Bun.spawnSync([join(repository, "node_modules/.bin/tsc"), "-b", workflows]);
  expect(build.stdout.toString()).toBe("");
  const script = join(workflows, "dist/.graph-runtimes.mjs");
  await Bun.write(script, program);
  const env = { ...process.env, BUN_BE_BUN: "1" };
  const runs = [["node", "--no-warnings"], [process.execPath], [opencodeBinary]].map((argv) => {
    const { stdout, stderr } = Bun.spawnSync([...argv, script], { env });
    return stdout.length === 0 ? stderr.toString() : JSON.parse(stdout.toString());
  });
  await Bun.file(script).delete();
  expect(runs[0]).toMatchObject({
    kind: "done",
    result: { value: { state: { n: 6, log: ["re: 6/1", "re: 6/2", "yes"] } } },
  });
  expect(runs[1]).toEqual(runs[0]);
  expect(runs[2]).toEqual(runs[0]);
});
