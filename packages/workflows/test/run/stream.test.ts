import { expect, test } from "bun:test";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { deferred } from "@atomic/testing/waiting";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import type { JournalEntry, RunEvent, StepNote } from "../../src/run/events.ts";
import { memoryEngine } from "../../src/run/memory/memory-engine.ts";
import { replay } from "../../src/run/replay.ts";
import type { RunCtx } from "../../src/run/run-ctx.ts";

const talk = async (ctx: RunCtx): Promise<string> =>
  await ctx.step("talk", (info) => {
    info.note({ text: "Hel" });
    info.note({ text: "lo" });
    return "Hello";
  });

test("a run is a stream of its events and its steps' notes until it ends", async () => {
  const engine = memoryEngine({ interpret: talk });
  await engine.start({ runId: "run", graph: null, input: null });
  const run = await engine.run("run");
  const seen: (RunEvent | StepNote)[] = [];
  for await (const event of run) seen.push(event);
  expect(seen.map(({ type }) => type)).toEqual([
    "run-claimed",
    "step-started",
    "step-note",
    "step-note",
    "step-finished",
    "run-ended",
  ]);
  expect(seen.flatMap((event) => (event.type === "step-note" ? [event.note] : []))).toEqual([
    { text: "Hel" },
    { text: "lo" },
  ]);
});

test("a late watcher sees everything since the run was claimed, and two watchers see the same", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, { interpret: talk });
  await engine.start({ runId: "run", graph: null, input: null });
  const run = await engine.run("run");
  const during = types(run);
  await run.ended;
  const journaled = ["run-claimed", "step-started", "step-finished", "run-ended"];
  expect((await during).filter((type) => type !== "step-note")).toEqual(journaled);
  expect(await types(run)).toEqual(journaled);
});

test("the records that another process follows fold to the engine's state", async () => {
  await using folder = await temporaryFolder();
  const gate = deferred();
  const owner = embeddedEngine(folder.path, {
    interpret: async (ctx) => {
      await ctx.step("one", () => 1);
      await ctx.step("two", () => gate.promise.then(() => 2));
      return "done";
    },
  });
  await owner.start({ runId: "run", graph: null, input: null });
  const watcher = embeddedEngine(folder.path, { interpret: async () => null });
  const entries: JournalEntry[] = [];
  const run = await owner.run("run");
  for await (const entry of watcher.journal("run", { follow: true })) {
    entries.push(entry);
    if (entry.event.type === "step-started" && entry.event.key === "two") gate.resolve();
  }
  await run.ended;
  expect(entries.map(({ n }) => n)).toEqual(entries.map((_, index) => index + 1));
  const { calls, ...watched } = await watcher.state("run");
  const { calls: folded, ...rest } = replay(entries)!;
  expect(JSON.stringify(rest)).toBe(JSON.stringify(watched));
  expect([...folded]).toEqual([...calls]);
});

test("a watcher can start after a record, and stop early", async () => {
  const engine = memoryEngine({ interpret: talk });
  await engine.start({ runId: "run", graph: null, input: null });
  await (await engine.run("run")).ended;
  const found: number[] = [];
  for await (const { n } of engine.journal("run", { after: 2 })) found.push(n);
  expect(found).toEqual([3, 4, 5]);
  for await (const { n } of engine.journal("run")) {
    expect(n).toBe(1);
    break;
  }
});

test("a watcher of another process sees what is written there, line by line", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, { interpret: async () => null });
  await engine.start({ runId: "run", graph: [{ step: "hold" }], input: null });
  const log = join(folder.path, "log");
  const program = fileURLToPath(import.meta.resolve("./scenario/worker.ts"));
  await using child = Bun.spawn([process.execPath, program, folder.path, log], { stdin: "pipe", stdout: "ignore" });
  const seen: string[] = [];
  for await (const { event } of engine.journal("run", { follow: true })) {
    seen.push(event.type);
    if (event.type === "step-started") {
      child.stdin.write("open *\n");
      child.stdin.flush();
    }
  }
  expect(seen).toEqual(["run-created", "run-claimed", "step-started", "step-finished", "run-ended"]);
});

async function types(run: AsyncIterable<{ type: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { type } of run) found.push(type);
  return found;
}
