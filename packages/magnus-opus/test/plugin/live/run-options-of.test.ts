import { expect, test } from "bun:test";
import { runOptionsOf, unknownPhases } from "../../../src/plugin/live/run-options-of.ts";
import { defaultRunOptions } from "../../../src/run/run-options.ts";

const choices = { skipPlanReview: false, roles: {} };

test("without settings a run is as it comes", () => {
  expect(runOptionsOf({}, choices)).toEqual(defaultRunOptions);
});

test("every setting about runs is effective", () => {
  const options = runOptionsOf(
    {
      gates: { quorum: 2, maxIterations: 5 },
      tests: { skipped: "refuse", redProof: true },
      budget: { usd: 3, minutes: 2, phases: { testing: { tokens: 900 } } },
    },
    { skipPlanReview: true, figmaUrl: "https://figma.test", roles: { "reviewer-1": "reviewer" }, quorum: 9 },
  );
  expect(options).toEqual({
    ...defaultRunOptions,
    ...{ skipPlanReview: true, figmaUrl: "https://figma.test", quorum: 2, maxIterations: 5 },
    ...{ skippedTests: "refuse", redProof: true, roles: { "reviewer-1": "reviewer" } },
    budget: { run: { sessions: 60, depth: 1, usd: 3, ms: 120_000 }, phases: { testing: { tokens: 900 } } },
  });
});

test("phases whose only agent is switched off are left out", () => {
  const config = { disabled_agents: ["designer", "developer"], agents: { cleaner: { disable: true } } };
  expect(runOptionsOf(config, choices).skip).toEqual(["design-validation", "cleanup"]);
});

test("with a reviewer for each model, all are wanted", () => {
  expect(runOptionsOf({}, { ...choices, quorum: 3 }).quorum).toBe(3);
});

test("a budget for an unknown phase is reported", () => {
  expect(unknownPhases({ budget: { phases: { testing: {}, tasting: {} } } })).toEqual(["tasting"]);
});
