// Faults that other engines have, or had: each by the behavior that is right.
import { describe, expect, test } from "bun:test";
import { quiet } from "@atomic/testing/simulation/clock";
import { deferred } from "@atomic/testing/waiting";
import type { Json } from "../../src/run/json.ts";
import type { Branch, RunCtx } from "../../src/run/run-ctx.ts";
import { InMemory } from "./in-memory.ts";

/** Answers, if it is asked often enough: how often each step ran is what counts. */
function counting(): { ran: Record<string, number>; step(ctx: RunCtx, key: string, value?: Json): Promise<Json> } {
  const ran: Record<string, number> = {};
  return {
    ran,
    step: (ctx, key, value = key) =>
      ctx.step(key, () => {
        ran[key] = (ran[key] ?? 0) + 1;
        return value;
      }),
  };
}

const approve = async (ctx: RunCtx, key: string): Promise<Json> => {
  const answer = await ctx.wait(key);
  return answer.ok ? answer.value : null;
};

describe("the engine of the design:", () => {
  test("a wait that was answered does not pause again after a resume, and what comes after it runs", async () => {
    const { ran, step } = counting();
    const runs = new InMemory(async (ctx) => {
      await step(ctx, "before");
      const answer = await approve(ctx, "ask");
      await step(ctx, "after");
      await approve(ctx, "once more");
      return answer;
    });
    const first = await runs.live();
    await first.engine.signal("run", "ask", "yes");
    await quiet();
    const { engine, run } = await runs.live();
    expect(await engine.status("run")).toMatchObject({ kind: "waiting", for: [{ key: "once more" }] });
    await engine.signal("run", "once more", null);
    expect(await run.ended).toMatchObject({ result: { value: "yes" } });
    expect(ran).toEqual({ before: 1, after: 1 });
  });

  test("with more than nine steps, a resume continues after the last one", async () => {
    const { ran, step } = counting();
    const runs = new InMemory(async (ctx) => {
      for (let turn = 1; turn <= 12; turn++) await step(ctx, `step_${turn}`);
      await approve(ctx, "ask");
      return await step(ctx, "step_13");
    });
    await runs.live();
    const { engine, run } = await runs.live();
    await engine.signal("run", "ask", null);
    await run.ended;
    expect(ran).toEqual(Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`step_${index + 1}`, 1])));
  });

  test("the journal has the position, not only the state: after a crash, a loop resumes in the same iteration", async () => {
    const turns: string[] = [];
    const program = (stopAt: number) => async (ctx: RunCtx) => {
      for (let turn = 1; turn <= 4; turn++) {
        await ctx.step(`L#${turn}/work`, () => {
          turns.push(`${turn}`);
          return turn === stopAt ? new Promise<null>(() => undefined) : null;
        });
      }
      return "done";
    };
    const runs = new InMemory(program(3));
    await runs.live();
    expect(await (await runs.live(program(0))).run.ended).toMatchObject({ kind: "done" });
    expect(turns).toEqual(["1", "2", "3", "3", "4"]);
  });

  test("a step's start is reported before it runs", async () => {
    const seen: string[][] = [];
    const runs = new InMemory(async (ctx) => {
      return await ctx.step("work", () => {
        seen.push(runs.types());
        return null;
      });
    });
    await (await runs.live()).run.ended;
    expect(seen).toEqual([["run-created", "run-claimed", "step-started"]]);
  });

  test("branches run in parallel, with a barrier after them", async () => {
    const gates = [deferred(), deferred(), deferred()];
    const order: string[] = [];
    const runs = new InMemory(async (ctx) => {
      const branches = gates.map(
        (gate, index): Branch =>
          (own) =>
            own.step(`b${index}`, async () => {
              order.push(`begin ${index}`);
              await gate.promise;
              order.push(`end ${index}`);
              return index;
            }),
      );
      await ctx.fork("fan", branches, "all");
      return await ctx.step("join", () => {
        order.push("join");
        return null;
      });
    });
    const { run } = await runs.live();
    expect(order).toEqual(["begin 0", "begin 1", "begin 2"]);
    for (const index of [2, 0, 1]) {
      gates[index]!.resolve();
      await quiet();
    }
    await run.ended;
    expect(order.slice(3)).toEqual(["end 2", "end 0", "end 1", "join"]);
  });
});

