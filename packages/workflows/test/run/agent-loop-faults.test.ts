// Faults that loops of agents have, or had: each by the behavior that is right.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { Json } from "../../src/run/json.ts";
import type { Branch, RunCtx } from "../../src/run/run-ctx.ts";
import { RateLimitError } from "../../src/run/step-errors.ts";
import { InMemory } from "./in-memory.ts";

const approve = async (ctx: RunCtx, key: string): Promise<Json> => {
  const answer = await ctx.wait(key);
  return answer.ok ? answer.value : null;
};

describe("loops of agents:", () => {
  test("a failed run can be reopened: what failed is retried, what had ended is not", async () => {
    const ran: string[] = [];
    let isFixed = false;
    const runs = new InMemory(async (ctx) => {
      await ctx.step("before", () => {
        ran.push("before");
        return null;
      });
      const bad: Branch = (own) =>
        own.step("bad", () => {
          ran.push("bad");
          if (!isFixed) throw new Error("no key");
          return "good";
        });
      const wait: Branch = async (own) => await approve(own, "ask");
      return await ctx.fork("fan", [bad, wait], "all");
    });
    const first = await runs.live();
    expect(await first.run.ended).toMatchObject({ kind: "failed", error: { key: "bad" } });
    isFixed = true;
    await first.engine.reopen("run");
    const { engine, run } = await runs.live();
    expect(await engine.status("run")).toMatchObject({ kind: "waiting", for: [{ key: "ask" }] });
    await engine.signal("run", "ask", "yes");
    expect(await run.ended).toMatchObject({ kind: "done", result: { value: ["good", "yes"] } });
    expect(ran).toEqual(["before", "bad", "bad"]);
    await expect(engine.reopen("run")).rejects.toMatchObject({ code: "bad-request" });
  });

  test("a rate limit neither makes the loop spin nor ends it (oh-my-claudecode 777, 778; bmalph 203)", async () => {
    const asked: number[] = [];
    const runs = new InMemory(async (ctx) => {
      for (let turn = 1; turn <= 3; turn++) {
        await ctx.step(`L#${turn}`, ({ attempt }) => {
          asked.push(runs.clock.monotonic());
          if (turn === 2 && attempt < 3) throw new RateLimitError("429", { retryAfterMs: 60_000 });
          return null;
        });
      }
      return "done";
    });
    const { run } = await runs.live();
    await runs.clock.runAll();
    expect(await run.ended).toMatchObject({ kind: "done" });
    expect(asked).toEqual([0, 0, 60_000, 120_000, 120_000]);
  });

  test("what stopped one run stops no other, and not this one again once it may continue (ralph-claude-code 160, 218)", async () => {
    const runs = new InMemory(
      async (ctx) => {
        for (let turn = 1; turn <= 4; turn++) await ctx.step(`L#${turn}`, () => null);
        return "done";
      },
      { budget: { steps: 2 } },
    );
    const { engine, run } = await runs.live();
    expect(await run.ended).toMatchObject({ kind: "stopped" });
    await engine.start({ runId: "other", graph: null, input: null });
    expect(await (await engine.run("other")).ended).toMatchObject({ kind: "done" });
    await engine.raise("run", { steps: 10 });
    expect(await (await runs.live()).run.ended).toMatchObject({ kind: "done" });
  });

  test("a process whose runs have ended or were released exits by itself (atomic 1167)", async () => {
    await using folder = await temporaryFolder();
    const program = join(folder.path, "program.ts");
    const engine = join(import.meta.dirname, "../../src/run/embedded/embedded-engine.ts");
    await Bun.write(
      program,
      `import { embeddedEngine } from ${JSON.stringify(engine)};
      const interpret = async (ctx) => (await ctx.step("one", () => 1), await ctx.wait("ask"), 2);
      const engine = embeddedEngine(${JSON.stringify(join(folder.path, "runs"))}, { interpret });
      for (const runId of ["ends", "waits"]) await engine.start({ runId, graph: null, input: null });
      await engine.signal("ends", "ask", null);
      await (await engine.run("ends")).ended;
      const run = await engine.run("waits");
      for await (const { type } of run) if (type === "wait-started") break;
      await run.release();
      const worker = await engine.work({ concurrency: 1 });
      await worker.stop();
      console.log("end");`,
    );
    const child = Bun.spawn([process.execPath, program], { stdout: "pipe", stderr: "inherit", timeout: 30_000 });
    expect(await new Response(child.stdout).text()).toBe("end\n");
    expect(await child.exited).toBe(0);
  });
});
