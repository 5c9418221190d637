// Events as a bad plugin, a bad model or a damaged file could make them, over few names so that they meet.
import fc from "fast-check";
import type { MagnusEvent } from "../../src/run/event.ts";
import { gateNames, phaseNames, roles, workflowTypes } from "../../src/run/phase-name.ts";
import { blocking, passing, root } from "./rehearsal.ts";

const session = fc.constantFrom(root, "ses_1", "ses_2", "ses_3", "__proto__", "constructor");
const agent = fc.constantFrom(...roles, "build", "", "__proto__");
const phase = fc.constantFrom(...phaseNames);
const tree = fc.constantFrom("tree-0", "tree-1", "tree-2");
const hash = fc.constantFrom("h1", "h2");
const artifact = fc.constantFrom(
  ...["implementation-plan.md", "quick-reference.md", "reviews/plan-review/a.md", "design-validation.md"],
  ...["reviews/code-review/a.md", "testing-report.md", "final-summary.md", "__proto__", "approved.md"],
);
const amount = fc.constantFrom(0, 1, 5, 1000);
const limits = fc.record({ usd: amount, tokens: amount, ms: amount, sessions: amount }, { requiredKeys: [] });
export const counts = fc.record({ passed: fc.nat(3), failed: fc.nat(2), skipped: fc.nat(2) });
export const evidence = fc.record(
  {
    argv: fc.constant(["npm", "test"]),
    tree,
    exit: fc.constantFrom(
      { kind: "code", code: 0 } as const,
      { kind: "code", code: 1 } as const,
      { kind: "timeout" } as const,
      { kind: "not-started", detail: "no npm" } as const,
    ),
    counts,
    ms: amount,
    outputHash: fc.constant("sha256:0"),
  },
  { requiredKeys: ["argv", "tree", "exit", "ms", "outputHash"] },
);
const submission = fc.constantFrom(passing, blocking, { abstains: "nothing said" });

const at = fc.nat(10_000_000);
const byPlugin = fc.constant({ kind: "plugin" });
const byAgent = fc.record({ kind: fc.constant("agent"), agent, session });
const byPerson = fc.record({ kind: fc.constant("person"), how: fc.constantFrom("command", "permission", "shell") });

function event(by: fc.Arbitrary<unknown>, type: string, shape: Record<string, fc.Arbitrary<unknown>> = {}) {
  return fc.record({ type: fc.constant(type), at, by, ...shape });
}

const seen = [
  event(byPlugin, "run-opened"),
  event(byPlugin, "session-joined", { session, parent: session, agent, depth: fc.nat(2) }),
  event(byPlugin, "session-ended", { session, outcome: fc.constantFrom("idle", "error", "lost") }),
  event(byPlugin, "artifact-seen", { path: artifact, hash, bytes: fc.constantFrom(0, 10, 10, 10) }),
  event(byPlugin, "tree-seen", { tree }),
  event(byPlugin, "tests-ran", { evidence }),
  event(byPlugin, "usage-seen", { message: session, session, usd: amount, tokens: amount }),
  event(byPlugin, "call-refused", {
    ...{ session, agent, tool: fc.constant("edit") },
    ...{ gate: fc.constantFrom("budget", "user_approval"), missing: fc.constant("x") },
  }),
];
const paused = event(byPlugin, "paused", {
  reason: fc.constantFrom("abort", "journal-changed"),
  detail: fc.constant("x"),
});
/** Weighted so that runs get somewhere. */
const said = [
  ...Array(4).fill(
    event(fc.constant({ kind: "agent", agent: "orchestrator", session: root }), "phase-ready", { phase }),
  ),
  event(byAgent, "phase-ready", { phase }),
  event(byAgent, "review-submitted", { submission }),
];

function personal(by: fc.Arbitrary<unknown>) {
  const subject = fc.constantFrom(...['["h1","h1"]', '["h1","h2"]', '["h1","tree-0"]', "x"]);
  const gate = fc.constantFrom(...gateNames, "phase");
  return [
    event(by, "approved", { phase, subject }),
    event(by, "rejected", { phase, to: phase, notes: fc.constant("no") }),
    event(by, "waived", { phase, gate, why: fc.constantFrom("because", "") }),
    event(by, "type-chosen", { workflow: fc.constantFrom(...workflowTypes) }),
    event(by, "resumed"),
    event(by, "budget-raised", { run: limits, phase: limits, maxIterations: fc.nat(5) }),
  ];
}

/** What plugin and agents can bring about, with attempts to act as a person. */
export const withoutPersons = fc.array(
  fc.oneof(...seen, ...said, paused, ...personal(byAgent), ...personal(byPlugin)),
  { maxLength: 60 },
) as unknown as fc.Arbitrary<MagnusEvent[]>;

/** What can be in a journal. */
export const withPersons = fc.array(
  fc.oneof(
    ...seen,
    ...seen,
    ...said,
    ...said,
    paused,
    ...personal(byPerson),
    event(byPerson, "cancelled", { why: fc.constant("") }),
  ),
  { maxLength: 60 },
) as unknown as fc.Arbitrary<MagnusEvent[]>;

/** What can be in a file that calls itself a journal. */
export const rubbish = fc.array(
  fc.oneof(
    fc.anything(),
    fc.record({
      type: fc.constantFrom("approved", "tests-ran", "waived", "tree-seen"),
      by: fc.anything(),
      at: fc.anything(),
    }),
    event(fc.anything(), "tests-ran", { evidence: fc.anything() }),
    event(byAgent, "review-submitted", { submission: fc.anything() }),
    event(byPlugin, "usage-seen", { message: fc.string(), session, usd: fc.anything(), tokens: fc.double() }),
  ),
  { maxLength: 30 },
) as unknown as fc.Arbitrary<MagnusEvent[]>;
