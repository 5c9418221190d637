import { expect, test } from "bun:test";
import { runOptionsOf, unknownPhases } from "../../../src/plugin/live/run-options-of.ts";
import { defaultRunOptions } from "../../../src/run/run-options.ts";

const wishes = { skipPlanReview: false, roles: {} };

test("without settings a run is as it comes", () => {
  expect(runOptionsOf({}, wishes)).toEqual(defaultRunOptions);
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
  expect(runOptionsOf(config, wishes).skip).toEqual(["design-validation", "cleanup"]);
});

test("with a reviewer for each model, all are wanted", () => {
  expect(runOptionsOf({}, { ...wishes, quorum: 3 }).quorum).toBe(3);
});

test("a budget of a phase that there is not is told", () => {
  expect(unknownPhases({ budget: { phases: { testing: {}, tasting: {} } } })).toEqual(["tasting"]);
});
