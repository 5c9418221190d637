import { expect, test } from "bun:test";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { withReviewers } from "../../src/delegate/reviewers.ts";

const reviewer: AgentConfig = {
  prompt: "Judge.",
  mode: "subagent",
  permission: { "*": "deny", submit_review: "allow" },
};
const agents: Readonly<Record<string, AgentConfig>> = {
  orchestrator: { permission: { "*": "deny", task: { "*": "deny", reviewer: "allow" } } },
  reviewer,
  "plan-reviewer": { prompt: "Judge the plan." },
};

test("nothing changes unless it is configured", () => {
  for (const config of [{}, { reviewModels: { codeReview: ["a/1"] } }, { reviewModels: { autoUse: true } }]) {
    expect(withReviewers(agents, config)).toEqual({ agents, roles: {} });
  }
});

test("each model has its own reviewer that the orchestrator may ask", () => {
  const reviewModels = { autoUse: true, codeReview: ["a/1", "b/2", "a/1"], planReview: ["c/3", "d/4", "e/5"] };
  const { agents: made, roles } = withReviewers(agents, { reviewModels });
  expect(made["reviewer-2"]).toEqual({ ...reviewer, model: "b/2" });
  expect(made["plan-reviewer-3"]).toEqual({ prompt: "Judge the plan.", model: "e/5" });
  expect(Object.keys(roles)).toEqual([
    ...["plan-reviewer-1", "plan-reviewer-2", "plan-reviewer-3", "reviewer-1", "reviewer-2"],
  ]);
  expect(roles["reviewer-2"]).toBe("reviewer");
  const task = Object.entries(made.orchestrator?.permission?.task ?? {});
  expect(task.slice(0, 2)).toEqual([
    ["*", "deny"],
    ["reviewer", "allow"],
  ]);
  expect(task.slice(2).map(([name]) => name)).toEqual(Object.keys(roles));
});

test("a disabled reviewer has no copies", () => {
  const off = { ...agents, reviewer: { ...reviewer, disable: true } };
  const { roles } = withReviewers(off, { reviewModels: { autoUse: true, codeReview: ["a/1"] } });
  expect(roles).toEqual({});
});
