// Maps that are killed, and maps with large outputs.
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { agentNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { interpreterOf, interpreterVersion } from "../../src/graph/interpret/interpret.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import { append } from "../../src/graph/state.ts";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import { type MemoryDisk, memoryStore } from "../../src/run/memory/memory-engine.ts";
import { crashingStore } from "./crashing-store.ts";
import { review } from "./map-sample.ts";
import { engineFor, noEntities, runGraph } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

setDefaultTimeout(120_000);

test("killed after any record, every item's prompt is answered once, and the result is the same", async () => {
  const undisturbed = (await runGraph(review)).result;
  for (let records = 1; ; records++) {
    const disk: MemoryDisk = new Map();
    const { store, died } = crashingStore(disk, records);
    const engine = engineFor(review, { store });
    await engine.start({ runId: "run", graph: review.json, input: null });
    const run = await engine.run("run");
    const end = await Promise.race([died.then(() => "died"), run.ended.then(() => "ended")]);
    if (end === "ended") {
      expect(records).toBeGreaterThan(20);
      break;
    }
    const { result, keys } = await runGraph(review, { store: memoryStore(disk) });
    expect(result).toEqual(undisturbed);
    expect(new Set(keys).size).toBe(keys.length);
  }
});

test("large outputs of items that end at the same time are kept once each, and resumed", async () => {
  await using folder = await temporaryFolder();
  const [items, size] = process.env.SWEEP === "full" ? [100, 10_000_000] : [12, 3_000_000];
  const compiled = graph({ name: "x", state: { said: append<string>() } })
    .start(
      mapNode({
        id: "m",
        over: () => Array.from({ length: items }, (_, at) => at),
        as: "n",
        nodes: (each) => each.then(agentNode({ id: "ask", prompt: ({ n }) => `${n}` })),
        into: "said",
      }),
    )
    .then(waitNode({ id: "ok", prompt: "Go on?" }))
    .then(toolNode({ id: "end", run: ({ said }) => said.map((text) => `${text.slice(0, 2)}${text.length}`).join(" ") }))
    .compile(noEntities);
  const host = new ScriptedHost(({ prompt }) => prompt.padEnd(size, " said"));
  const engine = (): LocalEngine => {
    const interpret = interpreterOf(compiled, noEntities, { host });
    return embeddedEngine(folder.path, { interpret, interpreter: interpreterVersion });
  };
  const first = engine();
  await first.start({ runId: "run", graph: compiled.json, input: null });
  const run = await first.run("run");
  for await (const { type } of run) if (type === "wait-started") void run.release();
  await run.ended;
  await first.signal("run", "ok", true);
  const last = engine();
  const status = await (await last.run("run")).ended;
  if (status.kind !== "done") throw new Error(JSON.stringify(status));
  const said = Array.from({ length: items }, (_, at) => `${String(at).padEnd(2)}${size}`).join(" ");
  expect(await last.load("run", status.result, ["outputs", "end"])).toBe(said);
  expect(host.sent).toHaveLength(items);
  const { length: files } = readdirSync(join(folder.path, "run/blobs"));
  const bytes = readdirSync(join(folder.path, "run/blobs")).reduce(
    (sum, name) => sum + statSync(join(folder.path, "run/blobs", name)).size,
    0,
  );
  expect(files).toBeLessThan(items + 8);
  expect(bytes).toBeLessThan(items * size * 1.02);
});
