import { expect, test } from "bun:test";
import type { MagnusEvent } from "../../src/run/event.ts";
import { summaryOf, type Timeline, timelineOf } from "../../src/timeline/timeline.ts";
import { plugin, root, startEvent } from "../run/simulated-run.ts";
import { eventfulRun, waitingRun } from "./eventful-run.ts";

function read(events: readonly MagnusEvent[]): Timeline {
  const timeline = timelineOf(events);
  if (timeline === undefined) throw new Error("These events do not belong to a run.");
  return timeline;
}

function usage(at: number, message: string, usd: number, session = "ses_1"): MagnusEvent {
  return { type: "usage-seen", at, by: plugin, message, session, usd, tokens: 100 * usd };
}

const joined: MagnusEvent = {
  type: "session-joined",
  at: 10,
  by: plugin,
  session: "ses_1",
  parent: root,
  agent: "explorer",
  depth: 1,
};

test("the phases' costs add up to the run's cost", () => {
  const { stays, state, costs } = read(eventfulRun());
  const sum = stays.reduce((total, { usd }) => total + usd, 0);
  expect(sum).toBeCloseTo(state.spent.run.usd);
  expect(costs.at(-1)!.usd).toBeCloseTo(state.spent.run.usd);
});

test("the stays follow each other without a gap, from the beginning to the end", () => {
  const { stays, from, to } = read(eventfulRun());
  expect([stays[0]!.from, stays.at(-1)!.to]).toEqual([from, to]);
  for (const [at, stay] of stays.entries()) if (at > 0) expect(stay.from).toBe(stays[at - 1]!.to);
});

test("a message whose cost is reported again is counted once, for the run and for its session", () => {
  const { delegations, costs } = read([startEvent(), joined, usage(20, "m", 1), usage(30, "m", 3), usage(40, "n", 1)]);
  expect(costs.map(({ usd }) => usd)).toEqual([1, 3, 4]);
  expect(delegations).toMatchObject([{ session: "ses_1", agent: "explorer", usd: 4, tokens: 400, outcome: "open" }]);
});

test("a resumed session is one delegation, and a session that never joined is not one", () => {
  const ended: MagnusEvent = { type: "session-ended", at: 20, by: plugin, session: "ses_1", outcome: "error" };
  const again = { ...joined, at: 30 };
  const { delegations } = read([
    startEvent(),
    joined,
    ended,
    again,
    { ...ended, at: 50, outcome: "idle" },
    usage(60, "x", 1, "other"),
  ]);
  expect(delegations).toMatchObject([{ from: 10, to: 50, outcome: "idle", usd: 0 }]);
});

test("time spent waiting for the user is shown separately", () => {
  const { stays } = read(eventfulRun());
  const waited = stays.filter(({ waitedMs }) => waitedMs > 0).map(({ phase, number }) => `${phase} ${number}`);
  expect(waited).toEqual(["plan-review 2", "plan-review 3", "code-review 1", "code-review 4", "acceptance 1"]);
});

test("an event that was ignored is marked, and changes neither phases nor delegations", () => {
  const before = read(waitingRun());
  const forged: MagnusEvent = {
    type: "approved",
    at: before.to,
    by: { kind: "person", how: "shell" },
    phase: "acceptance",
    subject: "x",
  };
  const after = read([...waitingRun(), forged]);
  expect(after.entries.at(-1)).toMatchObject({ isIgnored: true, isPerson: true, what: "approved acceptance" });
  expect(after.stays).toEqual(before.stays);
});

test("the summary shows the run's status and what to know before approving", () => {
  const done = summaryOf(read(eventfulRun()));
  expect([done.status, done.tone]).toEqual(["done", "good"]);
  expect(Object.fromEntries(done.facts)).toMatchObject({
    run: "implement, MIXED",
    refusals: "4",
    time: "14h 46m (14h 1m waiting for the user)",
  });
  const accepted = eventfulRun().findLastIndex(({ type }) => type === "approved");
  const waiting = summaryOf(read(eventfulRun().slice(0, accepted)));
  expect(waiting.concerns[0]).toStartWith("all_reviewers_approve was waived in code-review: the reviewer is wrong");
});

test.each([
  [
    { type: "paused", at: 5, by: plugin, reason: "error", detail: "no disk" },
    "paused in requirements (error): no disk",
    "warn",
  ],
  [{ type: "cancelled", at: 5, by: { kind: "person", how: "shell" }, why: "" }, "cancelled in requirements", "bad"],
] as const)("%o is its status", (event, status, tone) => {
  expect(summaryOf(read([startEvent(), event]))).toMatchObject({ status, tone });
});
