import { describe, expect, test } from "bun:test";
import { decide } from "../../src/run/decide.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import type { PhaseName } from "../../src/run/phase-name.ts";
import { whyStuck } from "../../src/run/stuck.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { type RunScenario, type RunStart, root, SimulatedRun } from "./simulated-run.ts";

function at(phase: PhaseName, opening: RunStart = {}, scenario: RunScenario = {}): SimulatedRun {
  const run = new SimulatedRun(opening, scenario);
  while (run.state.phase !== phase) if (!run.step()) run.person(persons.approve);
  return run;
}

let sessions = 0;

/** An agent that is sent and does what it is told to do here; then the plugin looks, as it does in OpenCode. */
function send(run: SimulatedRun, agent: string, work: () => void = () => undefined, outcome: Outcome = "idle"): void {
  sessions += 1;
  const session = `ses_again_${sessions}`;
  run.plugin({ type: "session-joined", session, parent: root, agent, depth: 1 });
  work();
  run.plugin({ type: "session-ended", session, outcome });
  const detail = whyStuck(run.state);
  if (detail !== undefined) run.plugin({ type: "paused", reason: "stuck", detail });
}

type Outcome = "idle" | "error" | "lost";

const tests = (run: SimulatedRun, failed: number) => {
  const counts = { passed: 9 - failed, failed, skipped: 0 };
  const exit = { kind: "code", code: failed } as const;
  const evidence = { argv: ["npm", "test"], tree: run.state.tree!, exit, counts, ms: 1, outputHash: "" };
  run.plugin({ type: "tests-ran", evidence });
};

describe("a false alarm in a review", () => {
  const stuck = () => {
    const run = at("review-fixes", {}, { codeRounds: 1 });
    send(run, "developer");
    expect(run.state.status.kind).toBe("running");
    send(run, "developer");
    return run;
  };

  test("stops the run after two delegations that changed nothing, with what helps", () => {
    const { state } = stuck();
    expect(state.status).toMatchObject({ kind: "paused", reason: "stuck" });
    const words = stepWords(state);
    for (const part of [
      "a change to the project's files",
      "`/waive pass_or_fix <reason>`",
      "`/reject <what to change>`",
    ])
      expect(words).toContain(part);
    expect(words).toContain("src/a.ts:3 wrong");
    const args = { subagent_type: "developer" };
    const call = { tool: "task", args, session: root, agent: "orchestrator", isChild: false, depth: 0, at: 0 };
    expect(decide(state, call)).toMatchObject({ do: "refuse", gate: "paused" });
  });

  test("is settled by the user, who leaves the findings as they are: the run continues after the review", () => {
    const run = stuck();
    run.person((state, act) => persons.waive(state, act, { gate: "pass_or_fix", why: "a false alarm" }));
    expect(run.state).toMatchObject({ status: { kind: "running" }, phase: "testing" });
  });

  test("is settled by the user, who explains what to change", () => {
    const run = stuck();
    run.person((state, act) => persons.reject(state, act, { notes: "line 3", to: "review-fixes" }));
    expect(run.state).toMatchObject({ status: { kind: "running" }, phase: "review-fixes" });
    send(run, "developer");
    expect(run.state.status.kind).toBe("running");
  });

  test("can be tried again, and asks again", () => {
    const run = stuck();
    run.person(persons.resume);
    expect(nextStep(run.state).do).toBe("work");
    send(run, "developer");
    expect(run.state.status.kind).toBe("running");
    send(run, "developer");
    expect(run.state.status).toMatchObject({ kind: "paused", reason: "stuck" });
  });
});

test("progress is anything new: fewer failing tests, another file, another vote", () => {
  const run = at("testing", { options: { maxIterations: 2 } });
  run.plugin({ type: "artifact-seen", path: "testing-report.md", hash: "h", bytes: 1 });
  for (const failed of [5, 4, 3, 2, 1]) {
    send(run, "tester", () => tests(run, failed));
    send(run, "developer", () => run.plugin({ type: "tree-seen", tree: `with ${failed}` }));
  }
  expect(run.state.status.kind).toBe("running");
});

test("repairs that never repair anything stop the run as well, after the rounds that checks get", () => {
  const run = at("testing", { options: { maxIterations: 2 } });
  run.plugin({ type: "artifact-seen", path: "testing-report.md", hash: "h", bytes: 1 });
  let repairs = 0;
  while (run.state.status.kind === "running" && repairs < 20) {
    send(run, "tester", () => tests(run, 2));
    if (run.state.status.kind !== "running") break;
    repairs += 1;
    send(run, "developer", () => run.plugin({ type: "tree-seen", tree: `repair ${repairs}` }));
  }
  expect([run.state.status, repairs]).toMatchObject([{ kind: "paused", reason: "stuck" }, 2]);
});

