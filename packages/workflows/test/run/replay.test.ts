import { describe, expect, test } from "bun:test";
import type { JournalEntry, RunEvent, RunEventBody } from "../../src/run/events.ts";
import { replay, runFold } from "../../src/run/replay.ts";

const created: RunEventBody = {
  type: "run-created",
  version: 1,
  runId: "run",
  interpreter: "1",
  graph: { nodes: [] },
  input: "x",
  budget: { usd: 5 },
  name: "ralph",
};
const owner = { pid: 7, host: "here" };
const claimed: RunEventBody = { type: "run-claimed", owner, durability: "step" };
const began: RunEventBody = { type: "step-started", key: "a", attempt: 1 };
const asked: RunEventBody = { type: "wait-started", key: "a?1", step: "a", about: "Sure?" };
const finished: RunEventBody = { type: "step-finished", key: "a", attempt: 1, result: { value: 1 }, ms: 5 };

function journal(...bodies: RunEventBody[]): JournalEntry[] {
  return bodies.map((body, index) => ({ n: index + 1, event: { ...body, at: 1000 + index } as RunEvent }));
}

const state = (...bodies: RunEventBody[]) => replay(journal(created, ...bodies))!;

describe("status", () => {
  test.each<[string, RunEventBody[], object]>([
    ["of a new run", [], { kind: "pending" }],
    ["once it is claimed", [claimed], { kind: "running", owner }],
    ["while a step runs", [claimed, began], { kind: "running", owner }],
    ["given back", [claimed, began, { type: "run-released" }], { kind: "pending" }],
    [
      "while it sleeps",
      [claimed, { type: "sleep-started", key: "s", ms: 5, until: 9 }],
      { kind: "waiting", owner, for: [{ kind: "date", key: "s", until: 9 }] },
    ],
    [
      "while another branch still runs",
      [claimed, { type: "wait-started", key: "w" }, began],
      { kind: "running", owner },
    ],
    [
      "while its only step asks",
      [claimed, began, asked],
      { kind: "waiting", owner, for: [{ kind: "signal", key: "a?1", step: "a", about: "Sure?" }] },
    ],
    [
      "between two attempts",
      [
        claimed,
        began,
        { type: "step-failed", key: "a", attempt: 1, error: { name: "E", message: "m" }, ms: 1, retryAt: 99 },
      ],
      { kind: "waiting", owner, for: [{ kind: "date", key: "a", until: 99 }] },
    ],
    [
      "paused",
      [claimed, { type: "run-paused", key: "a", reason: "429", ms: 10, until: 50 }],
      { kind: "paused", reason: "429", until: 50, ms: 10 },
    ],
    [
      "after a pause",
      [claimed, { type: "run-paused", key: "a", reason: "429", ms: 10, until: 50 }, { type: "run-resumed" }],
      { kind: "running", owner },
    ],
    ["about to be cancelled", [claimed, { type: "run-cancel-requested", inbox: 1 }], { kind: "cancelling" }],
    ["cancelled", [claimed, { type: "run-ended", outcome: { kind: "cancelled" } }], { kind: "cancelled", at: 1002 }],
    [
      "done",
      [claimed, { type: "run-ended", outcome: { kind: "done", result: { value: 3 } } }],
      { kind: "done", result: { value: 3 }, at: 1002 },
    ],
  ])("%s", (_when, events, expected) => {
    expect(state(...events).status as object).toEqual(expected);
  });

  test("stopped for its budget, until that is raised", () => {
    const stopped: RunEventBody[] = [
      claimed,
      began,
      { type: "usage", key: "a", usage: { usd: 5 } },
      finished,
      { type: "budget-exceeded", exceeded: { limit: "usd", allowed: 5, spent: 5 } },
      { type: "run-released" },
    ];
    expect(state(...stopped).status).toMatchObject({ kind: "stopped", reason: "$5.00 of $5.00 used" });
    expect(state(...stopped, { type: "budget-set", budget: { usd: 6 }, inbox: 1 }).status).toEqual({ kind: "pending" });
  });
});

test("what a run has spent is the sum of its events", () => {
  const after = state(
    claimed,
    began,
    { type: "usage", key: "a", usage: { usd: 0.25, inputTokens: 10, outputTokens: 5 } },
    { type: "usage", key: "a", usage: { outputTokens: 5 } },
    { ...finished, busyMs: 40 } as RunEventBody,
    { type: "run-released", busyMs: 2 },
  );
  expect(after.spent).toEqual({ usd: 0.25, tokens: 20, wallMs: 42, steps: 1 });
});

