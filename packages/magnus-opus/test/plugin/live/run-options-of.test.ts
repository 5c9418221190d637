import { describe, expect, test } from "bun:test";
import { runOptionsOf, unknownPhases } from "../../../src/plugin/live/run-options-of.ts";
import { defaultRunOptions } from "../../../src/run/run-options.ts";

const choices = { skipPlanReview: false, roles: {} };

test("without settings a run is as it comes", () => {
  expect(runOptionsOf({}, choices)).toEqual(defaultRunOptions);
});

test("every setting about runs is effective", () => {
  const roles = { "reviewer-1": "reviewer", "reviewer-2": "reviewer", "reviewer-3": "reviewer" } as const;
  const options = runOptionsOf(
    {
      gates: { quorum: 2, maxIterations: 5 },
      tests: { skipped: "refuse", redProof: true },
      budget: { usd: 3, minutes: 2, phases: { testing: { tokens: 900 } } },
    },
    { skipPlanReview: true, figmaUrl: "https://figma.test", roles },
  );
  expect(options).toEqual({
    ...defaultRunOptions,
    ...{ skipPlanReview: true, figmaUrl: "https://figma.test", maxIterations: 5 },
    ...{ skippedTests: "refuse", redProof: true, roles, quorum: { "code-review": 2 } },
    budget: { run: { sessions: 60, depth: 1, usd: 3, ms: 120_000 }, phases: { testing: { tokens: 900 } } },
  });
});

test("phases whose only agent is switched off are left out", () => {
  const config = { disabled_agents: ["designer", "developer"], agents: { cleaner: { disable: true } } };
  expect(runOptionsOf(config, choices).skip).toEqual(["design-validation", "cleanup"]);
});

describe("how many reviewers have to vote", () => {
  const roles = {
    "reviewer-1": "reviewer",
    "reviewer-2": "reviewer",
    "reviewer-3": "reviewer",
    "plan-reviewer-1": "plan-reviewer",
  } as const;

  test("is counted for each phase: a phase with one judge asks once", () => {
    expect(runOptionsOf({}, { ...choices, roles }).quorum).toEqual({ "code-review": 3 });
    expect(runOptionsOf({ gates: { quorum: 2 } }, { ...choices, roles }).quorum).toEqual({ "code-review": 2 });
    expect(runOptionsOf({ gates: { quorum: 2 } }, choices).quorum).toEqual({});
  });

  test("counts models, not agents", () => {
    const modelOf = (agent: string) => (agent === "reviewer-3" ? "b/2" : "a/1");
    expect(runOptionsOf({}, { ...choices, roles, modelOf }).quorum).toEqual({ "code-review": 2 });
  });
});

test("a budget for an unknown phase is reported", () => {
  expect(unknownPhases({ budget: { phases: { testing: {}, tasting: {} } } })).toEqual(["tasting"]);
});
