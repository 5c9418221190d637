import { describe, expect, test } from "bun:test";
import type { RatioClaim } from "../harness/bench.ts";
import type { Sample } from "../harness/sample.ts";
import { summarize, type Verdict } from "../harness/summary.ts";
import { group, sample } from "./figures.ts";

test("the baseline has no ratio, the others have one paired by round", () => {
  const rows = summarize(group(["peer", "mine"]), [
    [sample(10), sample(100)],
    [sample(20), sample(300)],
  ]).rows;
  expect(rows[0]!.wallRatio).toBeUndefined();
  expect(rows[1]!.wallRatio).toEqual({ median: 2.5, min: 2, max: 3 });
});

test("wall, CPU and memory are summed up each on its own", () => {
  const samples = [sample(10, { cpuMs: 30, rssBytes: 5e6 }), sample(20, { cpuMs: 10, rssBytes: 7e6 })];
  expect(summarize(group(["one"]), [samples]).rows[0]).toMatchObject({
    wallMs: { median: 15, min: 10, max: 20 },
    cpuMs: { median: 20, min: 10, max: 30 },
    rssBytes: { median: 6e6, min: 5e6, max: 7e6 },
    byRound: { wall: [10, 20], cpu: [30, 10], rss: [5e6, 7e6] },
  });
});

test("one round with an upper bound makes the memory of the row an upper bound", () => {
  const samples = [sample(1), sample(1, { rssAtMost: true })];
  expect(summarize(group(["one"]), [samples]).rows[0]!.rssAtMost).toBe(true);
});

describe("a claim", () => {
  function judge(claim: Omit<RatioClaim, "of">, own: Sample[], other: Sample[]): Verdict {
    const peer = { name: "peer", run: () => undefined };
    const mine = { name: "mine", run: () => undefined, expectRatio: { of: "peer", ...claim } };
    return summarize(group(["peer"], { contestants: [peer, mine] }), [other, own]).verdicts[0]!;
  }

  test.each([
    [2, true],
    [3, true],
    [1.99, false],
  ])("of at most %p× about a ratio of 2 holds: %p", (atMost, holds) => {
    expect(judge({ atMost }, [sample(4)], [sample(2)]).holds).toBe(holds);
  });

  test("can be about CPU", () => {
    const verdict = judge({ atMost: 1, metric: "cpu" }, [sample(9, { cpuMs: 1 })], [sample(1, { cpuMs: 2 })]);
    expect(verdict).toEqual({
      claim: "cpu of mine is at most 1× that of peer",
      measured: { median: 0.5, min: 0.5, max: 0.5 },
      holds: true,
    });
  });

  test("can be one of several, and each is judged", () => {
    const claims = [{ of: "peer", atMost: 2 }, { of: "peer", atMost: 2, metric: "cpu" } as const];
    const mine = { name: "mine", run: () => undefined, expectRatio: claims };
    const peer = { name: "peer", run: () => undefined };
    const both = group(["peer"], { contestants: [peer, mine] });
    const { verdicts } = summarize(both, [[sample(1, { cpuMs: 1 })], [sample(1, { cpuMs: 3 })]]);
    expect(verdicts.map(({ holds }) => holds)).toEqual([true, false]);
  });

  test("about memory does not hold when the peer's memory is only known to be below a bound", () => {
    const verdict = judge({ atMost: 1, metric: "rss" }, [sample(1)], [sample(1, { rssAtMost: true })]);
    expect(verdict).toMatchObject({ measured: undefined, holds: false });
  });

  test("may rest on its own memory being below a bound", () => {
    const verdict = judge({ atMost: 1, metric: "rss" }, [sample(1, { rssAtMost: true })], [sample(1)]);
    expect(verdict.holds).toBe(true);
  });
});
