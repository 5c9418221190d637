// What steps report while they run is kept beside the journal: bounded, readable by other processes, and removable.
import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import { TranscriptFile, transcriptTail } from "../../src/run/embedded/transcript-file.ts";
import type { StepNote } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import { memoryEngine } from "../../src/run/memory/memory-engine.ts";
import { boundedNote } from "../../src/run/transcript.ts";

const told = (note: Json, at = 1): StepNote => ({ type: "step-note", key: "work", note, at });

test("another process reads what a step reports while it runs, and again after its end", async () => {
  await using folder = await temporaryFolder();
  const reader = embeddedEngine(folder.path, { interpret: async () => null });
  const seen: Json[][] = [];
  const engine = embeddedEngine(folder.path, {
    interpret: async (ctx) =>
      await ctx.step("work", async ({ note }) => {
        const read = reader.notes("run");
        note("first");
        seen.push((await read()).map((each) => each.note));
        note({ text: "second".repeat(2000) });
        seen.push((await read()).map((each) => each.note));
        return null;
      }),
  });
  await engine.start({ runId: "run", graph: null, input: null });
  await (await engine.run("run")).ended;
  expect(seen).toEqual([["first"], [{ text: "second".repeat(2000) }]]);
  expect(await reader.notes("run")()).toMatchObject([
    { type: "step-note", key: "work", note: "first", at: expect.any(Number) },
    { key: "work", note: { text: "second".repeat(2000) } },
  ]);
});

test("the same long note is kept once", async () => {
  await using folder = await temporaryFolder();
  const file = new TranscriptFile(folder.path);
  for (let at = 0; at < 50; at++) file.add(told({ type: "prompt", text: "same".repeat(2000) }, at));
  expect(fs.readdirSync(join(folder.path, "transcript"))).toHaveLength(1);
  expect(fs.statSync(join(folder.path, "transcript.jsonl")).size).toBeLessThan(8000);
  const notes = transcriptTail(folder.path)();
  expect(notes.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  expect(notes[49]?.note).toEqual({ type: "prompt", text: "same".repeat(2000) });
});

test("half a line and a lost or damaged file are no obstacle", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "transcript.jsonl");
  new TranscriptFile(folder.path).add(told({ text: "long".repeat(2000) }));
  fs.appendFileSync(path, '{"key":"work","at":2,"no');
  const read = transcriptTail(folder.path);
  expect(read()).toHaveLength(1);
  new TranscriptFile(folder.path).add(told("after the crash", 3));
  expect(read().map(({ note }) => note)).toEqual(["after the crash"]);
  const [name = ""] = fs.readdirSync(join(folder.path, "transcript"));
  fs.writeFileSync(join(folder.path, "transcript", name), '{"text":"other"}');
  expect(transcriptTail(folder.path)().map(({ note }) => note)).toEqual([{ isLost: true }, "after the crash"]);
});

test("a long text loses its middle, and a note of many long texts all but its name", () => {
  const { note } = boundedNote(told({ type: "tool-ended", id: "1", tool: "bash", output: `a${"x".repeat(100_000)}z` }));
  const { output } = note as { output: string };
  expect(output.length).toBeLessThan(66_000);
  expect(output).toMatch(/^ax+\n… \(34466 characters are not recorded\) …\nx+z$/);
  const many = boundedNote(told({ type: "tool-started", tool: "write", files: Array(10).fill("y".repeat(60_000)) }));
  expect(many.note).toEqual({ type: "tool-started", tool: "write", isTooLong: true });
});

test("a run in memory has its transcript too", async () => {
  const engine = memoryEngine({
    interpret: async (ctx) =>
      await ctx.step("work", ({ note }) => {
        note("said");
        return null;
      }),
  });
  await engine.start({ runId: "run", graph: null, input: null });
  await (await engine.run("run")).ended;
  expect((await engine.notes("run")()).map(({ note }) => note)).toEqual(["said"]);
});

test("a transcript is removed without its run, and only of runs that have ended", async () => {
  await using folder = await temporaryFolder();
  const engine = embeddedEngine(folder.path, {
    interpret: async (ctx, { input }) => {
      await ctx.step("work", ({ note }) => {
        note("said".repeat(2000));
        return null;
      });
      if (input === "wait") await ctx.wait("answer");
      return "done";
    },
  });
  for (const runId of ["ended", "wait"]) {
    await engine.start({ runId, graph: null, input: runId });
    const run = await engine.run(runId);
    for await (const { type } of run) if (type === "wait-started") void run.release();
  }
  const policy = { olderThanMs: -1, transcripts: true };
  expect(await engine.prune({ ...policy, dryRun: true })).toMatchObject({ removed: ["ended"] });
  expect(await engine.notes("ended")()).toHaveLength(1);
  const { removed, bytes } = await engine.prune(policy);
  expect({ removed, isMuch: bytes > 8000 }).toEqual({ removed: ["ended"], isMuch: true });
  expect(await engine.notes("ended")()).toEqual([]);
  expect(await engine.notes("wait")()).toHaveLength(1);
  expect(await engine.status("ended")).toMatchObject({ kind: "done" });
  expect(fs.readdirSync(join(folder.path, "ended")).filter((name) => name.startsWith("transcript"))).toEqual([]);
});
