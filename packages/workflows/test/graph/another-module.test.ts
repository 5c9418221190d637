// The module that a run is resumed with is not always the one that began it.
import { expect, test } from "bun:test";
import { toolNode, waitNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { interpreterOf } from "../../src/graph/interpret/interpret.ts";
import { memoryStore } from "../../src/run/memory/memory-engine.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import { RunError } from "../../src/run/run-error.ts";
import { engineFor, noEntities } from "./run-graph.ts";
import { ScriptedHost } from "./scripted-host.ts";

test("a run whose functions the module no longer has is refused, but does not fail", async () => {
  const build = (id: string) =>
    graph({ name: "x" })
      .start(toolNode({ id, run: () => id }))
      .compile(noEntities);
  const interpret = interpreterOf(build("new"), noEntities, { host: new ScriptedHost() });
  const untouched = { runId: "r1" } as RunCtx;
  const refused = interpret(untouched, {
    graph: build("old").json,
    input: null,
    name: undefined,
    workspace: undefined,
  });
  const error = await refused.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RunError);
  expect(error).toMatchObject({
    code: "diverged",
    message: expect.stringContaining('old: The module no longer has the function "run" for this node.'),
    hint: "Resume it with the version of the workflow that started it.",
  });
});

test("a run that another version of the module started is released, and continues with that version", async () => {
  const build = (id: string) =>
    graph({ name: "x" })
      .start(waitNode({ id: "w", prompt: "?" }))
      .then(toolNode({ id, run: () => id }))
      .compile(noEntities);
  const store = memoryStore();
  const host = new ScriptedHost();
  const [older, newer] = [engineFor(build("old"), { host, store }), engineFor(build("new"), { host, store })];
  await older.start({ runId: "run", graph: build("old").json, input: null });
  const refused = await newer.run("run");
  await expect(refused.ended).rejects.toMatchObject({ name: "RunError", code: "diverged" });
  expect(await newer.status("run")).toEqual({ kind: "pending" });
  await older.signal("run", "w", "yes");
  const run = await older.run("run");
  expect(await run.ended).toMatchObject({ kind: "done", result: { value: { outputs: { w: true, old: "old" } } } });
});
