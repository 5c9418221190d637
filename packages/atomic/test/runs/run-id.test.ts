import { expect, test } from "bun:test";
import { findRun } from "@atomic/terminal/find-run";
import { memoryEngine } from "@atomic/workflows/internal/run/memory/memory-engine";
import { startNew } from "@atomic/workflows/internal/run/run-id";
import { runHints } from "../../src/runs/runs-folder.ts";

const request = { graph: null, input: null };

test("an id is two short words, and is never reused", async () => {
  const engine = memoryEngine({ interpret: async () => null });
  const starts = Array.from({ length: 300 }, () => startNew(engine, request, Math.random));
  const ids = await Promise.all(starts);
  expect(new Set(ids).size).toBe(300);
  expect((await engine.list()).map(({ runId }) => runId).sort()).toEqual([...ids].sort());
  for (const id of ids) expect(id).toMatch(/^[a-z]{3,7}-[a-z]{3,8}$/);
});

test("when the words are used up, a number makes the id unique", async () => {
  const engine = memoryEngine({ interpret: async () => null });
  const start = () => startNew(engine, request, () => 0);
  expect([await start(), await start(), await start()]).toEqual(["able-acorn", "able-acorn-2", "able-acorn-3"]);
});

const ids = ["calm-otter", "calm-owl", "bold-fox"];

test.each([
  ["calm-otter", "calm-otter"],
  ["calm-ot", "calm-otter"],
  ["b", "bold-fox"],
  ["BOLD", "bold-fox"],
])("%s resolves to the run %s", (typed, id) => {
  expect(findRun(typed, ids, runHints)).toBe(id);
});

test("an id that is also a prefix of another one matches itself", () => {
  expect(findRun("calm", ["calm", "calm-otter"], runHints)).toBe("calm");
});

test.each([
  ["calm", 'several run ids start with "calm"', "They are calm-otter, calm-owl."],
  ["clam-otter", 'no run matches "clam-otter" (did you mean calm-otter?)', "`atomic runs --all` lists them."],
  ["zzz", 'no run matches "zzz"', "`atomic runs --all` lists them."],
  ["", 'no run matches ""', "`atomic runs --all` lists them."],
  ["../x\x1b", 'no run matches "../x\\x1b"', "`atomic runs --all` lists them."],
])("%j is refused", (typed, message, hint) => {
  expect(() => findRun(typed, ids, runHints)).toThrow(expect.objectContaining({ message, hint }));
});

test("without any runs, no id resolves", () => {
  expect(() => findRun("x", [], runHints)).toThrow("there are no runs in this project yet");
});
