// A run with all that a timeline can show, in real time: a night in it, a model that tries to cheat, and texts that would
// like to be part of the page or of the terminal.
import type { MagnusEvent } from "../../src/run/event.ts";
import * as persons from "../../src/run/person-actions.ts";
import { plugin, root, SimulatedRun } from "../run/simulated-run.ts";

const began: number = Date.UTC(2026, 0, 18, 14, 30);
const hour = 3_600_000;

/** Each of them breaks out of a page or a terminal that is not careful. */
export const hostile = {
  markup: `</style></title><script>document.title = "owned"</script><img src="http://127.0.0.1:9/x" onerror="document.title='owned'">`,
  attribute: `" onmouseover="document.title='owned'" style="display:none`,
  terminal: "\u001b]0;owned\u0007\u001b[31mred\u001b[2J",
  direction: "safe\u202egpj.exe",
  long: "x".repeat(300),
};

/** Done, after a rejected plan, reviews with findings, failing tests, refusals, a waiver and a pause. */
export function eventfulRun(): readonly MagnusEvent[] {
  const run = new SimulatedRun(
    { workflow: "MIXED" },
    { planRounds: 1, designRounds: 1, codeRounds: 9, failingRuns: 1, rejectsPlan: true },
  );
  refuse(run, "edit", "the user's approval of implementation-plan.md");
  for (let times = 0; times < 3; times += 1) refuse(run, "bash", hostile.markup);
  playUntil(run, "code-review");
  run.plugin({ type: "paused", reason: "abort", detail: `Esc, ${hostile.terminal}` });
  run.person(persons.resume);
  while (run.step());
  run.person((state, act) =>
    persons.waive(state, act, {
      gate: "all_reviewers_approve",
      why: `the reviewer is wrong ${hostile.attribute} ${hostile.direction}`,
    }),
  );
  run.play();
  return withOvernightGap(run.events);
}

/** Stands at the approval of its plan. */
export function waitingRun(): readonly MagnusEvent[] {
  const run = new SimulatedRun();
  while (run.step());
  return inRealTime(run.events);
}

/** Events of a session that never ended, and one that was not allowed to happen. */
export function runWithOddEvents(): readonly MagnusEvent[] {
  const at = began + 1000;
  return [
    ...waitingRun(),
    { type: "session-joined", at, by: plugin, session: "ses_lost", parent: root, agent: hostile.long, depth: 1 },
    { type: "approved", at, by: { kind: "person", how: "shell" }, phase: "acceptance", subject: "[]" },
  ];
}

function refuse(run: SimulatedRun, tool: string, missing: string): void {
  run.plugin({ type: "call-refused", session: root, agent: "orchestrator", tool, gate: "user_approval", missing });
}

function playUntil(run: SimulatedRun, phase: string): void {
  for (let steps = 0; run.state.phase !== phase && steps < 60; steps += 1) {
    if (run.step()) continue;
    const isFirst = run.state.rejections.length === 0;
    run.person(isFirst ? (state, act) => persons.reject(state, act, { notes: hostile.markup }) : persons.approve);
  }
}

function inRealTime(events: readonly MagnusEvent[]): readonly MagnusEvent[] {
  return events.map((event) => ({ ...event, at: began + event.at * 20 }));
}

/** The person who accepts the work does it the next morning. */
function withOvernightGap(events: readonly MagnusEvent[]): readonly MagnusEvent[] {
  const accepted = events.findLastIndex(({ type }) => type === "approved");
  return inRealTime(events).map((event, index) => (index < accepted ? event : { ...event, at: event.at + 14 * hour }));
}