describe("Mastra:", () => {
  const twoApprovals = () => {
    const { ran, step } = counting();
    const runs = new InMemory(async (ctx) => {
      const branch =
        (key: string): Branch =>
        async (own) => {
          await step(own, `${key}/draft`);
          const answer = await approve(own, `${key}/ask`);
          await step(own, `${key}/act`);
          return answer;
        };
      const answers = await ctx.fork("fan", [branch("a"), branch("b")], "all");
      await step(ctx, "after");
      return answers;
    });
    return { ran, runs };
  };

  test("a branch that completed does not go back to being suspended (9288)", async () => {
    const { ran, runs } = twoApprovals();
    const first = await runs.live();
    await first.engine.signal("run", "a/ask", 1);
    await quiet();
    const { engine } = await runs.live();
    expect(await engine.status("run")).toMatchObject({ kind: "waiting", for: [{ key: "b/ask" }] });
    expect((await engine.state("run")).calls.get("fan")).toMatchObject({ branches: [{ ok: true }, undefined] });
    expect(ran).toEqual({ "a/draft": 1, "b/draft": 1, "a/act": 1 });
  });

  test("resuming one branch does not complete the block (6418)", async () => {
    const { ran, runs } = twoApprovals();
    const { engine, run } = await runs.live();
    await engine.signal("run", "a/ask", 1);
    await quiet();
    expect(ran.after).toBeUndefined();
    await engine.signal("run", "b/ask", 2);
    expect(await run.ended).toMatchObject({ result: { value: [1, 2] } });
    expect(ran.after).toBe(1);
  });

  test("resuming while a sibling runs loses no iteration (10746)", async () => {
    const busy = deferred();
    const ran: string[] = [];
    const runs = new InMemory(async (ctx) => {
      const each = Array.from(
        { length: 3 },
        (_, index): Branch =>
          async (own) => {
            await own.step(`${index}/work`, async () => {
              if (index === 1) await busy.promise;
              ran.push(`work ${index}`);
              return null;
            });
            return await approve(own, `${index}/ask`);
          },
      );
      return await ctx.fork("each", each, "all");
    });
    const { engine, run } = await runs.live();
    await engine.signal("run", "0/ask", "zero");
    await engine.signal("run", "2/ask", "two");
    await quiet();
    busy.resolve();
    await quiet();
    await engine.signal("run", "1/ask", "one");
    expect(await run.ended).toMatchObject({ result: { value: ["zero", "one", "two"] } });
    expect(ran.sort()).toEqual(["work 0", "work 1", "work 2"]);
  });

  test("the same step suspended in several branches is resumed in each of them (16468)", async () => {
    const { runs } = twoApprovals();
    await runs.live();
    for (const key of ["b", "a"]) {
      const { engine } = await runs.live();
      expect(await engine.signal("run", `${key}/ask`, key)).toBe("kept");
      await quiet();
    }
    expect((await (await runs.live()).run.ended) as object).toMatchObject({ result: { value: ["a", "b"] } });
  });

  test("the same question of steps in several branches is answered in each of them by itself (16468)", async () => {
    const ran: string[] = [];
    const asking =
      (key: string): Branch =>
      async (own) =>
        await own.step(`${key}/tool`, async ({ ask }) => {
          const answer = await ask({ permission: "bash" });
          ran.push(`${key} ${answer}`);
          return answer;
        });
    const runs = new InMemory(async (ctx) => await ctx.fork("fan", [asking("a"), asking("b")], "all"));
    const first = await runs.live();
    expect((await first.engine.state("run")).waits.map(({ key }) => key)).toEqual(["a/tool?1", "b/tool?1"]);
    await first.engine.signal("run", "b/tool?1", "deny");
    await quiet();
    const { engine, run } = await runs.live();
    expect((await engine.state("run")).waits.map(({ key }) => key)).toEqual(["a/tool?1"]);
    await engine.signal("run", "a/tool?1", "allow");
    expect(await run.ended).toMatchObject({ result: { value: ["allow", "deny"] } });
    expect(ran).toEqual(["b deny", "a allow"]);
  });

  test("resuming inside a nested workflow does not restart it (5650)", async () => {
    const { ran, step } = counting();
    const runs = new InMemory(async (ctx) => {
      const inner: Branch = async (own) => {
        await step(own, "sub/one");
        await step(own, "sub/two");
        const answer = await approve(own, "sub/ask");
        await step(own, "sub/three");
        return answer;
      };
      const outer: Branch = async (own) => (await own.fork("sub", [inner], "all"))[0]!;
      return await ctx.fork("main", [outer], "all");
    });
    await runs.live();
    const { engine, run } = await runs.live();
    await engine.signal("run", "sub/ask", "yes");
    expect(await run.ended).toMatchObject({ result: { value: ["yes"] } });
    expect(ran).toEqual({ "sub/one": 1, "sub/two": 1, "sub/three": 1 });
  });

  test("the next process finds a waiting run (14875)", async () => {
    const { runs } = twoApprovals();
    await runs.live();
    const { engine } = await runs.live();
    expect(await engine.list()).toMatchObject([{ runId: "run", status: { kind: "waiting" } }]);
  });

  test("a loop that waits in its iterations completes all of them (16476)", async () => {
    const runs = new InMemory(async (ctx) => {
      const answers: Json[] = [];
      for (let turn = 1; turn <= 3; turn++) answers.push(await approve(ctx, `L#${turn}/ask`));
      return answers;
    });
    for (let turn = 1; turn <= 3; turn++) {
      const { engine } = await runs.live();
      await engine.signal("run", `L#${turn}/ask`, turn);
      await quiet();
    }
    expect(await (await runs.live()).run.ended).toMatchObject({ result: { value: [1, 2, 3] } });
  });
});

