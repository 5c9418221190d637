// What agents may still do when a run has used up its budget, is paused, or has ended.
import { beforeAll, describe, expect, test } from "bun:test";
import type { Limits } from "../../src/run/budget.ts";
import { decide } from "../../src/run/decide.ts";
import * as persons from "../../src/run/person-actions.ts";
import { offerCommands } from "../../src/run/person-commands.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { at, bash, call, edit, gateOf, task, verdicts } from "./attempted-calls.ts";
import { anna, plugin, root, SimulatedRun, started } from "./simulated-run.ts";

beforeAll(() => offerCommands({ commands: "shell", update: "hugo update magnus-opus" }));

describe("what a run may cost", () => {
  const spend = (state: MagnusState, usd: number): MagnusState =>
    reduce(state, { type: "usage-seen", at: 1, by: plugin, message: "m", session: root, usd, tokens: 10 });

  test("over budget the run pauses, and continues once the user raises it", () => {
    const state = spend(at("implementation", "UI_FOCUSED", { budget: { run: { usd: 1, depth: 1 }, phases: {} } }), 1.2);
    expect(state.status).toMatchObject({
      kind: "paused",
      reason: "budget",
      detail: "the run has spent $1.22 of $1.00",
    });
    expect(
      verdicts(state, [edit("developer", "src/a.ts"), task("orchestrator", "developer"), call("developer", "read")]),
    ).toEqual([...["paused", "paused", "allow"]]);
    expect(persons.resume(state, { by: anna, at: 2 })).toMatchObject({
      ok: false,
      hint: expect.stringContaining("raise"),
    });
    const acted = persons.raiseBudget(state, { by: anna, at: 2 }, { run: { usd: 5 } });
    if (!acted.ok) throw new Error(acted.because);
    expect(reduce(state, acted.event).status.kind).toBe("running");
  });

  test("zero is also a limit", () => {
    const allowing = (run: Limits) => started({ options: { budget: { run, phases: {} } } });
    expect(allowing({ tokens: 0 }).status).toMatchObject({
      reason: "budget",
      detail: "the run has used 0 of 0 tokens",
    });
    expect(allowing({ ms: 0 }).status.kind).toBe("paused");
    expect(gateOf(decide(allowing({ sessions: 0 }), task("orchestrator", "explorer")))).toBe("budget");
    const noDollar = allowing({ usd: 0, depth: 1 });
    expect(gateOf(decide(noDollar, task("orchestrator", "explorer")))).toBe("allow");
    expect(spend(noDollar, 0).status.kind).toBe("running");
    expect(spend(noDollar, 0.001).status).toMatchObject({ kind: "paused", reason: "budget" });
  });

  test("an agent too deep to delegate learns how the user can allow more", () => {
    const refused = decide(at("implementation"), task("developer", "explorer"));
    expect(refused).toMatchObject({
      gate: "depth",
      satisfy: expect.stringContaining("`/magnus-raise depth=<amount>`"),
    });
  });

  test("one session too many is refused, and then the user decides", () => {
    const state = at("implementation", "UI_FOCUSED", {
      budget: { run: { sessions: 3, depth: 1 }, phases: { implementation: { sessions: 1 } } },
    });
    const joined = {
      type: "session-joined",
      at: 1,
      by: plugin,
      session: "s",
      parent: root,
      agent: "developer",
      depth: 1,
    } as const;
    const full = reduce(state, joined);
    const refused = decide(full, task("orchestrator", "developer"));
    expect(refused).toMatchObject({
      gate: "budget",
      satisfy: expect.stringContaining("magnus-opus raise impl-1 sessions="),
    });
    const event = {
      type: "call-refused",
      at: 1,
      by: plugin,
      session: root,
      agent: "orchestrator",
      tool: "task",
    } as const;
    const stopped = reduce(full, { ...event, gate: "budget", missing: "x" });
    expect(stopped.status).toMatchObject({ kind: "paused", reason: "budget" });
  });

  test("time counts while agents work, not while the user thinks or is away", () => {
    const run = new SimulatedRun({ options: { budget: { run: { ms: 3_600_000, depth: 1 }, phases: {} } } });
    while (run.step()) {
      // up to the first approval
    }
    const { ms } = run.state.spent.run;
    const thought = reduce(run.state, { type: "tree-seen", at: run.state.at + 900_000, by: plugin, tree: "tree-0" });
    expect(thought.spent.run.ms).toBe(ms);
    const building = at("implementation");
    const night = reduce(building, { type: "run-opened", at: building.at + 9e7, by: plugin });
    expect(night.spent.run.ms).toBe(building.spent.run.ms);
    const long = reduce(building, { type: "tree-seen", at: building.at + 9e7, by: plugin, tree: "x" });
    expect(long.spent.run.ms - building.spent.run.ms).toBe(15 * 60_000);
  });
});

test("a paused run is read-only, and says how the user can continue it", () => {
  const state = reduce(at("implementation"), {
    type: "paused",
    at: 1,
    by: plugin,
    reason: "abort",
    detail: "Esc was pressed",
  });
  const decision = decide(state, edit("developer", "src/a.ts"));
  expect(decision).toMatchObject({ gate: "paused", satisfy: expect.stringContaining("/magnus-resume") });
  expect(gateOf(decide(state, call("developer", "run_tests")))).toBe("paused");
  expect(gateOf(decide(state, bash("developer", "ls")))).toBe("allow");
});

test("after its end a run leaves the user's own agents alone and stops its own", () => {
  const state = at("cleanup");
  const acted = persons.cancel(state, { by: anna, at: 1 }, "enough");
  if (!acted.ok) throw new Error(acted.because);
  const over = reduce(state, acted.event);
  expect(
    verdicts(over, [edit("build", "src/a.ts"), edit("developer", "src/a.ts"), task("orchestrator", "developer")]),
  ).toEqual([...["allow", "finished", "finished"]]);
});
