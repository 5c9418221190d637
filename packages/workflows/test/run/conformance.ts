// What every engine has to hold. What steps really did is counted outside of the engine.
import { describe, expect, test } from "bun:test";
import { counts, ended, refusal, result, settled, start, types } from "./contract-steps.ts";
import type { Harness } from "./harness.ts";
import { asGraph, type Toy } from "./toy.ts";

const fan: readonly Toy[] = [
  { step: "start" },
  { fork: "fan", branches: [[{ step: "hold-a" }], [{ step: "hold-b" }], [{ step: "hold-c" }]] },
  { step: "end" },
];

export function engineContract(name: string, harness: () => Promise<Harness>): void {
  describe(`${name}:`, () => {
    test("branches run in parallel, and the run ends with their results", async () => {
      await using under = await harness();
      const worker = await under.worker();
      await start(under.client, fan);
      // None of them ends before all have begun.
      await Promise.all(["a", "b", "c"].map((each, index) => worker.said(`begin fan.${index}/hold-${each}`)));
      worker.open("*");
      expect(await result(under.client)).toEqual([
        "did start",
        [["did fan.0/hold-a"], ["did fan.1/hold-b"], ["did fan.2/hold-c"]],
        "did end",
      ]);
    });

    test("killed in parallel branches, exactly the open steps run again", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, fan);
      await Promise.all([
        first.said("begin fan.0/hold-a"),
        first.said("begin fan.1/hold-b"),
        first.said("begin fan.2/hold-c"),
      ]);
      first.open("fan.1/hold-b");
      await settled(under.client, ({ type, key }) => type === "branch-ended" && key === "fan");
      await first.kill();
      const second = await under.worker();
      second.open("*");
      await result(under.client);
      expect(counts(await under.outside(), "begin")).toEqual({
        start: 1,
        "fan.0/hold-a": 2,
        "fan.1/hold-b": 1,
        "fan.2/hold-c": 2,
        end: 1,
      });
    });

    test("killed in a loop, it continues in the same iteration", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [
        { loop: "L", times: 5, body: [{ step: "think" }, { step: "hold" }] },
        { step: "tail" },
      ]);
      for (const turn of [1, 2]) {
        await first.said(`begin L#${turn}/hold`);
        first.open(`L#${turn}/hold`);
      }
      await first.said("begin L#3/hold");
      await first.kill();
      const second = await under.worker();
      second.open("*");
      await result(under.client);
      const begun = counts(await under.outside(), "begin");
      expect(begun["L#3/hold"]).toBe(2);
      expect(Object.values(begun).reduce((sum, each) => sum + each, 0)).toBe(12);
      expect(begun.tail).toBe(1);
    });

    test("branches with several steps that raced before a kill all end after it", async () => {
      await using under = await harness();
      const branch = (each: string): Toy[] => [{ step: `${each}1` }, { step: `hold-${each}` }, { step: `${each}3` }];
      const race: readonly Toy[] = [{ fork: "fan", branches: ["a", "b", "c"].map(branch) }];
      const runs = ["one", "two", "three", "four"];
      let worker = await under.worker();
      for (const runId of runs) await start(under.client, race, runId);
      // Each life lets one branch of all runs go further than the others.
      for (const [index, each] of ["c", "a"].entries()) {
        const key = `fan.${"abc".indexOf(each)}/hold-${each}`;
        await worker.said(`begin ${key}`);
        worker.open(key);
        await worker.said(`end ${key}`);
        await worker.kill();
        worker = await under.worker();
        expect(index).toBeLessThan(2);
      }
      worker.open("*");
      for (const runId of runs) {
        expect(await result(under.client, runId)).toEqual([
          ["a", "b", "c"].map((each, index) => [
            `did fan.${index}/${each}1`,
            `did fan.${index}/hold-${each}`,
            `did fan.${index}/${each}3`,
          ]),
        ]);
      }
    });

    test("an approval given while no process is running arrives after the restart", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "plan" }, { wait: "approve" }, { step: "act" }]);
      await settled(under.client, ({ type }) => type === "wait-started");
      await first.kill();
      expect(await under.client.signal("run", "approve", { by: "Ada" })).toBe("kept");
      await under.worker();
      expect(await result(under.client)).toEqual(["did plan", { by: "Ada" }, "did act"]);
      expect(counts(await under.outside(), "begin")).toEqual({ plan: 1, act: 1 });
    });

    test("a signal that arrives before a step waits for it is kept", async () => {
      await using under = await harness();
      await start(under.client, [{ step: "hold" }, { wait: "approve" }]);
      expect(await under.client.signal("run", "approve", "early")).toBe("kept");
      const worker = await under.worker();
      worker.open("*");
      expect(await result(under.client)).toEqual(["did hold", "early"]);
    });

    test("an answer of a million letters arrives whole, also in the next process", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ wait: "notes" }, { step: "hold" }]);
      const notes = "Straße \n".repeat(110_000);
      expect(await under.client.signal("run", "notes", notes)).toBe("kept");
      await first.said("begin hold");
      await first.kill();
      expect((await under.client.list()).map(({ runId }) => runId)).toEqual(["run"]);
      const second = await under.worker();
      second.open("*");
      expect(await result(under.client)).toEqual([notes, "did hold"]);
    });

    test("the first of two signals counts", async () => {
      await using under = await harness();
      await start(under.client, [{ wait: "approve" }]);
      expect(await under.client.signal("run", "approve", "yes")).toBe("kept");
      expect(await under.client.signal("run", "approve", "no")).toBe("ignored");
      await under.worker();
      expect(await result(under.client)).toEqual(["yes"]);
    });

    test("a wait ends when its time is over", async () => {
      await using under = await harness();
      await start(under.client, [{ wait: "approve", timeoutMs: 30 }, { step: "after" }]);
      await under.worker();
      expect(await result(under.client)).toEqual(["timed out", "did after"]);
    });

    test("a running step asks, and the answer may come from another process", async () => {
      await using under = await harness();
      await under.worker();
      await start(under.client, [{ step: "tool", asks: 2 }, { step: "after" }]);
      await settled(under.client, ({ type, key }) => type === "wait-started" && key === "tool?1");
      expect(await under.client.status("run")).toMatchObject({
        kind: "waiting",
        for: [{ kind: "signal", key: "tool?1", step: "tool", about: { of: "tool", question: 1 } }],
      });
      expect(await under.client.signal("run", "tool?1", "yes")).toBe("kept");
      await settled(under.client, ({ type, key }) => type === "wait-started" && key === "tool?2");
      expect(await under.client.signal("run", "tool?2", { allow: false })).toBe("kept");
      expect(await result(under.client)).toEqual([["did tool", "yes", { allow: false }], "did after"]);
    });

    test("killed while a step asks, the answer given in the meantime counts, and the question is not repeated", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "tool", asks: 2 }]);
      await settled(under.client, ({ type }) => type === "wait-started");
      expect(await under.client.signal("run", "tool?1", "one")).toBe("kept");
      await settled(under.client, ({ type, key }) => type === "wait-started" && key === "tool?2");
      await first.kill();
      expect(await under.client.signal("run", "tool?1", "another")).toBe("ignored");
      expect(await under.client.signal("run", "tool?2", "two")).toBe("kept");
      await under.worker();
      expect(await result(under.client)).toEqual([["did tool", "one", "two"]]);
      expect(counts(await under.outside(), "begin")).toEqual({ tool: 1 });
    });

    test("cancelled while a step asks, the run ends and takes no answer", async () => {
      await using under = await harness();
      await under.worker();
      await start(under.client, [{ step: "tool", asks: 1 }]);
      await settled(under.client, ({ type }) => type === "wait-started");
      await under.client.cancel("run");
      expect((await ended(under.client)).kind).toBe("cancelled");
      expect(await refusal(under.client.signal("run", "tool?1", "too late"))).toBe("run-ended");
      expect(await under.outside()).toEqual([]);
    });

    test("cancelled while it waits, nothing that comes later runs", async () => {
      await using under = await harness();
      await under.worker();
      await start(under.client, [{ step: "before" }, { wait: "approve" }, { step: "after" }]);
      await settled(under.client, ({ type }) => type === "wait-started");
      await under.client.cancel("run");
      expect((await ended(under.client)).kind).toBe("cancelled");
      expect(await refusal(under.client.signal("run", "approve", "too late"))).toBe("run-ended");
      expect(counts(await under.outside(), "begin")).toEqual({ before: 1 });
    });

    test("cancelled in the middle of a step, the step sees its signal fire", async () => {
      await using under = await harness();
      const worker = await under.worker();
      await start(under.client, [{ step: "hold" }, { step: "after" }]);
      await worker.said("begin hold");
      await under.client.cancel("run");
      await worker.said("abort hold");
      expect((await ended(under.client)).kind).toBe("cancelled");
      expect(await under.outside()).toEqual(["begin hold", "abort hold"]);
    });

    test("cancelled while no process works on it, it ends at once", async () => {
      await using under = await harness();
      await start(under.client, [{ step: "never" }]);
      await under.client.cancel("run");
      expect((await under.client.status("run")).kind).toBe("cancelled");
      await under.client.cancel("run");
      await under.worker();
      expect(await under.outside()).toEqual([]);
    });

    test("started twice, it runs once, as it was started first", async () => {
      await using under = await harness();
      expect(await start(under.client, [{ step: "one" }])).toBe("started");
      expect(await start(under.client, [{ step: "another" }])).toBe("exists");
      await under.worker();
      expect(await result(under.client)).toEqual(["did one"]);
      expect(await start(under.client, [{ step: "another" }])).toBe("exists");
      expect(await under.outside()).toEqual(["begin one", "end one"]);
    });

    test("a budget that a journal cannot keep is refused, and no run is created", async () => {
      await using under = await harness();
      for (const usd of [Number.POSITIVE_INFINITY, Number.NaN, -1]) {
        const request = { runId: "run", graph: asGraph([]), input: null, budget: { usd } };
        expect(await refusal(under.client.start(request))).toBe("bad-request");
      }
      expect(await refusal(under.client.status("run"))).toBe("run-not-found");
    });

    test("a follower learns that the run's owner was killed", async () => {
      await using under = await harness();
      const worker = await under.worker();
      await start(under.client, [{ step: "hold" }]);
      await worker.said("begin hold");
      const followed = types(under.client.journal("run", { follow: true }));
      await worker.kill();
      expect((await followed).at(-1)).toBe("step-started");
      expect((await under.client.status("run")).kind).toBe("interrupted");
    });

    test("a step's budget is for all its attempts in all processes", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "hold", options: { budget: { steps: 2 }, retries: 5 } }]);
      await first.said("begin hold");
      await first.kill();
      const second = await under.worker();
      await second.said("begin hold");
      await second.kill();
      await under.worker();
      expect(await ended(under.client)).toMatchObject({ kind: "failed", error: { code: "budget", key: "hold" } });
      expect(counts(await under.outside(), "begin")).toEqual({ hold: 2 });
    });

    test("a run of an older version waits for a worker of that version", async () => {
      await using under = await harness();
      await start(under.client, [{ step: "old" }]);
      const newer = await under.worker({ interpreter: "2" });
      await newer.said("problem run other-version");
      expect((await under.client.status("run")).kind).toBe("pending");
      expect(await under.outside()).toEqual([]);
      const older = await under.worker({ interpreter: "1" });
      expect(await result(under.client)).toEqual(["did old"]);
      await older.stop();
      // A run that no worker can work on can still be cancelled.
      await start(under.client, [{ step: "old" }], "other");
      await newer.said("problem other other-version");
      await under.client.cancel("other");
      expect((await ended(under.client, "other")).kind).toBe("cancelled");
    });

    test("a worker takes over what another one has left behind", async () => {
      await using under = await harness();
      const [first, second] = [await under.worker(), await under.worker()];
      await start(under.client, [{ step: "hold" }]);
      const [owner, other] = await Promise.race([
        first.said("begin hold").then(() => [first, second] as const),
        second.said("begin hold").then(() => [second, first] as const),
      ]);
      await owner.kill();
      await other.said("begin hold");
      other.open("*");
      expect(await result(under.client)).toEqual(["did hold"]);
    });

    test("two living workers never work on the same run", async () => {
      await using under = await harness();
      const workers = [await under.worker(), await under.worker(), await under.worker()];
      const runs = ["one", "two", "three", "four", "five"];
      for (const runId of runs) await start(under.client, [{ step: `a-${runId}` }, { step: `b-${runId}` }], runId);
      for (const runId of runs) await result(under.client, runId);
      expect(workers).toHaveLength(3);
      const begun = counts(await under.outside(), "begin");
      expect(Object.values(begun)).toEqual(Array.from({ length: 10 }, () => 1));
    });

    test("a worker that stops releases its runs, and the next one continues them", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "done" }, { step: "hold" }]);
      await first.said("begin hold");
      await first.stop();
      expect((await under.client.status("run")).kind).toBe("pending");
      const second = await under.worker();
      second.open("*");
      expect(await result(under.client)).toEqual(["did done", "did hold"]);
      expect(counts(await under.outside(), "begin")).toEqual({ done: 1, hold: 2 });
    });
  });
}
