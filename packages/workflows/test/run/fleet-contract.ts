// The part of the contract that is about several workers: who takes what, and what becomes of it when one of them is gone.
import { describe, expect, test } from "bun:test";
import { counts, ended, result, settled, start, types } from "./contract-steps.ts";
import type { Harness } from "./harness.ts";
import type { Toy } from "./toy.ts";

export function fleetContract(name: string, harness: () => Promise<Harness>): void {
  describe(`${name}:`, () => {
    test("killed in a fork while two others live, its runs end with the others", async () => {
      await using under = await harness();
      const workers = [await under.worker(), await under.worker(), await under.worker()];
      const runs = ["one", "two", "three", "four", "five", "six"];
      const forked = (run: string): Toy[] => [
        {
          fork: "fan",
          branches: ["a", "b"].map((each) => [{ step: `hold-${run}-${each}` }, { step: `${run}-${each}` }]),
        },
        { step: `${run}-end` },
      ];
      for (const runId of runs) await start(under.client, forked(runId), runId);
      const owners = await Promise.all(
        runs.map(async (runId) => {
          const line = `begin fan.0/hold-${runId}-a`;
          return await Promise.race(workers.map(async (worker) => ({ worker, begun: await worker.said(line) })));
        }),
      );
      const killed = owners[0]!.worker;
      await killed.kill();
      for (const worker of workers) if (worker !== killed) worker.open("*");
      for (const runId of runs) {
        expect(await result(under.client, runId)).toEqual([
          ["a", "b"].map((each, index) => [
            `did fan.${index}/hold-${runId}-${each}`,
            `did fan.${index}/${runId}-${each}`,
          ]),
          `did ${runId}-end`,
        ]);
      }
      const lines = await under.outside();
      for (const runId of runs) expect(counts(lines, "end")[`${runId}-end`]).toBe(1);
    });

    test("a worker that was stopped and wakes begins nothing that another one has begun", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "hold" }, { step: "after" }]);
      await first.said("begin hold");
      await first.pause();
      const second = await under.worker();
      if (under.isLeased) {
        await second.said("begin hold");
        second.open("*");
        expect(await result(under.client)).toEqual(["did hold", "did after"]);
      }
      first.open("*");
      await first.wake();
      if (under.isLeased) await first.said("problem run lost");
      expect(await result(under.client)).toEqual(["did hold", "did after"]);
      expect(counts(await under.outside(), "begin")).toEqual({ hold: under.isLeased ? 2 : 1, after: 1 });
    });

    test("a waiting run does not move between idle workers", async () => {
      await using under = await harness();
      const workers = [await under.worker(), await under.worker()];
      await start(under.client, [{ step: "plan" }, { wait: "approve" }]);
      await settled(under.client, ({ type }) => type === "wait-started");
      const before = await types(under.client.journal("run"));
      // A worker that can take these could have taken the waiting one as well.
      for (const runId of ["a", "b", "c", "d", "e"]) {
        await start(under.client, [{ step: runId }], runId);
        await result(under.client, runId);
      }
      expect(await types(under.client.journal("run"))).toEqual(before);
      for (const worker of workers) await worker.stop();
      const released = await types(under.client.journal("run"));
      await under.worker();
      await start(under.client, [{ step: "f" }], "f");
      await result(under.client, "f");
      if (under.isLeased) expect(await types(under.client.journal("run"))).toEqual(released);
      await under.client.signal("run", "approve", "yes");
      expect(await result(under.client)).toEqual(["did plan", "yes"]);
    });

    test("fifty waiting runs leave room for the next one in a worker with eight slots", async () => {
      await using under = await harness();
      await under.worker({ concurrency: 8 });
      const waiting = Array.from({ length: 50 }, (_, index) => `wait-${index}`);
      for (const runId of waiting) await start(under.client, [{ wait: "approve" }], runId);
      for (const runId of waiting) await settled(under.client, ({ type }) => type === "wait-started", runId);
      await start(under.client, [{ step: "quick" }], "quick");
      expect(await result(under.client, "quick")).toEqual(["did quick"]);
    });

    test("a signal reaches the branch of a fork that waits for it", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ fork: "fan", branches: [[{ step: "a" }], [{ wait: "ask" }, { step: "b" }]] }]);
      await settled(under.client, ({ type }) => type === "wait-started");
      await first.kill();
      expect(await under.client.signal("run", "fan.1/ask", "go")).toBe("kept");
      await under.worker();
      expect(await result(under.client)).toEqual([[["did fan.0/a"], ["go", "did fan.1/b"]]]);
    });

    test("cancelled after its owner was killed, it ends and nothing begins again", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "hold" }]);
      await first.said("begin hold");
      await first.kill();
      await under.client.cancel("run");
      await under.client.cancel("run");
      await under.worker();
      expect((await ended(under.client)).kind).toBe("cancelled");
      expect(await under.outside()).toEqual(["begin hold"]);
    });

    test("a value too large for a record is read by the next process and by others", async () => {
      await using under = await harness();
      const first = await under.worker();
      await start(under.client, [{ step: "big", bytes: 50_000 }, { step: "hold" }]);
      await first.said("begin hold");
      await first.kill();
      const second = await under.worker();
      second.open("*");
      expect(await result(under.client)).toEqual(["x".repeat(50_000), "did hold"]);
      expect(counts(await under.outside(), "begin")).toEqual({ big: 1, hold: 2 });
    });

    test("every raise counts, and the last one wins", async () => {
      await using under = await harness();
      await start(under.client, [{ step: "a" }, { step: "b" }, { step: "c" }], "run", { steps: 1 });
      await under.worker();
      await settled(under.client, ({ type }) => type === "budget-exceeded");
      await under.client.raise("run", { steps: 2 });
      await under.client.raise("run", { steps: 9 });
      expect(await result(under.client)).toEqual(["did a", "did b", "did c"]);
      const raised = (await types(under.client.journal("run"))).filter((type) => type === "budget-set");
      expect(raised).toHaveLength(2);
    });

    test("all runs are listed, the newest first, with what they are at", async () => {
      await using under = await harness();
      const worker = await under.worker();
      await start(under.client, [{ wait: "approve" }], "waits");
      await settled(under.client, ({ type }) => type === "wait-started", "waits");
      await start(under.client, [{ step: "quick" }], "ends");
      await result(under.client, "ends");
      await start(under.client, [{ step: "hold" }], "works");
      await worker.said("begin hold");
      const listed = async () =>
        Object.fromEntries((await under.client.list()).map(({ runId, status }) => [runId, status.kind]));
      expect(await listed()).toEqual({ works: "running", ends: "done", waits: "waiting" });
      await worker.kill();
      await under.client.journal("works", { follow: true })[Symbol.asyncIterator]().next();
      await types(under.client.journal("works", { follow: true })); // until its owner is known to be dead
      expect(await listed()).toEqual({ works: "interrupted", ends: "done", waits: "interrupted" });
      const { removed } = await under.client.prune({ maxBytes: 0 });
      expect(removed).toEqual(["ends"]);
    });
  });
}