test("an owner that did not release its run has died, and its steps with it", () => {
  const died = state(claimed, began, claimed);
  expect(died.calls.get("a")).toMatchObject({ phase: { kind: "interrupted" }, crashes: 1 });
  expect(died.claims).toBe(2);
  const left = state(claimed, began, { type: "run-released" }, claimed);
  expect(left.calls.get("a")).toMatchObject({ phase: { kind: "interrupted" }, crashes: 0 });
});

test("folding events one by one gives the same state as all at once", () => {
  const entries = journal(created, claimed, began, finished, { type: "run-ended", outcome: { kind: "cancelled" } });
  const fold = runFold();
  for (const [index, entry] of entries.entries()) {
    fold.take(entry);
    const { calls, ...rest } = replay(entries.slice(0, index + 1))!;
    expect([...fold.state!.calls]).toEqual([...calls]);
    expect(JSON.parse(JSON.stringify({ ...fold.state, calls: 0 }))).toEqual(
      JSON.parse(JSON.stringify({ ...rest, calls: 0 })),
    );
  }
});

test("an ended call can be forgotten, an open one cannot", () => {
  const fold = runFold();
  for (const entry of journal(created, claimed, began)) fold.take(entry);
  fold.forget("a");
  expect(fold.state?.calls.has("a")).toBe(true);
  fold.take({ n: 4, event: { ...finished, at: 1 } as RunEvent });
  fold.forget("a");
  expect(fold.state?.calls.has("a")).toBe(false);
});

describe("a record that cannot follow those before it is refused with its number:", () => {
  const ended: RunEventBody = { type: "run-ended", outcome: { kind: "cancelled" } };
  const fork: RunEventBody = { type: "fork-started", key: "f", branches: 1, join: "all" };
  const branch: RunEventBody = { type: "branch-ended", key: "f", index: 0, ending: { ok: true, result: { value: 1 } } };
  test.each<[string, RunEventBody[]]>([
    ["created twice", [created]],
    ["anything after the end", [ended, claimed]],
    ["a step that starts while it runs", [claimed, began, { ...began, attempt: 2 } as RunEventBody]],
    ["a step that starts after it has finished", [claimed, began, finished, { ...began, attempt: 2 } as RunEventBody]],
    [
      "an attempt that is left out",
      [claimed, { type: "run-released" }, claimed, began, claimed, { ...began, attempt: 3 } as RunEventBody],
    ],
    ["a step that finishes twice", [claimed, began, finished, finished]],
    ["another attempt that finishes", [claimed, began, { ...finished, attempt: 2 } as RunEventBody]],
    ["a sleep that ends without a beginning", [claimed, { type: "sleep-ended", key: "s" }]],
    [
      "a wait that ends with a signal that never arrived",
      [claimed, { type: "wait-started", key: "w" }, { type: "wait-ended", key: "w", ok: true }],
    ],
    [
      "a question of a step that does not run",
      [claimed, began, finished, { type: "wait-started", key: "a?1", step: "a" }],
    ],
    ["a question that is asked while it is open", [claimed, began, asked, asked]],
    [
      "a question that is asked again by another step",
      [
        claimed,
        began,
        asked,
        finished,
        { type: "step-started", key: "b", attempt: 1 },
        { ...asked, step: "b" } as never,
      ],
    ],
    ["a key of two kinds", [claimed, began, { type: "sleep-started", key: "a", ms: 1, until: 1 }]],
    ["a branch that ends twice", [claimed, fork, branch, branch]],
    ["a branch that there is not", [claimed, fork, { ...branch, index: 1 } as RunEventBody]],
    [
      "a message that is taken twice",
      [
        claimed,
        { type: "signal-received", key: "k", value: 1, inbox: 1 },
        { type: "signal-received", key: "k", value: 2, inbox: 1 },
      ],
    ],
    ["a run that is taken up again without having failed", [{ type: "run-reopened" }]],
    ["an unknown event", [{ type: "run-teleported" } as unknown as RunEventBody]],
    ["a value that is not an event", [null as unknown as RunEventBody]],
  ])("%s", (_what, events) => {
    const entries = journal(created, ...events);
    const last = entries.length;
    for (const entry of entries) if (entry.event.type === undefined) (entry as { event: unknown }).event = null;
    expect(() => replay(entries)).toThrow(new RegExp(`^Record ${last} of the journal`));
    expect(() => replay(entries.slice(0, -1))).not.toThrow();
  });

  test("a run that was never created", () => {
    expect(() => replay(journal(claimed))).toThrow(
      "Record 1 of the journal is a run-claimed event, but the run was never created",
    );
  });

  test("a journal of a newer format", () => {
    const newer = { ...created, version: 2 } as unknown as RunEventBody;
    expect(() => replay(journal(newer))).toThrow("has format 2, which is newer than this version");
  });
});

test("without events there is no run", () => {
  expect(replay([])).toBeUndefined();
});
