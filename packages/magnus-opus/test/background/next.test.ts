import { describe, expect, test } from "bun:test";
import { advance } from "../../src/background/advance.ts";
import { nextActions, whyNotLaunch } from "../../src/background/next.ts";
import { type BackgroundLimits, type BackgroundState, defaultLimits, nothingYet } from "../../src/background/task.ts";

const limits: BackgroundLimits = { ...defaultLimits, perModel: 2, perRoot: 3, open: 4 };

/** Launches tasks in this order, each as `parent model`. */
function launched(tasks: readonly string[], allowed = limits): { state: BackgroundState; started: string[] } {
  let state = nothingYet;
  const started: string[] = [];
  for (const [index, each] of tasks.entries()) {
    const [parent = "", model = ""] = each.split(" ");
    const names = { agent: "explorer", description: "look", model };
    const task = { id: `ses_${index}`, turn: 1, parent, root: parent, depth: 1, after: "", ...names };
    const step = advance(state, { type: "launched", task, isAwaited: false, at: index }, allowed);
    state = step.state;
    started.push(...step.actions.flatMap((action) => (action.do === "start" ? [action.id] : [])));
  }
  return { state, started };
}

test("no more tasks work at once than the model, the provider and the session have slots", () => {
  expect(launched(["a p/x", "a p/x", "a p/x"]).started).toEqual(["ses_0", "ses_1"]);
  expect(launched(["a p/x", "a p/y", "a q/x", "a q/y"]).started).toEqual(["ses_0", "ses_1", "ses_2"]);
  const few = { ...limits, slots: { p: 1, "q/x": 3 } };
  expect(launched(["a p/x", "a p/y", "b q/x", "b q/x", "b q/x"], few).started).toEqual([
    "ses_0",
    "ses_2",
    "ses_3",
    "ses_4",
  ]);
});

test("a free slot goes to the parent with the least work, not to the one that asked first", () => {
  const { state } = launched(["a p/x", "a p/x", "a p/x", "a p/x", "b p/x"]);
  const ended = advance(state, { type: "cancelled", id: "ses_0", why: "enough", at: 9 }, limits);
  expect(ended.actions).toContainEqual({ do: "start", id: "ses_4", turn: 1 });
  expect(nextActions(ended.state, limits)).toEqual([]);
});

test.each([
  [6_000, "6 s"],
  [15 * 60_000, "15 min"],
])("a task that is silent for %d ms is given up, and the time is named", (silenceMs, time) => {
  const brief = { ...limits, silenceMs };
  let { state } = launched(["a p/x"], brief);
  state = advance(state, { type: "time-passed", at: silenceMs }, brief).state;
  state = advance(state, { type: "looked", id: "ses_0", turn: 1, found: { kind: "busy" }, at: silenceMs }, brief).state;
  const outcome = { kind: "timed-out", why: `nothing was heard from it for ${time}` };
  expect(state.tasks.get("ses_0")?.stage).toMatchObject({ kind: "over", outcome });
});

describe("a launch is refused", () => {
  test("when too many tasks are open, or it would be nested too deep, with the setting that would allow it", () => {
    const { state } = launched(["a p/x", "a p/x", "a p/x", "a p/x"]);
    const full = whyNotLaunch(state, limits, { root: "a", depth: 1 });
    expect(full).toBe(
      "4 of 4 tasks are already open (`background.open` in the settings); wait for one to end or cancel one",
    );
    expect(whyNotLaunch(state, limits, { root: "b", depth: 1 })).toBeUndefined();
    const one = whyNotLaunch(launched(["a p/x"]).state, { ...limits, open: 1 }, { root: "a", depth: 1 });
    expect(one).toStartWith("1 of 1 task is already open");
    expect(whyNotLaunch(state, limits, { root: "b", depth: 2 })).toContain("at most 1 deep (`background.depth`");
  });
});
