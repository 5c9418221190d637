// The first workflow of the guide, on a real disk: start, three agents at a time, an approval, a loop of five, end.
import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { agentNode, toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { interpreterOf, interpreterVersion } from "../../src/graph/interpret/interpret.ts";
import { readGraph } from "../../src/graph/read-graph.ts";
import { append, sum } from "../../src/graph/state.ts";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { LocalEngine } from "../../src/run/engine.ts";
import { registryWith } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

const registry = registryWith({ agent: ["reader", "writer", "critic"] });

const compiled = graph({ name: "guide", state: { notes: append<string>(), approved: false, rounds: sum() } })
  .start(toolNode({ id: "start", run: ({ input }) => `about ${input}`, into: "notes" }))
  .parallel({
    id: "look",
    branches: Object.fromEntries(
      ["reader", "writer", "critic"].map((agent) => [
        agent,
        agentNode({ agent, prompt: `As ${agent}.`, into: "notes" }),
      ]),
    ),
  })
  .wait(waitNode({ id: "approval", prompt: "Go on?", into: "approved" }))
  .loop(toolNode({ id: "polish", run: () => 1, into: "rounds" }), { until: ({ iteration }) => iteration === 5 })
  .then(toolNode({ id: "end", run: ({ notes, approved, rounds }) => `${notes.length} notes, ${approved}, ${rounds}` }))
  .compile(registry);

function engineAt(folder: string, host: ScriptedHost): LocalEngine {
  const interpret = interpreterOf(compiled, registry, { host });
  return embeddedEngine(folder, { interpret, interpreter: interpreterVersion });
}

test("a run is released while it waits, approved by another process, and finished by a third", async () => {
  await using folder = await temporaryFolder();
  const host = new ScriptedHost(({ agent }) => `${agent?.name} was here`);

  const first = engineAt(folder.path, host);
  await first.start({ runId: "r1", graph: compiled.json, input: "locks" });
  const run = await first.run("r1");
  for await (const event of run) if (event.type === "wait-started") break;
  expect(await first.status("r1")).toMatchObject({
    kind: "waiting",
    for: [{ key: "approval", about: { question: "Go on?" } }],
  });
  await run.release();

  await engineAt(folder.path, host).signal("r1", "approval", true);

  const third = engineAt(folder.path, host);
  const status = await (await third.run("r1")).ended;
  expect(status).toMatchObject({
    kind: "done",
    result: {
      value: {
        state: {
          notes: ["about locks", "reader was here", "writer was here", "critic was here"],
          approved: true,
          rounds: 5,
        },
        outputs: { end: "4 notes, true, 5", loop: { iterations: 5, stopped: "done", complete: true } },
      },
    },
  });
  expect(host.sent.map(({ path }) => path).sort()).toEqual([
    "look.0/agent-reader",
    "look.1/agent-writer",
    "look.2/agent-critic",
  ]);
});

test("the graph that a run was started with can be read from its journal", async () => {
  await using folder = await temporaryFolder();
  const engine = engineAt(folder.path, new ScriptedHost());
  await engine.start({ runId: "r1", graph: compiled.json, input: "locks" });
  expect(readGraph((await engine.state("r1")).graph)).toEqual(compiled.json);
  expect(await readFile(join(folder.path, "r1/journal.jsonl"), "utf8")).toContain('"kind":"parallel","id":"look"');
});
