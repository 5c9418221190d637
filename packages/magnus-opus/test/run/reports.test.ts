import { describe, expect, test } from "bun:test";
import { type AttemptedCall, decide, reportAt } from "../../src/run/decide.ts";
import { tallyOf } from "../../src/run/gates.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import { readSubmission } from "../../src/run/read-submission.ts";
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

  test("of all reviewers together is written by no agent, however its name is spelled", () => {
    const { state } = inReview();
    for (const name of ["consensus.md", "Consensus-2.md", "x/../consensus.md", "CONSENSUS.md. "])
      expect(mayWrite(state, "reviewer-1", name)).toContain("the report of all reviewers, which the plugin writes");
    expect(mayWrite(state, "reviewer-1", "my-consensus.md")).toBe(true);
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

describe("a conclusion", () => {
  const conclusion = {
    type: "review-concluded",
    report: "reviews/code-review/consensus.md",
    verdict: "approved",
  } as const;
  const said = { because: "all is fine", label: "3 reviewers, 3 models" };

  test("does not open a gate that the votes keep shut", () => {
    const run = inReview();
    run.plugin({ ...conclusion, ...said, phase: "code-review" });
    run.plugin({ type: "artifact-seen", path: conclusion.report, hash: "h", bytes: 1 });
    run.ready();
    expect(run.state.phase).toBe("code-review");
    expect(nextStep(run.state)).toMatchObject({ missing: [{ what: "0 of 2 reviewers have voted" }] });
  });

  test("ends a run that only reports, even without a quorum", () => {
    const run = new SimulatedRun({ flow: "review", options: { quorum: { "code-review": 2 } } });
    run.plugin({ type: "artifact-seen", path: conclusion.report, hash: "h", bytes: 1 });
    run.ready();
    expect(run.state.status.kind).toBe("running");
    run.plugin({ ...conclusion, ...said, verdict: "open", phase: "code-review" });
    run.ready();
    expect(run.state.status.kind).toBe("done");
  });

  test("belongs to the phase that the run is in, and to one that has reviewers", () => {
    const run = inReview();
    for (const phase of ["plan-review", "testing"] as const)
      expect(() => run.plugin({ ...conclusion, ...said, phase })).toThrow("was ignored");
  });
});

test("a report covers the files as its reviewers saw them; a gate covers them as they are", () => {
  const votes = (flow: "review" | "implement") => {
    const run = flow === "review" ? new SimulatedRun({ flow }) : inReview();
    const by = { kind: "agent", agent: flow === "review" ? "reviewer" : "reviewer-1", session: "ses_review" } as const;
    run.plugin({ type: "session-joined", session: by.session, parent: root, agent: by.agent, depth: 1 });
    run.emit({ type: "review-submitted", at: run.state.at, by, submission: passing });
    run.plugin({ type: "tree-seen", tree: "tree-later" });
    return tallyOf(run.state).voters;
  };
  expect([votes("review"), votes("implement")]).toEqual([1, 0]);
});

describe("where several models review", () => {
  const named = ["vendor/2", "vendor/3"];
  const opening = { flow: "review", options: { reviewModels: named, quorum: { "code-review": 2 } } } as const;
  const asks = ({ state }: SimulatedRun, agent: string, isPlugin = false): string => {
    const args = { subagent_type: agent };
    const call = {
      tool: "task",
      args,
      agent: "orchestrator",
      session: root,
      isChild: false,
      depth: 0,
      at: 0,
      isPlugin,
    };
    const decision = decide(state, call);
    return decision.do === "allow" ? "allowed" : `${decision.missing}; ${decision.satisfy}`;
  };

  test("the orchestrator asks none of them in its own words", () => {
    const why =
      "a review by all of its models, which the plugin asks in the same words; call `magnus_review`, which asks all of them";
    for (const agent of ["reviewer", "reviewer-1", "reviewer-2"]) expect(asks(inReview(), agent)).toBe(why);
    expect(
      asks(new SimulatedRun({ ...opening, options: { ...opening.options, reviewModels: [...named] } }), "reviewer"),
    ).toBe(why);
    expect(asks(inReview(), "reviewer-1", true)).toBe("allowed");
    expect(asks(inReview(), "explorer")).toBe("allowed");
    expect(asks(new SimulatedRun({ flow: "review" }), "reviewer")).toBe("allowed");
  });

  const submit = (run: SimulatedRun, agent: string, model: string): void => {
    const session = `ses_${agent}_${model}`;
    run.plugin({ type: "session-joined", session, parent: root, agent, depth: 1, model });
    const by = { kind: "agent", agent, session } as const;
    run.emit({ type: "review-submitted", at: run.state.at, by, submission: passing });
  };

  test("an agent that is not one of them has no vote", () => {
    const run = inReview();
    expect(() => submit(run, "reviewer", "vendor/1")).toThrow("was ignored");
    submit(run, "reviewer-1", "vendor/2");
    expect(tallyOf(run.state)).toMatchObject({ verdict: "open", voters: 1 });
    submit(run, "reviewer-2", "vendor/3");
    expect(tallyOf(run.state)).toMatchObject({ verdict: "approved", voters: 2 });
  });

  test("a model that is not one of them has no vote", () => {
    const run = new SimulatedRun({ ...opening, options: { ...opening.options, reviewModels: [...named] } });
    submit(run, "reviewer", "vendor/2");
    expect(() => submit(run, "reviewer", "vendor/1")).toThrow("was ignored");
    expect(tallyOf(run.state)).toMatchObject({ verdict: "open", voters: 1 });
  });
});