describe("LangGraph:", () => {
  test("an interrupt inside a subgraph neither runs a node again nor skips one (js 1552; py 4796, 3206, 4523)", async () => {
    const { ran, step } = counting();
    const runs = new InMemory(async (ctx) => {
      await step(ctx, "outer/before");
      await ctx.fork(
        "graph",
        [
          async (own) => {
            await step(own, "inner/before");
            // What stands before the interrupt in the same node is a step, so it does not happen twice.
            await step(own, "inner/node/first half");
            await approve(own, "inner/node/ask");
            await step(own, "inner/node/second half");
            return await step(own, "inner/after");
          },
        ],
        "all",
      );
      return await step(ctx, "outer/after");
    });
    await runs.live();
    await runs.live();
    const { engine, run } = await runs.live();
    await engine.signal("run", "inner/node/ask", null);
    await run.ended;
    expect(Object.values(ran)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(Object.keys(ran)).toEqual([
      "outer/before",
      "inner/before",
      "inner/node/first half",
      "inner/node/second half",
      "inner/after",
      "outer/after",
    ]);
  });

  test("only the requested step limit applies (js 1738)", async () => {
    const { ran, step } = counting();
    const runs = new InMemory(async (ctx) => {
      for (let turn = 0; turn < 1500; turn++) await step(ctx, `L#${turn}`);
      return null;
    });
    expect(await (await runs.live()).run.ended).toMatchObject({ kind: "done" });
    expect(Object.keys(ran)).toHaveLength(1500);
  });

  test("what a step adds to the journal does not grow with the run (openwiki 257, deer-flow 3015)", async () => {
    const runs = new InMemory(async (ctx) => {
      for (let turn = 0; turn < 1000; turn++) await ctx.step(`L#${`${turn}`.padStart(4, "0")}`, () => "x".repeat(100));
      return null;
    });
    await (await runs.live()).run.ended;
    const sizes = new Set(
      runs
        .events()
        .slice(2, -1)
        .map((event) => JSON.stringify(event).length),
    );
    expect([...sizes].length).toBeLessThanOrEqual(4); // two kinds of event, and a time of one digit more or less
  });

  test("what has ended can be removed, and nothing else is (checkpoint-mysql 89)", async () => {
    const runs = new InMemory(async (ctx) => await approve(ctx, "ask"));
    const { engine, run } = await runs.live();
    await engine.start({ runId: "waits", graph: null, input: null });
    const other = await engine.run("waits");
    await engine.signal("run", "ask", "yes");
    await run.ended;
    expect(await engine.prune({ maxBytes: 0, dryRun: true })).toMatchObject({ removed: ["run"] });
    expect(await engine.prune({ maxBytes: 0 })).toMatchObject({ removed: ["run"] });
    await engine.signal("waits", "ask", "too");
    expect(await other.ended).toMatchObject({ kind: "done", result: { value: "too" } });
    expect((await engine.list()).map(({ runId }) => runId)).toEqual(["waits"]);
  });
});
