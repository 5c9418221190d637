import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { fakeClock } from "@atomic/testing/simulation/clock";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import { fileStore } from "../../src/run/embedded/file-store.ts";
import type { PrunePolicy, RunSummary } from "../../src/run/engine.ts";
import { planPrune, StoreEngine } from "../../src/run/local-engine.ts";
import type { RunStatus } from "../../src/run/run-state.ts";

const done: RunStatus = { kind: "done", result: { value: null }, at: 0 };

function run(runId: string, updatedAt: number, bytes: number, status: RunStatus = done): RunSummary {
  return { runId, name: undefined, status, createdAt: 0, updatedAt, bytes };
}

const owner = { pid: 1, host: "h" };

describe("what goes", () => {
  const runs = [
    run("new", 900, 10),
    run("old", 100, 10),
    run("older", 50, 10, { kind: "failed", error: { name: "E", message: "m" }, at: 0 }),
    run("waits", 10, 1000, { kind: "waiting", for: [], owner }),
    run("stopped", 10, 10, { kind: "stopped", exceeded: { limit: "usd", allowed: 1, spent: 1 }, reason: "r" }),
    run("broken", 10, 10, { kind: "damaged", reason: "r" }),
  ];
  test.each<[PrunePolicy, string[]]>([
    [{}, []],
    [{ olderThanMs: 850 }, ["older", "old"]],
    [{ olderThanMs: 900 }, ["older"]],
    [{ maxBytes: 1040 }, ["older"]],
    [{ maxBytes: 1039 }, ["older", "old"]],
    [{ maxBytes: 0 }, ["older", "old", "new"]],
    [{ olderThanMs: 930, maxBytes: 1030 }, ["older", "old"]],
  ])("with %j", (policy, expected) => {
    expect(planPrune(runs, policy, 1000).map(({ runId }) => runId)).toEqual(expected);
  });
});

test("runs are listed with their outcomes, and pruned by age", async () => {
  await using folder = await temporaryFolder();
  const clock = fakeClock();
  const engine = embeddedEngine(join(folder.path, "runs"), {
    clock,
    interpret: async (ctx, { input }) => {
      if (input === "fail") return await ctx.step("bad", () => Promise.reject(new Error("no")));
      if (input === "long") return await ctx.step("long", () => "x".repeat(100_000));
      return (await ctx.wait("ask")).ok;
    },
  });
  expect(await engine.list()).toEqual([]);
  for (const runId of ["fail", "long", "wait"]) {
    await engine.start({ runId, graph: null, input: runId, name: "ralph" });
    clock.jump(1000);
  }
  await (await engine.run("fail")).ended;
  clock.jump(60_000);
  await (await engine.run("long")).ended;
  fs.writeFileSync(join(folder.path, "runs/notes.txt"), "not a run");
  fs.mkdirSync(join(folder.path, "runs/empty"));

  const listed = await engine.list();
  expect(listed.map(({ runId, name, status }) => [runId, name, status.kind])).toEqual([
    ["wait", "ralph", "pending"],
    ["long", "ralph", "done"],
    ["fail", "ralph", "failed"],
  ]);
  expect(listed[1]!.bytes).toBeGreaterThan(100_000);

  const before = fs.readdirSync(join(folder.path, "runs"));
  expect(await engine.prune({ olderThanMs: 30_000, dryRun: true })).toMatchObject({ removed: ["fail"] });
  expect(fs.readdirSync(join(folder.path, "runs"))).toEqual(before);
  // What an earlier prune could not finish goes too.
  fs.mkdirSync(join(folder.path, "runs/.pruned-half"));
  expect(await engine.prune({ olderThanMs: 30_000 })).toMatchObject({ removed: ["fail"] });
  expect(fs.readdirSync(join(folder.path, "runs")).sort()).toEqual(["empty", "long", "notes.txt", "wait"]);
  await expect(engine.status("fail")).rejects.toMatchObject({ code: "run-not-found" });
  expect((await engine.prune({ maxBytes: 50_000 })).removed).toEqual(["long"]);
  expect((await engine.list()).map(({ runId }) => runId)).toEqual(["wait"]);
});

test("a run that a process holds is not removed", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, { interpret: async () => null });
  await engine.start({ runId: "run", graph: null, input: null });
  await (await engine.run("run")).ended;
  const path = join(folder.path, "run/journal.jsonl");
  await using held = await openJournal(path);
  expect(await engine.prune({ maxBytes: 0 })).toEqual({ removed: [], bytes: 0 });
  held.close();
  expect((await engine.prune({ maxBytes: 0 })).removed).toEqual(["run"]);
  expect(fs.readdirSync(folder.path)).toEqual([]);
});

test("a run that cannot be read does not prevent listing the others, and one that was just removed is left out", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  const list = (ids: string[]) => new StoreEngine({ ...store, ids: () => ids }, { interpret: async () => null }).list();
  const engine = embeddedEngine(folder.path, { interpret: async () => null });
  await engine.start({ runId: "sound", graph: null, input: null });
  // Lines that are whole, of a program that was not.
  await using journal = await openJournal(join(folder.path, "odd/journal.jsonl"));
  const created = { type: "run-created", version: 1, runId: "odd", interpreter: "1", graph: null, input: null, at: 1 };
  await journal.append({ ...created, name: "odd", budget: { steps: 0 } });
  await journal.append({ type: "budget-exceeded", exceeded: null, at: 2 });
  const listed = await list(["sound", "odd", "gone"]);
  expect(listed.map(({ runId, status }) => [runId, status.kind])).toEqual([
    ["sound", "pending"],
    ["odd", "damaged"],
  ]);
});

test("a limit that an earlier version stored as null means no limit", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, { interpret: async (ctx) => await ctx.step("work", () => "done") });
  await using journal = await openJournal(join(folder.path, "run/journal.jsonl"));
  const created = { type: "run-created", version: 1, runId: "run", interpreter: "1", graph: null, input: null, at: 1 };
  await journal.append({ ...created, budget: { usd: null } });
  journal.close();
  await engine.start({ runId: "run", graph: null, input: null });
  expect((await engine.list()).map(({ status }) => status.kind)).toEqual(["pending"]);
  expect(await (await engine.run("run")).ended).toMatchObject({ kind: "done" });
});

test("a run that the file system refuses to read is damaged, and the others are listed and answered", async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, "runs");
  const engine = embeddedEngine(root, { interpret: async (ctx) => (await ctx.wait("ask")).ok });
  await engine.start({ runId: "calm-otter", graph: null, input: null });
  fs.symlinkSync("bold-fox", join(root, "bold-fox"));
  const found = new Map((await engine.list()).map(({ runId, status }) => [runId, status]));
  expect(found.get("calm-otter")).toEqual({ kind: "pending" });
  expect(found.get("bold-fox")).toMatchObject({ kind: "damaged", reason: expect.stringContaining("ELOOP") });
  const stamps = [await engine.stamp("bold-fox"), await engine.stamp("calm-otter")];
  expect(stamps).toEqual([expect.stringContaining("ELOOP"), expect.any(String)]);
  await expect(engine.state("bold-fox")).rejects.toMatchObject({
    code: "damaged",
    message: expect.stringContaining("The run bold-fox cannot be read: ELOOP"),
    hint: expect.any(String),
  });
  expect(await engine.signal("calm-otter", "ask", "yes")).toBe("kept");
});