test("agents that work at the same time are one attempt, and questions and crashes are none", () => {
  const run = at("implementation", { workflow: "MIXED" });
  run.plugin({ type: "session-joined", session: "ses_a", parent: root, agent: "developer", depth: 1 });
  run.plugin({ type: "session-joined", session: "ses_b", parent: root, agent: "backend", depth: 1 });
  run.plugin({ type: "session-ended", session: "ses_a", outcome: "idle" });
  run.plugin({ type: "session-ended", session: "ses_b", outcome: "idle" });
  for (let times = 0; times < 4; times++) send(run, "explorer");
  for (let times = 0; times < 4; times++) send(run, "developer", undefined, "lost");
  expect(run.state.status.kind).toBe("running");
  send(run, "developer", undefined, "error");
  expect(run.state.status).toMatchObject({ kind: "paused", reason: "stuck" });
});

describe("an orchestrator that sends no agent to work", () => {
  const stuckAfter = (run: SimulatedRun, ask: () => void) => {
    for (let times = 1; times <= 20; times++) {
      ask();
      const why = whyStuck(run.state);
      if (why !== undefined) return { times, why };
    }
    return undefined;
  };

  test("is stopped when it only asks for the next step", () => {
    const run = at("implementation");
    expect(stuckAfter(run, () => run.ready())).toEqual({
      times: 8,
      why: "Implementation still lacks a change to the project's files, and no agent was sent to change that: the orchestrator only asked, 8 times in a row",
    });
    expect(run.state.phase).toBe("implementation");
  });

  test("is stopped when it only asks the explorer, also between its other questions", () => {
    const explore = (run: SimulatedRun) => {
      sessions += 1;
      const session = `ses_again_${sessions}`;
      run.plugin({ type: "session-joined", session, parent: root, agent: "explorer", depth: 1 });
      run.plugin({ type: "session-ended", session, outcome: "idle" });
    };
    const exploring = at("implementation");
    expect(stuckAfter(exploring, () => explore(exploring))?.times).toBe(8);
    const asking = at("implementation");
    const both = () => {
      explore(asking);
      asking.ready();
    };
    expect(stuckAfter(asking, both)?.times).toBe(4);
  });

  test("may ask while an agent works, while it waits for you, and when something has changed", () => {
    const busy = at("implementation");
    busy.plugin({ type: "session-joined", session: "ses_busy", parent: root, agent: "developer", depth: 1 });
    expect(stuckAfter(busy, () => busy.ready())).toBeUndefined();

    const waiting = new SimulatedRun();
    while (waiting.step());
    expect(stuckAfter(waiting, () => waiting.ready())).toBeUndefined();

    const changing = at("testing");
    let trees = 0;
    const change = () => {
      trees += 1;
      changing.plugin({ type: "tree-seen", tree: `tree ${trees}` });
      changing.ready();
    };
    expect(stuckAfter(changing, change)).toBeUndefined();
  });
});

test("a reviewer that only abstains is asked twice, then the user is", () => {
  const run = at("code-review");
  run.plugin({ type: "artifact-seen", path: "reviews/code-review/a.md", hash: "h", bytes: 1 });
  for (let times = 0; times < 3; times++) {
    send(run, "reviewer", () => {
      const session = `ses_again_${sessions}`;
      const by = { kind: "agent", agent: "reviewer", session } as const;
      run.emit({ type: "review-submitted", at: run.state.at, by, submission: { abstains: "no time" } });
    });
    if (run.state.status.kind === "paused") break;
  }
  expect(run.state.votes.filter(({ phase }) => phase === "code-review")).toHaveLength(3);
  expect(stepWords(run.state)).toContain("`/waive all_reviewers_approve <reason>`");
});

describe("a waiver releases what it names", () => {
  test("the test that must fail first: then the change is built, and its tests must still pass", () => {
    const run = at("implementation", { workflow: "API_FOCUSED" });
    const write = { tool: "write", args: { filePath: "src/a.ts" }, session: "ses_1", agent: "backend", isChild: true };
    const refused = decide(run.state, { ...write, depth: 1, at: 0 });
    if (refused.do === "allow") throw new Error("allowed");
    const gate = /\/waive (\w+) /.exec(refused.waive)?.[1];
    expect(gate).toBe("red_test");
    run.plugin({ type: "tree-seen", tree: "with a test" });
    run.person((state, act) => persons.waive(state, act, { gate: gate as "red_test", why: "a prototype" }));
    expect(run.state.phase).toBe("implementation");
    expect(decide(run.state, { ...write, depth: 1, at: 0 }).do).toBe("allow");
    run.ready();
    expect(nextStep(run.state)).toMatchObject({ do: "work", missing: [{ gate: "all_tests_pass" }] });
  });

  test("the tests: the phase is over when the orchestrator says that the rest is done", () => {
    const run = at("implementation", { workflow: "API_FOCUSED" });
    run.plugin({ type: "tree-seen", tree: "with a test" });
    tests(run, 1);
    run.person((state, act) => persons.waive(state, act, { gate: "all_tests_pass", why: "flaky" }));
    expect(run.state.phase).toBe("implementation");
    run.ready();
    expect(run.state.phase).toBe("code-review");
  });
});
