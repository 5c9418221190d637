import { expect, test } from "bun:test";
import type { MagnusEvent, PersonIdentity } from "../../src/run/event.ts";
import { describe, whoOf } from "../../src/timeline/describe-event.ts";
import { anna, blocking, orchestrator, passing, plugin, startEvent } from "../run/simulated-run.ts";

const at = 0;
const run = (more: object): MagnusEvent => {
  const evidence = {
    argv: ["npm", "test"],
    tree: "t",
    exit: { kind: "code", code: 0 },
    ms: 2000,
    outputHash: "h",
    ...more,
  };
  return { type: "tests-ran", at, by: plugin, evidence } as MagnusEvent;
};
const reviewer = { kind: "agent", agent: "reviewer", session: "ses_1" } as const;

const table: readonly (readonly [MagnusEvent, string, string, string])[] = [
  [startEvent(), "the run started: implement, UI_FOCUSED", "a profile page", "plain"],
  [{ type: "run-opened", at, by: plugin }, "the run was reopened", "", "plain"],
  [
    { type: "agents-named", at, by: plugin, names: { reviewer: "magnus-reviewer", tester: "magnus-tester" } },
    "our agents were renamed, because you have agents with the same names",
    "reviewer is magnus-reviewer, tester is magnus-tester",
    "plain",
  ],
  [
    { type: "agents-named", at, by: plugin, names: {}, commands: { approve: "magnus-approve" } },
    "our commands were renamed, because you have commands with the same names",
    "/approve is /magnus-approve",
    "plain",
  ],
  [
    { type: "agents-named", at, by: plugin, names: {} },
    "our agents and commands have their own names again",
    "",
    "plain",
  ],
  [
    { type: "session-joined", at, by: plugin, session: "s", parent: "p", agent: "tester", depth: 1, model: "a/b" },
    "tester began",
    "s, a/b",
    "plain",
  ],
  [{ type: "session-ended", at, by: plugin, session: "s", outcome: "idle" }, "a session ended", "s", "plain"],
  [{ type: "session-ended", at, by: plugin, session: "s", outcome: "lost" }, "a session ended: lost", "s", "bad"],
  [{ type: "artifact-seen", at, by: plugin, path: "a.md", hash: "h", bytes: 3 }, "a.md was written", "", "plain"],
  [
    { type: "artifact-seen", at, by: plugin, path: "a.md", hash: "", bytes: 0 },
    "a.md is empty or missing",
    "",
    "plain",
  ],
  [
    { type: "report-claimed", at, by: plugin, path: "reviews/code-review/a.md", session: "s", agent: "reviewer" },
    "reviewer writes reviews/code-review/a.md",
    "s",
    "plain",
  ],
  [
    { type: "tree-seen", at, by: plugin, tree: "sha256:0123456789abcdef" },
    "the files changed",
    "sha256:0123456789abc",
    "plain",
  ],
  [{ type: "usage-seen", at, by: plugin, message: "m", session: "s", usd: 1.5, tokens: 3 }, "cost $1.50", "s", "plain"],
  [
    run({ counts: { passed: 3, failed: 0, skipped: 1 } }),
    "tests: 3 passed, 0 failed, 1 skipped",
    "npm test, 2.0s",
    "good",
  ],
  [run({ counts: { passed: 0, failed: 0, skipped: 0 } }), "tests: 0 passed, 0 failed", "npm test, 2.0s", "bad"],
  [
    run({ exit: { kind: "code", code: 1 }, counts: { passed: 3, failed: 0, skipped: 0 } }),
    "tests: 3 passed, 0 failed",
    "npm test, 2.0s",
    "bad",
  ],
  [run({}), "tests exited with 0, but did not report how many ran", "npm test, 2.0s", "bad"],
  [
    run({ setBy: "stack", testFiles: 2 }),
    "tests exited with 0; how many ran is unknown, so only the exit code counts",
    "npm test, 2.0s, 2 test files",
    "good",
  ],
  [
    run({ setBy: "stack", testFiles: 0 }),
    "tests exited with 0, but did not report how many ran",
    "npm test, 2.0s",
    "bad",
  ],
  [run({ exit: { kind: "timeout" } }), "the tests took too long", "npm test, 2.0s", "bad"],
  [
    run({ exit: { kind: "not-started", detail: "no npm" } }),
    "the tests did not start",
    "npm test, 2.0s: no npm",
    "bad",
  ],
  [
    {
      type: "call-refused",
      at,
      by: plugin,
      session: "s",
      agent: "developer",
      tool: "edit",
      gate: "user_approval",
      missing: "a plan",
    },
    "developer's edit was refused: user_approval",
    "a plan",
    "bad",
  ],
  [{ type: "paused", at, by: plugin, reason: "abort", detail: "Esc" }, "the run paused: abort", "Esc", "warn"],
  [{ type: "phase-ready", at, by: orchestrator, phase: "testing" }, "reported testing as finished", "", "plain"],
  [{ type: "review-submitted", at, by: reviewer, submission: passing }, "reviewed: APPROVED", "reads well", "good"],
  [
    { type: "review-submitted", at, by: reviewer, submission: blocking },
    "reviewed: NEEDS_REVISION, 1 finding",
    "one bug; MAJOR src/a.ts:3 wrong",
    "bad",
  ],
  [
    { type: "review-submitted", at, by: reviewer, submission: { abstains: "said nothing" } },
    "abstained from a review",
    "said nothing",
    "warn",
  ],
  [
    {
      ...{ type: "review-concluded", at, by: plugin, phase: "code-review", report: "reviews/code-review/consensus.md" },
      ...{ verdict: "blocked", because: "1 of 3 reviewers wants changes", label: "3 reviewers, 3 models" },
      agreement: "divergent",
    },
    "concluded: 1 of 3 reviewers wants changes",
    "3 reviewers, 3 models, divergent; reviews/code-review/consensus.md",
    "bad",
  ],
  [
    {
      ...{ type: "review-concluded", at, by: plugin, phase: "plan-review", report: "reviews/plan-review/consensus.md" },
      ...{ verdict: "approved", because: "1 of 1 reviewer approves", label: "single-model review" },
      agreement: "single",
    },
    "concluded: 1 of 1 reviewer approves",
    "single-model review; reviews/plan-review/consensus.md",
    "good",
  ],
  [{ type: "approved", at, by: anna, phase: "architecture", subject: "[]" }, "approved architecture", "", "good"],
  [
    { type: "rejected", at, by: anna, phase: "acceptance", to: "implementation", notes: "blue" },
    "rejected acceptance, back to implementation",
    "blue",
    "warn",
  ],
  [
    { type: "waived", at, by: anna, phase: "testing", gate: "all_tests_pass", why: "no runner" },
    "waived all_tests_pass of testing",
    "no runner",
    "warn",
  ],
  [{ type: "type-chosen", at, by: anna, workflow: "MIXED" }, "chose MIXED", "", "plain"],
  [{ type: "resumed", at, by: anna }, "resumed the run", "", "plain"],
  [{ type: "cancelled", at, by: anna, why: "enough" }, "cancelled the run", "enough", "warn"],
  [
    { type: "budget-raised", at, by: anna, run: { usd: 5 }, phase: { tokens: 9 }, maxIterations: 4 },
    "raised the budget",
    "usd=5 phase.tokens=9 iterations=4",
    "plain",
  ],
];

test.each(table)("%o is described as %s", (event, what, detail, tone) => {
  expect(describe(event)).toEqual({ what, detail, tone } as ReturnType<typeof describe>);
});

test("a CRITICAL finding overrides an approval", () => {
  const findings = [{ severity: "CRITICAL", file: "a.ts", line: 1, problem: "leak", fix: "close" } as const];
  const submission = { verdict: "APPROVED", summary: "nice", findings } as const;
  const said = describe({ type: "review-submitted", at, by: reviewer, submission: { ...submission, findings } });
  expect([said.what, said.tone]).toEqual(["reviewed: MAJOR_CONCERNS, 1 finding", "bad"]);
});

test("the actor is named, and how the user acted", () => {
  const nobody: PersonIdentity = { kind: "person", how: "permission" };
  const who = [anna, nobody, plugin, reviewer].map((by) => whoOf({ type: "resumed", at, by } as MagnusEvent));
  expect(who).toEqual(["anna (command)", "the user (permission)", "plugin", "reviewer"]);
});
