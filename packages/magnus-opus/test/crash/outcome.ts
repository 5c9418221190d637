// What became of a run, without whatever a restart may change: times, ids, who was asked twice.
import type { MagnusEvent } from "../../src/run/event.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { violations } from "../run/invariants.ts";

export interface Outcome {
  readonly status: string;
  readonly phases: readonly string[];
  /** Everything that only a person can do, in order. */
  readonly persons: readonly string[];
  /** What the gates were opened by, in order, each once in a row. */
  readonly proofs: readonly string[];
  readonly artifacts: readonly string[];
  readonly refusals: number;
  readonly ignored: number;
  /** Of any state on the way. */
  readonly violations: readonly string[];
}

export function outcomeOf(events: readonly MagnusEvent[]): Outcome {
  const states = fold(events);
  const { status, visits, artifacts, refusals, ignored } = states.at(-1)!;
  return {
    status: status.kind,
    phases: visits.map(({ phase, left }) => (left === "passed" ? phase : `${phase} ${left}`)),
    persons: events.flatMap((event) => (event.by.kind === "person" ? [nameOf(event)] : [])),
    proofs: proofsIn(events, states).filter((proof, at, all) => proof !== all[at - 1]),
    artifacts: Object.keys(artifacts).toSorted(),
    refusals,
    ignored,
    violations: [...new Set(states.flatMap(violations))],
  };
}

function fold(events: readonly MagnusEvent[]): readonly MagnusState[] {
  const states: MagnusState[] = [];
  let state: MagnusState | undefined;
  for (const event of events) {
    state = reduce(state, event);
    if (state === undefined) throw new Error(`The journal begins with ${event.type}.`);
    states.push(state);
  }
  return states;
}

/** The proofs together with the phases that are left, so that a gate which opened too early is seen. */
function proofsIn(events: readonly MagnusEvent[], states: readonly MagnusState[]): readonly string[] {
  return events.flatMap((event, at) => {
    const [before, after] = [states[at - 1]?.phase, states[at]!.phase];
    const left = before !== undefined && before !== after ? [`left ${before}`] : [];
    if (event.type === "tests-ran") return [event.evidence.counts?.failed === 0 ? "tests pass" : "tests fail", ...left];
    if (event.type === "review-submitted" || event.by.kind === "person") return [nameOf(event), ...left];
    return left;
  });
}

function nameOf(event: MagnusEvent): string {
  return "phase" in event ? `${event.type} ${event.phase}` : event.type;
}
