// Turns that are found again, fail, take too long or cost something.
import { expect, test } from "bun:test";
import { fakeClock, quiet } from "@atomic/testing/simulation/clock";
import { agentNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { interpreterOf } from "../../src/graph/interpret/interpret.ts";
import type { PromptRequest } from "../../src/graph/services.ts";
import { type Host, HostError, type HostEvent } from "../../src/hosts/host.ts";
import { nodeHostOf } from "../../src/hosts/node-host-of.ts";
import { scriptedHost } from "../../src/hosts/scripted.ts";
import type { Json } from "../../src/run/json.ts";
import { memoryEngine } from "../../src/run/memory/memory-engine.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";
import { noEntities, runGraph } from "../graph/run-graph.ts";
import { request, step } from "./node-host.ts";

/** A host whose turns are these events, sent or found again. */
function hostOf(turn: () => AsyncIterable<HostEvent>): Host {
  const session = async (options: Parameters<Host["create"]>[0]) => ({
    ...(await scriptedHost().create(options)),
    id: "x",
    dispose: async () => undefined,
    send: turn,
    reattach: async () => turn(),
  });
  return { ...scriptedHost(), create: session, resume: (_id, options) => session(options) };
}

test("a turn that is found again counts what the process before has not counted", async () => {
  const found = hostOf(async function* () {
    yield { type: "usage", usage: { usd: 0.5, inputTokens: 10, outputTokens: 5 } };
    yield { type: "usage", usage: { usd: 0.25, inputTokens: 20, outputTokens: 7 } };
    yield { type: "end", text: "done" };
  });
  const host = nodeHostOf({ hosts: { x: async () => found }, default: "x", folder: "/project" });
  const session = { host: "x", id: "x" };
  const counts = async (attempt: number, countedBefore: StepInfo["countedBefore"]) => {
    const { info, spent } = step({ attempt, countedBefore });
    // The reply has the whole cost.
    expect(await host.send(request, session, info)).toMatchObject({ text: "done", usd: 0.75 });
    return spent.map(({ usd = 0, inputTokens = 0, outputTokens = 0 }) => [usd, inputTokens, outputTokens]);
  };
  const all = [
    [0.5, 10, 5],
    [0.25, 20, 7],
  ];
  expect(await counts(1, { usd: 0.5, tokens: 15 })).toEqual(all);
  expect(await counts(2, { usd: 0, tokens: 0 })).toEqual(all);
  expect(await counts(2, { usd: 0.5, tokens: 12 })).toEqual([
    [0, 0, 3],
    [0.25, 20, 7],
  ]);
  expect(await counts(2, { usd: 9, tokens: 99 })).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
});

test("what would fail the same way again is not tried again", async () => {
  const attempts = { refused: 0, broken: 0 };
  const failing = (name: keyof typeof attempts, isPermanent: boolean): Host =>
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    hostOf(async function* () {
      attempts[name] += 1;
      throw new HostError("prompt-failed", { host: name, message: "no", hint: "Log in.", isPermanent });
    });
  const hosts = { refused: async () => failing("refused", true), broken: async () => failing("broken", false) };
  for (const name of ["refused", "broken"] as const) {
    const host = nodeHostOf({ hosts, default: name, folder: "/project" });
    const work = agentNode({ id: "work", prompt: "go", retry: { maxAttempts: 3, backoffMs: 1 } });
    const { status } = await runGraph(graph({ name: "g" }).start(work).compile(noEntities), { host });
    expect(status).toMatchObject({ kind: "failed", error: { code: "prompt-failed", hint: "Log in." } });
  }
  expect(attempts).toEqual({ refused: 1, broken: 3 });
});

test("a host that starts, and one that asks its provider again, say so", async () => {
  const slow = hostOf(async function* () {
    yield { type: "retrying", reason: "Overloaded" };
    yield { type: "end", text: "done" };
  });
  const host = nodeHostOf({ hosts: { x: async () => slow }, default: "x", folder: "/project" });
  const { info, notes } = step();
  await host.send(request, await host.open(request, info), info);
  await host.send(request, { host: "x", id: "x" }, info);
  expect(notes.filter((note) => (note as { type: string }).type !== "prompt")).toEqual([
    { type: "host-starting", host: "x" },
    { type: "retrying", reason: "Overloaded" },
    { type: "retrying", reason: "Overloaded" },
  ]);
});

test("a host that says nothing for half an hour has failed, unless the node or the program says otherwise", async () => {
  const silent = hostOf(async function* () {
    yield { type: "text", text: "well" };
    await new Promise(() => undefined);
  });
  const host = nodeHostOf({ hosts: { x: async () => silent }, default: "x", folder: "/project" });
  const failsAfter = async (node: { idleTimeoutMs?: number }, services: { idleTimeoutMs?: number }) => {
    const clock = fakeClock();
    const compiled = graph({ name: "g" })
      .start(agentNode({ id: "work", prompt: "go", ...node }))
      .compile(noEntities);
    const interpret = interpreterOf(compiled, noEntities, { host, ...services });
    const engine = memoryEngine({ interpret, clock });
    await engine.start({ runId: "run", graph: compiled.json, input: null });
    const run = await engine.run("run");
    await quiet();
    await clock.runAll();
    expect(await run.ended).toMatchObject({ kind: "failed", error: { key: "work", code: "idle-timeout" } });
    return clock.monotonic();
  };
  expect(await failsAfter({}, {})).toBe(30 * 60_000);
  expect(await failsAfter({}, { idleTimeoutMs: 5_000 })).toBe(5_000);
  expect(await failsAfter({ idleTimeoutMs: 3_600_000 }, { idleTimeoutMs: 5_000 })).toBe(3_600_000);
});

test("a budget in dollars for a model without a price is reported once, before the first prompt", async () => {
  const said: string[] = [];
  const unpriced = {
    ...hostOf(async function* () {
      said.push("prompt");
      yield { type: "end", text: "done" };
    }),
    name: "x",
    modelWithoutPrice: async ({ model }: { model?: string }) => (model === "dear" ? undefined : (model ?? "default")),
  };
  const notesWith = async (needsPrice: boolean, requests: readonly Partial<PromptRequest>[]) => {
    const host = nodeHostOf({ hosts: { x: async () => unpriced }, default: "x", folder: "/project", needsPrice });
    const notes: Json[] = [];
    const note = (each: Json): void => {
      notes.push(each);
      if ((each as { type: string }).type !== "prompt") said.push("note");
    };
    const { info: reported } = step({ note });
    for (const more of requests) {
      const asked = { ...request, ...more };
      await host.send(asked, await host.open(asked, reported), reported);
    }
    return notes.filter((each) => (each as { type: string }).type === "no-price");
  };
  expect(await notesWith(false, [{}])).toEqual([]);
  said.length = 0;
  expect(await notesWith(true, [{}, {}, { model: "free" }, { model: "dear" }])).toEqual([
    { type: "no-price", host: "x", model: "default" },
    { type: "no-price", host: "x", model: "free" },
  ]);
  expect(said.slice(0, 3)).toEqual(["note", "note", "prompt"]);
  expect(await notesWith(false, [{ needsPrice: true }])).toEqual([{ type: "no-price", host: "x", model: "default" }]);
});
