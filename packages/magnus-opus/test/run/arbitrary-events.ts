// Events as a bad plugin, a bad model or a damaged file could make them, over few names so that they meet.
import fc from "fast-check";
import type { MagnusEvent } from "../../src/run/event.ts";
import { unmetConditions } from "../../src/run/gates.ts";
import { agentsIn } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import { phaseNames, roles, waivable, workflowTypes } from "../../src/run/phase-name.ts";
import { phases } from "../../src/run/phases.ts";
import type { Submission } from "../../src/run/review.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { anna, blocking, orchestrator, passing, plugin, root } from "./simulated-run.ts";

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
const counts = fc.record({ passed: fc.nat(3), failed: fc.nat(2), skipped: fc.nat(2) });
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
  event(byPlugin, "agents-named", {
    names: fc.constantFrom({}, { reviewer: "magnus-reviewer" }, { __proto__: "x" }, { orchestrator: "build" }),
  }),
  event(byPlugin, "session-joined", { session, parent: session, agent, depth: fc.nat(2) }),
  event(byPlugin, "session-ended", { session, outcome: fc.constantFrom("idle", "error", "lost") }),
  event(byPlugin, "artifact-seen", { path: artifact, hash, bytes: fc.constantFrom(0, 10, 10, 10) }),
  event(byPlugin, "tree-seen", { tree }),
  event(byPlugin, "review-concluded", {
    ...{ phase, report: artifact, verdict: fc.constantFrom("approved", "blocked", "open") },
    ...{ because: fc.constant("x"), label: fc.constant("x") },
  }),
  event(byPlugin, "tests-ran", { evidence }),
  event(byPlugin, "usage-seen", { message: session, session, usd: amount, tokens: amount }),
  event(byPlugin, "call-refused", {
    ...{ session, agent, tool: fc.constant("edit") },
    ...{ gate: fc.constantFrom("budget", "user_approval"), missing: fc.constant("x") },
  }),
];
const paused = event(byPlugin, "paused", {
  reason: fc.constantFrom("abort", "journal-changed", "stuck"),
  detail: fc.constant("x"),
});
const held = event(byPlugin, "held", {
  decision: fc.oneof(...personal(byPerson)),
  ...{ from: fc.constant("root"), why: fc.constant("a shell") },
});
const said = [event(byAgent, "phase-ready", { phase }), event(byAgent, "review-submitted", { submission })];

function personal(by: fc.Arbitrary<unknown>) {
  const subject = fc.constantFrom(...['["h1","h1"]', '["h1","h2"]', '["h1","tree-0"]', "x"]);
  const gate = fc.constantFrom(...waivable);
  return [
    event(by, "approved", { phase, subject }),
    event(by, "rejected", { phase, to: phase, notes: fc.constant("no") }),
    event(by, "waived", { phase, gate, why: fc.constantFrom("because", "") }),
    event(by, "type-chosen", { workflow: fc.constantFrom(...workflowTypes) }),
    event(by, "resumed"),
    event(by, "budget-raised", { run: limits, phase: limits, maxIterations: fc.nat(5) }),
  ];
}

/** An event that fits the state, so that runs get somewhere. */
export type Move = (state: MagnusState) => MagnusEvent | undefined;

const plausibleMoves = {
  ready: ({ phase, at }) => ({ type: "phase-ready", at: at + 1, by: orchestrator, phase }),
  tree: ({ at }) => ({ type: "tree-seen", at: at + 1, by: plugin, tree: `tree-${at}` }),
  output: ({ phase, at, artifacts }) => {
    const name = phases[phase].outputs.find((output) => artifacts[output] === undefined) ?? phases[phase].outputs[0];
    const path = name?.endsWith("/") ? `${name}a.md` : name;
    return path === undefined
      ? undefined
      : { type: "artifact-seen", at: at + 1, by: plugin, path, hash: "h1", bytes: 9 };
  },
  worker: (state) => {
    const [worker] = agentsIn(state);
    const joined = { session: "ses_1", parent: root, agent: worker ?? "explorer", depth: 1 };
    return { type: "session-joined", at: state.at + 1, by: plugin, ...joined };
  },
  end: ({ at }) => ({ type: "session-ended", at: at + 1, by: plugin, session: "ses_1", outcome: "idle" }),
  yes: (state) => vote(state, passing),
  no: (state) => vote(state, blocking),
  green: (state) => tests(state, 0),
  red: (state) => tests(state, 1),
} satisfies Record<string, Move>;

function vote({ at, sessions }: MagnusState, given: Submission): MagnusEvent {
  const by = { kind: "agent", agent: sessions.ses_1?.agent ?? "reviewer", session: "ses_1" } as const;
  return { type: "review-submitted", at: at + 1, by, submission: given };
}

function tests({ at, tree: now }: MagnusState, failed: number): MagnusEvent {
  const result = { exit: { kind: "code", code: failed } as const, counts: { passed: 9 - failed, failed, skipped: 0 } };
  const ran = { argv: ["npm", "test"], tree: now ?? "tree-0", ms: 1, outputHash: "", ...result };
  return { type: "tests-ran", at: at + 1, by: plugin, evidence: ran };
}

function personMove(act: (state: MagnusState, act: persons.Act) => persons.Acted): Move {
  return (state) => {
    const acted = act(state, { by: anna, at: state.at + 1 });
    return acted.ok ? acted.event : undefined;
  };
}

const plausiblePersonMoves: readonly Move[] = [
  personMove(persons.approve),
  personMove(persons.approve),
  personMove(persons.resume),
  personMove((state, act) => persons.confirm(state, act, state.held[0]?.number ?? 1)),
  personMove((state, act) => persons.dismiss(state, act, state.held.at(-1)?.number ?? 1)),
  personMove((state, act) =>
    persons.waive(state, act, { gate: unmetConditions(state)[0]?.gate ?? "phase", why: "go on" }),
  ),
  personMove((state, act) => persons.waive(state, act, { gate: "phase", why: "go on" })),
  personMove((state, act) => persons.reject(state, act, { notes: "again" })),
  personMove((state, act) => persons.chooseType(state, act, "MIXED")),
  personMove((state, act) => persons.raiseBudget(state, act, { run: { usd: 1e6, sessions: 1e6 }, maxIterations: 2 })),
];

const agentMove = fc.constantFrom<Move[]>(
  ...Object.values(plausibleMoves),
  plausibleMoves.ready,
  plausibleMoves.output,
);
const raw = (events: readonly fc.Arbitrary<unknown>[]): fc.Arbitrary<Move> =>
  fc.oneof(...events).map((made) => () => made as MagnusEvent);
const many = { minLength: 10, maxLength: 90, size: "max" } as const;

/** What plugin and agents can bring about, with attempts to act as a person. */
export const withoutPersons: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: agentMove },
    raw([...seen, ...said, paused, held, ...personal(byAgent), ...personal(byPlugin)]),
  ),
  many,
);

/** What can be in a journal. */
export const withPersons: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: agentMove },
    { weight: 3, arbitrary: fc.constantFrom(...plausiblePersonMoves) },
    { weight: 2, arbitrary: raw([...seen, ...said, held, ...personal(byPerson)]) },
  ),
  many,
);

/** What can be in a file that calls itself a journal. */
export const randomEvents: fc.Arbitrary<MagnusEvent[]> = fc.array(
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
