import { describe, expect, test } from "bun:test";
import { tallyOf, unmetConditions } from "../../src/run/gates.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import type { PhaseName } from "../../src/run/phase-name.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import {
  anna,
  blocking,
  orchestrator,
  passing,
  plugin,
  type RunStart,
  SimulatedRun,
  started,
} from "./simulated-run.ts";

const act: persons.Act = { by: anna, at: 1_000_000 };

function at(phase: PhaseName, opening: RunStart = {}): SimulatedRun {
  const run = new SimulatedRun(opening, { codeRounds: 1, designRounds: 1 });
  while (run.state.phase !== phase) if (!run.step()) run.person(persons.approve);
  return run;
}

function after(state: MagnusState, acted: persons.Acted): MagnusState {
  if (!acted.ok) throw new Error(acted.because);
  return reduce(state, acted.event);
}

describe("an approval", () => {
  test("waits until there is something to approve", () => {
    expect(persons.approve(started(), act)).toMatchObject({ ok: false, because: "nothing is waiting for approval" });
    const { state } = at("architecture");
    expect(persons.approve(state, act)).toMatchObject({
      ok: false,
      because:
        "there is nothing to approve yet; the phase has not written implementation-plan.md and quick-reference.md",
    });
  });

  test("covers the plan the user saw: a plan that has changed since is not approved", () => {
    const run = at("architecture");
    run.step();
    const { state } = run;
    const acted = persons.approve(state, act);
    const changed = {
      type: "artifact-seen",
      at: 1,
      by: plugin,
      path: "implementation-plan.md",
      hash: "new",
      bytes: 9,
    } as const;
    const later = after(reduce(state, changed), acted);
    expect([later.phase, later.approvals, later.ignored]).toEqual(["plan-review", [], 1]);
  });

  test("of the result is void once the files change", () => {
    const run = at("acceptance");
    run.step();
    const before = { type: "tree-seen", at: 1, by: plugin, tree: "new" } as const;
    const later = after(reduce(run.state, before), persons.approve(run.state, act));
    expect([later.phase, later.status.kind]).toEqual(["acceptance", "running"]);
  });

  test("of the result needs tests that are as new as the files", () => {
    const run = at("acceptance", { workflow: "API_FOCUSED" });
    run.plugin({ type: "artifact-seen", path: "final-summary.md", hash: "h", bytes: 3 });
    run.plugin({ type: "tree-seen", tree: "changed-since" });
    const later = after(run.state, persons.approve(run.state, act));
    expect(later.phase).toBe("acceptance");
    const step = nextStep(later);
    expect(step).toMatchObject({ do: "work", missing: [{ what: "the files have changed since the tests ran" }] });
  });

  test("is not made twice", () => {
    const { state } = at("implementation");
    expect(persons.approve(state, act)).toMatchObject({ ok: false, because: "nothing is waiting for approval" });
  });
});

describe("a rejection", () => {
  test("of the plan brings the notes to the next step", () => {
    const run = at("architecture");
    run.step();
    const state = after(run.state, persons.reject(run.state, act, { notes: "without a new table" }));
    expect(nextStep(state)).toMatchObject({ do: "work", phase: "architecture", notes: "without a new table" });
  });

  test("of the result sends it back to be built, and all that follows is done again", () => {
    const run = at("acceptance");
    run.step();
    const state = after(run.state, persons.reject(run.state, act, { notes: "blue" }));
    expect([state.phase, state.approvals.map(({ phase }) => phase)]).toEqual(["implementation", ["architecture"]]);
    expect(nextStep(state)).toMatchObject({ missing: [{ what: "a change to the project's files" }] });
  });

  test("goes to the named phase, but not forward", () => {
    const { state } = at("code-review");
    expect(after(state, persons.reject(state, act, { notes: "", to: "architecture" })).phase).toBe("architecture");
    expect(persons.reject(state, act, { notes: "", to: "cleanup" })).toMatchObject({ ok: false });
  });

  test("back to the plan revokes its approval", () => {
    const { state } = at("code-review");
    const back = after(state, persons.reject(state, act, { notes: "", to: "architecture" }));
    expect(back.approvals).toEqual([]);
  });
});

