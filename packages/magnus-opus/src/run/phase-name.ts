// The names used throughout this folder. No logic.

export const workflowTypes = ["UI_FOCUSED", "API_FOCUSED", "MIXED", "UNCLEAR"] as const;
export type WorkflowType = (typeof workflowTypes)[number];

/** What a person asked for: a feature, a feature without UI, or only the report of one phase. */
export const flows = ["implement", "implement-api", "validate-ui", "review"] as const;
export type Flow = (typeof flows)[number];

/** In the order in which a run passes them. */
export const phaseNames = [
  "requirements",
  "architecture",
  "plan-review",
  "implementation",
  "design-validation",
  "ui-fixes",
  "code-review",
  "review-fixes",
  "testing",
  "acceptance",
  "cleanup",
] as const;
export type PhaseName = (typeof phaseNames)[number];

const gateNames = ["user_approval", "pass_or_fix", "all_tests_pass", "all_reviewers_approve"] as const;
export type GateName = (typeof gateNames)[number];

/** What a person can waive: a gate, the test that must fail first, or everything that the phase still lacks. */
export const waivable = [...gateNames, "red_test", "phase"] as const;
export type Waivable = (typeof waivable)[number];

export const roles = [
  "orchestrator",
  "architect",
  "plan-reviewer",
  "developer",
  "backend",
  "designer",
  "ui-developer",
  "reviewer",
  "tester",
  "explorer",
  "cleaner",
] as const;
export type Role = (typeof roles)[number];
