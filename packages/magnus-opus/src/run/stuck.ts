// Whether agents keep being sent for the same thing without getting closer to it. Pure; the plugin then asks the user.
import { roleOf, unmetConditions } from "./gates.ts";
import { phases } from "./phases.ts";
import type { MagnusState } from "./state.ts";

/** What the delegations of a visit have led to. */
export interface Attempts {
  /** What was missing after each delegation, and with which files. */
  readonly seen: readonly string[];
  /** Delegations in a row after which nothing was new: not even the files. */
  readonly withoutChange: number;
  /** Delegations in a row after which the same things were missing, whatever happened to the files. */
  readonly withoutProgress: number;
}

const mostWithoutChange = 2;

/** At the beginning of a visit, and whenever a person has decided something. */
export function noAttempts(state: MagnusState): Attempts {
  return { seen: marksOf(state) ?? [], withoutChange: 0, withoutProgress: 0 };
}

/** After a session of this phase has ended. Agents that work at the same time count as one delegation. */
export function withAttempt(state: MagnusState): MagnusState {
  const { attempts } = state;
  const isBusy = Object.values(state.sessions).some(
    ({ parent, isOpen, phase, agent }) =>
      parent !== undefined && isOpen && phase === state.phase && roleOf(state, agent) !== "explorer",
  );
  const marks = marksOf(state);
  if (isBusy || marks === undefined) return state;
  const [missing, withFiles] = marks as [string, string];
  return {
    ...state,
    attempts: {
      seen: [...attempts.seen, ...marks],
      withoutChange: attempts.seen.includes(withFiles) ? attempts.withoutChange + 1 : 0,
      withoutProgress: attempts.seen.includes(missing) ? attempts.withoutProgress + 1 : 0,
    },
  };
}

/** Why the run should stop and ask; undefined if it need not. */
export function whyStuck(state: MagnusState): string | undefined {
  const { withoutChange, withoutProgress } = state.attempts;
  // A round is a repair and the check of it; the first check comes before the first repair.
  const most = 2 * Math.max(1, state.options.maxIterations) - 1;
  if (state.status.kind !== "running" || (withoutChange < mostWithoutChange && withoutProgress < most))
    return undefined;
  const missing = unmetConditions(state).map(({ what }) => what);
  const times = Math.max(withoutChange, withoutProgress);
  return `${phases[state.phase].title} still lacks ${missing.join("; ")}, and ${times} delegations in a row have not changed that`;
}

function marksOf(state: MagnusState): readonly string[] | undefined {
  const missing = unmetConditions(state).filter(({ needs }) => needs !== "person");
  if (missing.length === 0) return undefined;
  const wanted = JSON.stringify(missing.map(({ gate, what, same = what }) => [gate, same]));
  return [wanted, `${wanted} ${state.tree}`];
}