describe("a waiver", () => {
  test("needs a reason, and is recorded with who and why", () => {
    const { state } = at("testing");
    expect(persons.waive(state, act, { gate: "phase", why: " " })).toMatchObject({
      ok: false,
      because: "a waiver needs a reason",
    });
    const later = after(state, persons.waive(state, act, { gate: "all_tests_pass", why: "no tests yet" }));
    expect(later.waivers).toMatchObject([{ gate: "all_tests_pass", phase: "testing", by: anna, why: "no tests yet" }]);
  });

  test("of the tests leaves the report to be written, and holds until the end", () => {
    const run = at("testing");
    run.person((state, who) => persons.waive(state, who, { gate: "all_tests_pass", why: "no tests yet" }));
    expect(run.state.phase).toBe("testing");
    run.plugin({ type: "artifact-seen", path: "testing-report.md", hash: "h", bytes: 3 });
    run.ready();
    expect(run.state.phase).toBe("acceptance");
    run.plugin({ type: "artifact-seen", path: "final-summary.md", hash: "h", bytes: 3 });
    run.plugin({ type: "tree-seen", tree: "another" });
    run.person(persons.approve);
    expect(run.state.phase).toBe("cleanup");
  });

  test("must name a gate of the phase", () => {
    const { state } = at("testing");
    expect(persons.waive(state, act, { gate: "all_reviewers_approve", why: "x" })).toMatchObject({ ok: false });
  });

  test("ends when the phase is left and entered again", () => {
    const run = at("code-review");
    run.person((state, who) => persons.waive(state, who, { gate: "phase", why: "later" }));
    run.person((state, who) => persons.reject(state, who, { notes: "", to: "implementation" }));
    run.step();
    while (run.state.phase !== "code-review") run.step();
    run.ready();
    expect(run.state.phase).toBe("code-review");
  });
});

test("a type is chosen before the plan, not later", () => {
  const unclear = started({ workflow: "UNCLEAR" });
  expect(persons.approve(unclear, act)).toMatchObject({ ok: false, hint: expect.stringContaining("/approve --type=") });
  expect(after(unclear, persons.chooseType(unclear, act, "API_FOCUSED")).workflow).toBe("API_FOCUSED");
  const { state } = at("architecture");
  expect(persons.chooseType(state, act, "MIXED")).toMatchObject({ ok: false });
});

test("a run that has ended accepts no more actions, and says so", () => {
  const state = after(started(), persons.cancel(started(), act, "enough"));
  const acts = [
    persons.approve(state, act),
    persons.resume(state, act),
    persons.cancel(state, act, ""),
    persons.waive(state, act, { gate: "phase", why: "x" }),
    persons.reject(state, act, { notes: "" }),
    persons.raiseBudget(state, act, { run: { usd: 1 } }),
    persons.chooseType(state, act, "MIXED"),
  ];
  for (const each of acts) expect(each).toMatchObject({ ok: false, because: "the run impl-1 is cancelled" });
});

test.each([{}, { run: { usd: 0 } }, { run: { usd: -1 } }, { phase: { ms: Number.NaN } }])(
  "%j raises nothing",
  (raise) => {
    expect(persons.raiseBudget(started(), act, raise)).toMatchObject({ ok: false });
  },
);

describe("who may report a phase as ready, or review", () => {
  const ready = { type: "phase-ready", at: 1, phase: "requirements" } as const;

  test("a phase is ready when the orchestrator in the root session says so, for this phase", () => {
    const state = started();
    expect(reduce(state, { ...ready, by: orchestrator }).phase).toBe("architecture");
    for (const by of [
      { ...orchestrator, agent: "developer" },
      { ...orchestrator, session: "ses_9" },
    ]) {
      expect(reduce(state, { ...ready, by })).toMatchObject({ phase: "requirements", ignored: 1 });
    }
    expect(reduce(state, { ...ready, by: orchestrator, phase: "testing" }).ignored).toBe(1);
  });

  test("a review counts from a session that was opened for a reviewer of this phase", () => {
    const run = at("code-review");
    const join = (session: string, agent: string): void =>
      run.plugin({ type: "session-joined", session, parent: "ses_root", agent, depth: 1 });
    join("ses_r", "reviewer");
    join("ses_d", "developer");
    const vote = (agent: string, session: string): MagnusState =>
      reduce(run.state, {
        type: "review-submitted",
        at: 1,
        by: { kind: "agent", agent, session },
        submission: passing,
      });
    expect(vote("reviewer", "ses_r").votes).toHaveLength(run.state.votes.length + 1);
    for (const [agent, session] of [
      ["reviewer", "ses_d"],
      ["developer", "ses_d"],
      ["reviewer", "ses_root"],
      ["reviewer", "x"],
    ] as const) {
      expect(vote(agent, session).ignored).toBe(1);
    }
  });

  test("reviews of files that changed since do not count", () => {
    const run = at("code-review");
    run.plugin({ type: "session-joined", session: "ses_r", parent: "ses_root", agent: "reviewer", depth: 1 });
    run.plugin({ type: "artifact-seen", path: "reviews/code-review/a.md", hash: "h", bytes: 3 });
    const by = { kind: "agent", agent: "reviewer", session: "ses_r" } as const;
    run.emit({ type: "review-submitted", at: 1, by, submission: passing });
    run.plugin({ type: "session-ended", session: "ses_r", outcome: "idle" });
    run.plugin({ type: "tree-seen", tree: "sneaked in" });
    run.ready();
    expect(run.state.phase).toBe("code-review");
    expect(nextStep(run.state)).toMatchObject({ missing: [{ what: "0 of 1 reviewers have voted" }] });
  });

  test("reviewers' findings reach the agents that fix them", () => {
    const run = at("review-fixes");
    if (!("findings" in blocking)) throw new Error("no findings");
    expect(nextStep(run.state)).toMatchObject({ do: "work", agents: ["developer"], findings: blocking.findings });
  });
});

