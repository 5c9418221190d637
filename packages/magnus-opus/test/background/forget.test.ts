import { expect, test } from "bun:test";
import { advance } from "../../src/background/advance.ts";
import type { BackgroundEvent } from "../../src/background/event.ts";
import { type BackgroundRecord, stateOf } from "../../src/background/records.ts";
import { type BackgroundLimits, type BackgroundState, defaultLimits, nothingYet } from "../../src/background/task.ts";

const limits: BackgroundLimits = { ...defaultLimits, kept: 2, depth: 2 };
const names = { agent: "explorer", description: "look", model: "p/x", after: "", turn: 1 };

/** The state after these events, and the journal. */
function after(...events: readonly BackgroundEvent[]): { state: BackgroundState; journal: BackgroundRecord[] } {
  let state = nothingYet;
  const journal: BackgroundRecord[] = [];
  for (const event of events) {
    const step = advance(state, event, limits);
    state = step.state;
    journal.push(...step.records);
  }
  return { state, journal };
}

const minute = 60_000;
const launch = (id: string, at: number, parent = "root"): BackgroundEvent => ({
  ...{ type: "launched", at, isAwaited: false },
  task: { ...names, id, parent, root: "root", depth: parent === "root" ? 1 : 2 },
});
/** Launched, ended and delivered within a second. */
const whole = (id: string, at: number): BackgroundEvent[] => [
  launch(id, at),
  { type: "busy", session: id, at: at + 10 },
  { type: "idle", session: id, at: at + 20 },
  {
    type: "looked",
    id,
    turn: 1,
    found: { kind: "ended", isAnswered: true, text: `of ${id}`, openTodos: 0 },
    at: at + 30,
  },
  { type: "handed", parent: "root", delivery: `call ${id}`, tasks: [id], at: at + 40 },
  { type: "arrived", delivery: `call ${id}`, at: at + 50 },
];
const later = (at: number): BackgroundEvent[] => [0, 1].map((ms) => ({ type: "time-passed", at: at + ms }));

test("of the tasks that have ended and were delivered, the newest stay in memory; the journal has all", () => {
  const { state, journal } = after(
    ...["a", "b", "c", "d"].flatMap((id, at) => whole(id, at * 1_000)),
    ...later(2 * minute),
  );
  expect([...state.tasks.keys()]).toEqual(["c", "d"]);
  const outcomes = [...stateOf(journal, limits).tasks.values()].map(
    ({ stage }) => stage.kind === "over" && stage.outcome,
  );
  expect(outcomes).toEqual(["a", "b", "c", "d"].map((id) => ({ kind: "completed", text: `of ${id}`, openTodos: 0 })));
});

test("what was not delivered, has not ended, or has ended just now stays", () => {
  const undelivered = whole("a", 0).slice(0, 4);
  const { state } = after(
    ...undelivered,
    launch("b", 0),
    ...["c", "d", "e"].flatMap((id) => whole(id, minute)),
    ...later(minute + 100),
  );
  expect([...state.tasks.keys()]).toEqual(["a", "b", "c", "d", "e"]);
});

test("a task stays as long as one that it has launched", () => {
  const nested = [
    launch("a", 0),
    launch("below", 1, "a"),
    { type: "cancelled", id: "a", why: "enough", at: 2 },
  ] as const;
  const given = [
    { type: "handed", parent: "root", delivery: "call a", tasks: ["a"], at: 3 },
    { type: "arrived", delivery: "call a", at: 4 },
  ] as const;
  const { state } = after(...nested, ...given, ...whole("c", 10), ...whole("d", 20), ...later(2 * minute));
  expect([...state.tasks.keys()]).toEqual(["c", "d"]);
  const some = after(...nested, ...given, ...whole("c", 10), ...later(2 * minute));
  expect([...some.state.tasks.keys()]).toEqual(["a", "c"]);
});

test("of a deleted session nothing stays", () => {
  const { state } = after(
    ...whole("a", 0),
    launch("b", 0),
    { type: "deleted", session: "root", at: 1_000 },
    ...later(2 * minute),
  );
  expect([state.tasks.size, state.parents.size]).toEqual([0, 0]);
});

test("a forgotten task can be resumed: its next turn continues from the journal", () => {
  const four = ["a", "b", "c", "d"].flatMap((id, at) => whole(id, at * 1_000));
  const resumed = {
    ...launch("a", 3 * minute),
    task: { ...names, id: "a", turn: 2, parent: "root", root: "root", depth: 1 },
  };
  const { state, journal } = after(...four, ...later(2 * minute), resumed as BackgroundEvent);
  expect(state.tasks.get("a")).toMatchObject({ turn: 2, stage: { kind: "starting" } });
  expect(stateOf(journal, limits).tasks.get("a")).toMatchObject({ turn: 2, stage: { kind: "queued" } });
});
