// How long the run stayed in each phase, what that cost, and how its gate was opened.
import type { MagnusEvent } from "../run/event.ts";
import { lacksOf, tallyOf, waitsForPerson } from "../run/gates.ts";
import type { GateName, PhaseName } from "../run/phase-name.ts";
import { gateOf, phases } from "../run/phases.ts";
import type { RunState, Visit } from "../run/state.ts";
import { nameOf } from "./describe-event.ts";

export interface Stay {
  readonly phase: PhaseName;
  readonly title: string;
  /** The how-manieth in this phase, from 1. */
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly end: NonNullable<Visit["left"]> | "open" | "cancelled";
  readonly gate: GateName | null;
  /** What opened the gate, or what it still lacks. */
  readonly because: string;
  readonly usd: number;
  /** Of the time, what passed while only a person could go on. */
  readonly waitedMs: number;
}

type Sum = { usd: number; waitedMs: number; because: string };

export class Stays {
  readonly #sums: Sum[] = [];

  take(before: RunState | undefined, event: MagnusEvent, after: RunState): void {
    for (let at = this.#sums.length; at < after.visits.length; at += 1) {
      this.#sums.push({ usd: 0, waitedMs: 0, because: "" });
    }
    if (before === undefined) return;
    const at = before.visits.length - 1;
    const sum = this.#sums[at]!;
    sum.usd += after.spent.run.usd - before.spent.run.usd;
    if (isWaiting(before)) sum.waitedMs += after.at - before.at;
    if (before.visits[at]!.left === undefined && after.visits[at]!.left !== undefined) {
      sum.because = reasonFor(before, event, after.visits[at]!);
    }
  }

  all(state: RunState): readonly Stay[] {
    return state.visits.map((visit, at) => {
      const { phase, number, from, to = state.at, left } = visit;
      const { usd, waitedMs, because } = this.#sums[at]!;
      const isCancelled = state.status.kind === "cancelled";
      const end = left ?? (isCancelled ? "cancelled" : "open");
      const lacks = left === undefined && !isCancelled ? lacksOf(state).map(({ what }) => what) : [];
      const reason = lacks.length > 0 ? `lacks ${lacks.join("; ")}` : because;
      const gate = gateOf(state, phase);
      return { phase, title: phases[phase].title, number, from, to, end, gate, because: reason, usd, waitedMs };
    });
  }
}

/** Whether nobody but a person can go on. */
function isWaiting(state: RunState): boolean {
  return state.status.kind === "paused" || (state.status.kind === "running" && waitsForPerson(state));
}

function reasonFor(before: RunState, event: MagnusEvent, { phase, left }: Visit): string {
  if (event.type === "rejected") return `rejected by ${nameOf(event.by)}: ${event.notes}`;
  if (event.type === "waived") return `waived by ${nameOf(event.by)}: ${event.why}`;
  if (event.type === "approved") return `approved by ${nameOf(event.by)}`;
  if (left === "waived") return "waived";
  const gate = gateOf(before, phase);
  const approval = before.approvals.findLast((each) => each.phase === phase);
  if (gate === "user_approval" && approval !== undefined) return `approved by ${nameOf(approval.by)}`;
  if (gate === "all_tests_pass") return testsText(before);
  if (phases[phase].judge === undefined) return "";
  const { because, label } = tallyOf(before);
  return `${because} (${label})`;
}

function testsText({ evidence }: RunState): string {
  const counts = evidence.at(-1)?.counts;
  return counts === undefined ? "" : `${counts.passed} tests pass`;
}