test("a phase does not end while one of its sessions is working", () => {
  const run = at("implementation");
  run.plugin({ type: "session-joined", session: "ses_slow", parent: "ses_root", agent: "developer", depth: 1 });
  run.plugin({ type: "tree-seen", tree: "changed" });
  run.ready();
  expect(nextStep(run.state)).toMatchObject({ missing: [{ what: "the end of ses_slow (developer)" }] });
  run.plugin({ type: "session-ended", session: "ses_slow", outcome: "lost" });
  run.ready();
  expect(run.state.phase).toBe("design-validation");
});

test("before the last approval the user sees what was waived and who reviewed", () => {
  const run = at("testing");
  run.person((state, who) => persons.waive(state, who, { gate: "phase", why: "no browser" }));
  run.plugin({
    type: "tests-ran",
    evidence: {
      ...{
        argv: ["t"],
        tree: "late",
        exit: { kind: "code", code: 0 },
        ms: 1,
        outputHash: "",
        counts: { passed: 1, failed: 0, skipped: 0 },
      },
    },
  });
  run.plugin({ type: "artifact-seen", path: "final-summary.md", hash: "h", bytes: 3 });
  run.ready();
  expect(nextStep(run.state)).toMatchObject({
    do: "wait",
    concerns: [
      "phase was waived in testing: no browser",
      "Design Validation covered earlier versions of the files; the current ones have not been reviewed. To repeat it: `/reject --to=design-validation <reason>`",
      "Code Review covered earlier versions of the files; the current ones have not been reviewed. To repeat it: `/reject --to=code-review <reason>`",
      "single-model review",
    ],
    missing: [{ gate: "user_approval", satisfy: expect.stringContaining("/approve") }],
  });
});

test("votes of an earlier stay in the phase do not count in this one", () => {
  const run = at("code-review");
  run.plugin({ type: "session-joined", session: "ses_r", parent: "ses_root", agent: "reviewer", depth: 1 });
  const by = { kind: "agent", agent: "reviewer", session: "ses_r" } as const;
  run.emit({ type: "review-submitted", at: 1, by, submission: passing });
  expect(tallyOf(run.state).verdict).toBe("approved");
  run.person((state, who) => persons.reject(state, who, { notes: "look again", to: "code-review" }));
  expect(tallyOf(run.state).verdict).toBe("open");
});

test("when the user sends the work back, the checks get their rounds again", () => {
  const run = at("review-fixes");
  expect(run.state.rounds["code-review"]).toBe(1);
  run.person((state, who) => persons.reject(state, who, { notes: "again" }));
  expect(run.state.rounds).toEqual({});
});

describe("tests", () => {
  const green = {
    ...{ argv: ["npm", "test"], tree: "new", exit: { kind: "code", code: 0 } as const, ms: 1, outputHash: "" },
    counts: { passed: 3, failed: 0, skipped: 0 },
  };

  test("are reported by the plugin, not by an agent", () => {
    const event = { type: "tests-ran", at: 1, by: orchestrator, evidence: green } as never;
    expect(reduce(started(), event)).toMatchObject({ evidence: [], ignored: 1 });
  });

  test("that never failed do not finish a test-first phase", () => {
    const run = at("implementation", { workflow: "API_FOCUSED" });
    run.plugin({ type: "tests-ran", evidence: green });
    run.ready();
    expect(nextStep(run.state)).toMatchObject({
      ...{ do: "work", phase: "implementation", tdd: "red" },
      missing: [{ gate: "red_test", what: expect.stringContaining("a test that fails before the change") }],
    });
  });

  test("by another command than the run began with count for nothing, red or green, until the user waives them", () => {
    const testCommand = { argv: ["npm", "test"], script: "test: vitest run" };
    const run = at("implementation", { workflow: "API_FOCUSED", options: { testCommand } });
    const script = "test: ./says-what-is-wanted";
    const red = { ...green, exit: { kind: "code", code: 1 } as const, counts: { passed: 2, failed: 1, skipped: 0 } };
    run.plugin({ type: "tests-ran", evidence: { ...red, script } });
    expect(nextStep(run.state)).toMatchObject({ tdd: "red" });
    run.plugin({ type: "tests-ran", evidence: { ...red, script: testCommand.script } });
    run.plugin({ type: "tests-ran", evidence: { ...green, script } });
    run.ready();
    expect(unmetConditions(run.state).map(({ what }) => what)).toEqual([
      expect.stringContaining(`to npm test (${script})`),
    ]);
    run.person((state, act) => persons.waive(state, act, { gate: "all_tests_pass", why: "a new runner" }));
    expect(run.state.phase).not.toBe("implementation");
  });
});

test("when the approved plan changes, the user has to decide next", () => {
  const run = at("implementation");
  run.plugin({ type: "artifact-seen", path: "implementation-plan.md", hash: "other", bytes: 9 });
  expect(nextStep(run.state)).toMatchObject({
    do: "wait",
    missing: [{ gate: "user_approval", what: "the user's approval of the current implementation-plan.md" }, {}],
  });
});
