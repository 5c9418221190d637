import { describe, expect, test } from "bun:test";
import type { CriteriaLoopJson } from "../../src/graph/graph-json.ts";
import type { CriteriaVerdict, JudgeRequest } from "../../src/graph/services.ts";
import type { Json } from "../../src/run/json.ts";
import { criteriaLoopDecisions } from "../../src/tasks/criteria-loop-decisions.ts";
import { info } from "./tasks.ts";

function loop(more: Partial<CriteriaLoopJson> = {}): CriteriaLoopJson {
  return {
    kind: "criteria-loop",
    id: "L",
    nodes: [],
    maxIterations: 100,
    onIncomplete: "continue",
    signal: "COMPLETE",
    noProgressLimit: 3,
    ...more,
  };
}

type Turn = Partial<JudgeRequest> & { readonly files?: string };

/** The verdicts on iterations in a row, until the loop stops: how many there were, and why. */
async function judge(turns: readonly Turn[], more: Partial<CriteriaLoopJson> = {}): Promise<string> {
  let memo: Json = null;
  for (const [at, { files, ...turn }] of turns.entries()) {
    // Made anew each time, as after a crash: what has to be remembered is in the memo.
    const decisions = criteriaLoopDecisions({ folder: "/nowhere", fingerprint: async () => files });
    const request = { loop: loop(more), iteration: at + 1, elapsedMs: 0, usd: 0, memo, ...turn };
    const verdict: CriteriaVerdict = await decisions.judge(request, info(`r1/L#${at + 1}`));
    if (verdict.do === "stop") return `${verdict.complete ? "complete" : "stopped"} after ${at + 1}: ${verdict.reason}`;
    memo = JSON.parse(JSON.stringify(verdict.memo));
  }
  return "continues";
}

const failure = (message: string): Turn => ({ failure: { name: "Error", message } });
const said = (text: string, files?: string): Turn => ({ text, ...(files !== undefined && { files }) });

describe("a criteria loop", () => {
  test.each<[string, readonly Turn[], Partial<CriteriaLoopJson>, string]>([
    ["ends when the agent says so", [said("on it"), said("Done.\nCOMPLETE")], {}, "complete after 2: signal"],
    [
      "is complete even if time and money are gone at that moment",
      [{ ...said("COMPLETE"), elapsedMs: 9, usd: 9 }],
      { maxDurationMs: 1, maxCostUsd: 1 },
      "complete after 1: signal",
    ],
    [
      "ends when its time is over",
      [
        { ...said("a"), elapsedMs: 59 },
        { ...said("b"), elapsedMs: 60 },
      ],
      { maxDurationMs: 60 },
      "stopped after 2: max-duration",
    ],
    [
      "ends when its money is spent",
      [
        { ...said("a"), usd: 0.5 },
        { ...said("b"), usd: 1 },
      ],
      { maxCostUsd: 1 },
      "stopped after 2: max-cost",
    ],
    [
      "ends when the same failure comes again and again",
      [failure("tests fail"), failure("tests fail"), failure("tests fail")],
      {},
      "stopped after 3: no-progress: the same failure in the last 3 iterations: tests fail",
    ],
    [
      "knows a failure by more than its times and ids",
      [failure("exit 1 after 12.5s at 0f3acb2e9d (pid 7)"), failure("exit 1 after 9s at 77aa01bc34 (pid 81)")],
      { noProgressLimit: 2 },
      "stopped after 2: no-progress: the same failure in the last 2 iterations: exit 1 after 9s at 77aa01bc34 (pid 81)",
    ],
    [
      "continues while fewer tests fail each time",
      [38, 21, 9, 2].map((left, at) => ({ ...failure(`${left} of 40 tests fail`), files: `${at}` })),
      { noProgressLimit: 2 },
      "continues",
    ],
    [
      "continues while fewer tests fail, even if files are unknown",
      [38, 21, 9, 2].map((left) => failure(`${left} of 40 tests fail after ${left}.5s`)),
      { noProgressLimit: 2 },
      "continues",
    ],
    [
      "knows a failure by more than its hours",
      [failure("no disk at 2026-01-02T03:04:05.678Z"), failure("no disk at 2026-01-02T11:12:13Z")],
      { noProgressLimit: 2 },
      "stopped after 2: no-progress: the same failure in the last 2 iterations: no disk at 2026-01-02T11:12:13Z",
    ],
    [
      "ends at the same failure even if files change: the diagnosis is wrong",
      [
        { ...failure("x"), files: "1" },
        { ...failure("x"), files: "2" },
      ],
      { noProgressLimit: 2 },
      "stopped after 2: no-progress: the same failure in the last 2 iterations: x",
    ],
    [
      "continues after different failures",
      [failure("a"), failure("b"), failure("c"), failure("a"), failure("b")],
      {},
      "continues",
    ],
    [
      "continues if a failure is followed by something else",
      [failure("a"), failure("a"), said("ok"), failure("a"), failure("a")],
      {},
      "continues",
    ],
    [
      "ends when no file changes, whatever is said",
      [said("a", "1"), said("b", "2"), said("c", "2"), said("d", "2")],
      {},
      "stopped after 4: no-progress: no files changed in the last 3 iterations",
    ],
    [
      "continues as long as files change, even if the words do not",
      [said("ok", "1"), said("ok", "2"), said("ok", "3"), said("ok", "4")],
      {},
      "continues",
    ],
    [
      "compares what is said if nothing is known of files",
      [said("Still  working"), said("Still working\n"), said("Still working")],
      {},
      "stopped after 3: no-progress: the same answer in the last 3 iterations: Still working",
    ],
    [
      "ends when nothing is said at all",
      [{}, {}, {}],
      {},
      "stopped after 3: no-progress: no answer in the last 3 iterations",
    ],
    [
      "continues forever without signs of progress, if configured to",
      Array.from({ length: 20 }, () => said("x", "1")),
      { noProgressLimit: 0 },
      "continues",
    ],
    [
      "ends if only its cost could end it and the cost is unknown",
      ["a", "b", "c", "d", "e"].map((text) => said(text)),
      { maxIterations: 0, maxCostUsd: 5 },
      "stopped after 5: the cost of 5 iterations is unknown, and maxCostUsd is the loop's only limit",
    ],
    [
      "continues if costs are reported",
      ["a", "b", "c", "d", "e"].map((text) => ({ ...said(text), usd: 0.1 })),
      { maxIterations: 0, maxCostUsd: 5 },
      "continues",
    ],
  ])("%s", async (_name, turns, more, expected) => {
    expect(await judge(turns, more)).toBe(expected);
  });

  test("without any bound is refused", async () => {
    await expect(judge([said("a")], { maxIterations: 0 })).rejects.toThrow(
      'The loop "L" may never end: maxIterations 0 means no limit. Add maxDurationMs or maxCostUsd.',
    );
  });
});
