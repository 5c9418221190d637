// A run that continues with a changed workflow.
import { expect, test } from "bun:test";
import type { RunCtx } from "../../src/run/run-ctx.ts";
import { InMemory } from "./in-memory.ts";

/** Does three things and asks once; says which it did. */
function program() {
  const did: string[] = [];
  const step = (ctx: RunCtx, key: string) =>
    ctx.step(key, () => {
      did.push(key);
      return key;
    });
  const runs = new InMemory(async (ctx) => {
    await step(ctx, "a");
    await ctx.fork("fan", [(own) => step(own, "fan.0/x"), (own) => step(own, "fan.1/y")], "all");
    const answer = await ctx.wait<string>("ok", { about: "Ok?" });
    await step(ctx, "c");
    return answer.ok ? answer.value : null;
  });
  return { did, runs };
}

test("only with other functions, everything that was recorded stays", async () => {
  const { did, runs } = program();
  const { engine, run } = await runs.live();
  await run.release();
  await engine.revise("run", { workspace: { host: "x" } });
  expect(await engine.state("run")).toMatchObject({ workspace: { host: "x" }, graph: null, restartedAt: 0 });
  const again = await runs.live();
  await again.engine.signal("run", "ok", "yes");
  expect(await again.run.ended).toMatchObject({ kind: "done", result: { value: "yes" } });
  expect(did).toEqual(["a", "fan.0/x", "fan.1/y", "c"]);
});

test("from a node on, that node and all that are not kept run again, and are asked again", async () => {
  const { did, runs } = program();
  const { engine, run } = await runs.live();
  await run.release();
  // An answer that has not been read yet belongs to the question as it was.
  await engine.signal("run", "ok", "no");
  await engine.revise("run", { workspace: null, restart: { graph: { version: 2 }, from: "fan", keep: ["a"] } });
  const state = await engine.state("run");
  expect(state.graph).toEqual({ version: 2 });
  expect([...state.calls.keys()]).toEqual(["a"]);
  expect([...state.signals.keys()]).toEqual([]);
  const again = await runs.live();
  expect(await again.engine.status("run")).toMatchObject({ kind: "waiting", for: [{ key: "ok" }] });
  expect(await again.engine.signal("run", "ok", "yes")).toBe("kept");
  expect(await again.engine.signal("run", "ok", "too late")).toBe("ignored");
  expect(await again.run.ended).toMatchObject({ kind: "done", result: { value: "yes" } });
  expect(did).toEqual(["a", "fan.0/x", "fan.1/y", "fan.0/x", "fan.1/y", "c"]);
  // A run that is done keeps its result.
  await expect(again.engine.revise("run", { workspace: null })).rejects.toMatchObject({ code: "run-ended" });
});

test("a failed run continues from any node", async () => {
  let works = false;
  const runs = new InMemory(async (ctx) => {
    const a = await ctx.step("a", () => (works ? 2 : 1));
    return await ctx.step("b", () => {
      if (!works) throw new Error("not yet");
      return a * 10;
    });
  });
  const { engine, run } = await runs.live();
  expect(await run.ended).toMatchObject({ kind: "failed" });
  works = true;
  await engine.revise("run", { workspace: null, restart: { graph: null, from: "a", keep: [] } });
  expect(await (await runs.live()).run.ended).toMatchObject({ kind: "done", result: { value: 20 } });
});

test("a run that a process works on is left alone", async () => {
  const { runs } = program();
  const { engine } = await runs.live();
  await expect(engine.revise("run", { workspace: null })).rejects.toMatchObject({ code: "run-held" });
});
