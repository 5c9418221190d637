import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isBuildAllowed } from "../../src/run/gates.ts";
import * as persons from "../../src/run/person-actions.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { type RunScenario, type RunStart, SimulatedRun } from "./simulated-run.ts";

function simulate(opening: RunStart, scenario: RunScenario = {}): SimulatedRun {
  const run = new SimulatedRun(opening, scenario);
  run.play();
  return run;
}

function route({ visits }: MagnusState): string[] {
  return visits.map(({ phase, left }) => (left === "passed" ? phase : `${phase} (${left})`));
}

test("a UI run passes its phases and needs tests, reviews and two approvals", () => {
  const { state, refusals } = simulate({ workflow: "UI_FOCUSED" });
  expect(state.status).toEqual({ kind: "done" });
  expect(refusals).toEqual([]);
  expect(route(state)).toEqual([
    ...["requirements", "architecture", "plan-review", "implementation", "design-validation", "code-review"],
    ...["testing", "acceptance", "cleanup"],
  ]);
});

test("an API run builds test first and has no UI phases", () => {
  const { state, refusals } = simulate({ workflow: "API_FOCUSED", flow: "implement-api" });
  expect(state.status).toEqual({ kind: "done" });
  expect(refusals).toEqual([]);
  expect(route(state)).toEqual([
    ...["requirements", "architecture", "plan-review", "implementation", "code-review", "acceptance", "cleanup"],
  ]);
  expect(state.evidence.map(({ counts }) => counts?.failed)).toEqual([1, 0, 0]);
});

test("a mixed run uses both building agents", () => {
  const { state, refusals } = simulate({ workflow: "MIXED" });
  expect([state.status.kind, refusals]).toEqual(["done", []]);
  const builders = Object.values(state.sessions).filter(({ phase }) => phase === "implementation");
  expect(builders.map(({ agent }) => agent)).toEqual(["developer", "backend"]);
});

test("an unclear run waits for the user to choose the type, then continues", () => {
  const { state, refusals } = simulate({ workflow: "UNCLEAR" });
  expect([state.status.kind, state.workflow, refusals]).toEqual(["done", "MIXED", []]);
});

test("--skip-plan-review leaves that phase out", () => {
  const { state } = simulate({ options: { skipPlanReview: true } });
  expect(route(state)).not.toContain("plan-review");
  expect(state.status.kind).toBe("done");
});

test("reviews that want changes send the work back until they approve", () => {
  const { state, refusals } = simulate({}, { planRounds: 1, designRounds: 1, codeRounds: 2, failingRuns: 1 });
  expect([state.status.kind, refusals]).toEqual(["done", []]);
  expect(route(state)).toEqual([
    ...["requirements", "architecture", "plan-review (sent-back)", "architecture", "plan-review", "implementation"],
    ...["design-validation (sent-back)", "ui-fixes", "design-validation"],
    ...["code-review (sent-back)", "review-fixes", "code-review (sent-back)", "review-fixes", "code-review"],
    ...["testing", "acceptance", "cleanup"],
  ]);
});

test.each([
  ["validate-ui", "design-validation", "designRounds"],
  ["review", "code-review", "codeRounds"],
] as const)("%s is one phase, and a bad verdict is its result", (flow, phase, rounds) => {
  const { state, refusals } = simulate({ flow }, { [rounds]: 1 });
  expect([state.status.kind, route(state), refusals]).toEqual(["done", [phase], []]);
  expect(state.votes).toHaveLength(1);
});

test("a run whose reviews never approve waits after the limit for the user, who can waive", () => {
  const run = new SimulatedRun({ options: { maxIterations: 2 } }, { codeRounds: 9 });
  expect(() => run.play()).toThrow("nothing is waiting for approval");
  expect(run.state.phase).toBe("code-review");
  expect(run.state.rounds["code-review"]).toBe(2);
  run.person((state, act) =>
    persons.waive(state, act, { gate: "all_reviewers_approve", why: "the reviewer is wrong" }),
  );
  expect(run.state.phase).toBe("testing");
  expect(run.state.waivers).toMatchObject([{ gate: "all_reviewers_approve", by: { name: "anna" } }]);
  run.play();
  expect(run.state.status.kind).toBe("done");
});

test("a run can be resumed from its journal at every event and ends the same", () => {
  const { events, state } = simulate({ workflow: "MIXED" }, { codeRounds: 1 });
  for (let at = 1; at <= events.length; at++) {
    const before = events.slice(0, at).reduce<MagnusState | undefined>(reduce, undefined);
    const opened = reduce(JSON.parse(JSON.stringify(before)), { type: "run-opened", at: 0, by: { kind: "plugin" } });
    const { spent, ...end } = events.slice(at).reduce<MagnusState>(reduce, opened);
    const { spent: _, ...expected } = state;
    expect(end).toEqual(expected);
    expect(spent.run.usd).toBeCloseTo(state.spent.run.usd);
  }
});

const scenario = fc.record({
  planRounds: fc.nat(2),
  designRounds: fc.nat(2),
  codeRounds: fc.nat(2),
  failingRuns: fc.nat(2),
  rejectsPlan: fc.boolean(),
});
const opening = fc.record({
  flow: fc.constantFrom("implement", "implement-api", "validate-ui", "review"),
  workflow: fc.constantFrom("UI_FOCUSED", "API_FOCUSED", "MIXED", "UNCLEAR"),
  options: fc.record({ skipPlanReview: fc.boolean(), redProof: fc.constant(false) }),
}) as fc.Arbitrary<RunStart>;

test("well-behaved agents are never refused, and every such run ends", () => {
  fc.assert(
    fc.property(opening, scenario, (from, story) => {
      const { state, refusals } = simulate(from, story);
      expect(refusals).toEqual([]);
      expect(state.status.kind).toBe("done");
    }),
    { numRuns: 300 },
  );
});

describe("a plan that is reviewed", () => {
  test("is approved once, as it is when its review has passed", () => {
    const run = new SimulatedRun({}, { planRounds: 2 });
    run.play();
    expect(run.state.status.kind).toBe("done");
    expect(route(run.state).slice(0, 8)).toEqual([
      ...["requirements", "architecture", "plan-review (sent-back)", "architecture", "plan-review (sent-back)"],
      ...["architecture", "plan-review", "implementation"],
    ]);
    const approvals = run.events.filter(({ type }) => type === "approved");
    expect(approvals).toMatchObject([{ phase: "architecture" }, { phase: "acceptance" }]);
  });

  test("is not approved by a waiver of its planning, but by one of its whole review", () => {
    const waived = (phase: "architecture" | "plan-review"): MagnusState => {
      const run = new SimulatedRun();
      while (run.state.phase !== phase) run.step();
      run.person((state, act) => persons.waive(state, act, { gate: "phase", why: "small" }));
      return run.state;
    };
    expect([waived("architecture").phase, isBuildAllowed(waived("architecture"))]).toEqual(["plan-review", false]);
    expect([waived("plan-review").phase, isBuildAllowed(waived("plan-review"))]).toEqual(["implementation", true]);
  });

  test("needs approval again when it is sent back, even if the review was waived before", () => {
    const run = new SimulatedRun();
    while (run.state.phase !== "plan-review") run.step();
    run.person((state, act) => persons.waive(state, act, { gate: "phase", why: "small" }));
    run.person((state, act) => persons.reject(state, act, { notes: "too small", to: "architecture" }));
    expect<string>(run.state.phase).toBe("architecture");
    expect(isBuildAllowed(run.state)).toBe(false);
  });
});
