import { describe, expect, test } from "bun:test";
import { type AttemptedCall, decide, reportAt } from "../../src/run/decide.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import { readSubmission } from "../../src/run/review.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { folder, passing, root, SimulatedRun, worktree } from "./simulated-run.ts";

const roles = { "reviewer-1": "reviewer", "reviewer-2": "reviewer" } as const;

function inReview(): SimulatedRun {
  const run = new SimulatedRun({ options: { roles, quorum: { "code-review": 2 }, skipPlanReview: true } });
  while (run.state.phase !== "code-review") if (!run.step()) run.person(persons.approve);
  return run;
}

const path = (name: string): string => `${worktree}/${folder}/reviews/code-review/${name}`;

function mayWrite(state: MagnusState, agent: string, name: string): boolean | string {
  const call: AttemptedCall = { tool: "write", args: { filePath: path(name) }, agent, session: "ses_1", ...child };
  const decision = decide(state, call);
  return decision.do === "allow" || `${decision.missing}; ${decision.satisfy}`;
}
const child = { isChild: true, depth: 1, at: 0 };

describe("a report", () => {
  const claimed = (): SimulatedRun => {
    const run = inReview();
    const report = reportAt(run.state, path("One.md"))!;
    run.plugin({ type: "report-claimed", path: report, session: "ses_1", agent: "reviewer-1" });
    return run;
  };

  test("belongs to the reviewer who wrote it first, however its name is spelled", () => {
    const { state } = claimed();
    expect(mayWrite(state, "reviewer-1", "one.md")).toBe(true);
    const refused =
      "reviews/code-review/one.md is reviewer-1's report; write your own file, for example reviews/code-review/reviewer-2.md";
    for (const name of ["one.md", "ONE.md", "x/../one.md"]) expect(mayWrite(state, "reviewer-2", name)).toBe(refused);
    expect(mayWrite(state, "reviewer-2", "two.md")).toBe(true);
  });

  test("keeps its owner", () => {
    const run = claimed();
    const again = { type: "report-claimed", path: "reviews/code-review/one.md", session: "s", agent: "reviewer-2" };
    expect(() => run.plugin(again as Parameters<SimulatedRun["plugin"]>[0])).toThrow("was ignored");
  });

  test("is only what is in a folder of reviews", () => {
    const { state } = inReview();
    expect(reportAt(state, path("a.md"))).toBe("reviews/code-review/a.md");
    expect(reportAt(state, `${folder}/notes.md`)).toBeUndefined();
    expect(reportAt(state, "src/a.ts")).toBeUndefined();
  });
});

test("a rejection without a line sends the work back, and its words reach the agents and the user", () => {
  const run = inReview();
  run.plugin({ type: "artifact-seen", path: "reviews/code-review/a.md", hash: "h", bytes: 1 });
  for (const [at, agent] of ["reviewer-1", "reviewer-2"].entries()) {
    const session = `ses_review_${at}`;
    const by = { kind: "agent", agent, session } as const;
    const submission = readSubmission({ verdict: at === 0 ? "APPROVED" : "MAJOR_CONCERNS", summary: "It loses data." });
    run.plugin({ type: "session-joined", session, parent: root, agent, depth: 1, model: `vendor/${at}` });
    run.emit({ type: "review-submitted", at: run.state.at, by, submission: at === 0 ? passing : submission });
    run.plugin({ type: "session-ended", session, outcome: "idle" });
  }
  run.ready();
  expect(run.state.phase).toBe("review-fixes");
  expect(stepWords(run.state)).toContain("- reviewer-2 (vendor/1): MAJOR_CONCERNS. It loses data.");
  run.person((state, act) => persons.raiseBudget(state, act, { maxIterations: 9 }));
  expect(nextStep(run.state)).toMatchObject({ objections: [{ reviewer: "reviewer-2", model: "vendor/1" }] });
});

test("after the last round the user reads what the reviewers want", () => {
  const run = new SimulatedRun({ options: { maxIterations: 0 } }, { codeRounds: 1 });
  while (run.state.phase !== "code-review") if (!run.step()) run.person(persons.approve);
  run.step();
  expect(nextStep(run.state).do).toBe("wait");
  expect(stepWords(run.state)).toContain("What the reviewers said:\n- reviewer: NEEDS_REVISION. one bug");
});
