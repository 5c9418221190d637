// Whether agents keep being sent for the same thing without getting closer to it. Pure; the plugin then asks the user.
import { roleOf, unmetConditions, waitsForPerson } from "./gates.ts";
import { phases } from "./phases.ts";
import type { MagnusState, Member } from "./state.ts";

/** What the delegations of a visit have led to. */
export interface Attempts {
  /** What was missing after each delegation, and with which files. */
  readonly seen: readonly string[];
  /** Delegations in a row after which nothing was new: not even the files. */
  readonly withoutChange: number;
  /** Delegations in a row after which the same things were missing, whatever happened to the files. */
  readonly withoutProgress: number;
  /** How often in a row the next step was asked for, or the explorer, while nothing changed and no agent was sent to work. */
  readonly questions: number;
  /** What was missing at the last question, and with which files. */
  readonly questionedAt: string;
}

const mostWithoutChange = 2;
const mostQuestions = 8;

/** At the beginning of a visit, and whenever a person has decided something. */
export function noAttempts(state: MagnusState): Attempts {
  return { seen: marksOf(state) ?? [], withoutChange: 0, withoutProgress: 0, questions: 0, questionedAt: "" };
}

/** After a session of this phase has ended. Agents that work at the same time count as one delegation. */
export function withAttempt(state: MagnusState): MagnusState {
  const { attempts } = state;
  const marks = marksOf(state);
  if (isBusy(state, ({ agent }) => roleOf(state, agent) !== "explorer") || marks === undefined) return state;
  const [missing, withFiles] = marks as [string, string];
  return {
    ...state,
    attempts: {
      seen: [...attempts.seen, ...marks],
      withoutChange: attempts.seen.includes(withFiles) ? attempts.withoutChange + 1 : 0,
      withoutProgress: attempts.seen.includes(missing) ? attempts.withoutProgress + 1 : 0,
      ...{ questions: 0, questionedAt: "" },
    },
  };
}

/** After the explorer has answered, or the orchestrator has asked for the next step. While an agent works, it may. */
export function withQuestion(state: MagnusState): MagnusState {
  const { attempts } = state;
  const [, withFiles] = marksOf(state) ?? [];
  if (withFiles === undefined || waitsForPerson(state) || isBusy(state)) return state;
  const questions = withFiles === attempts.questionedAt ? attempts.questions + 1 : 1;
  return { ...state, attempts: { ...attempts, questions, questionedAt: withFiles } };
}

function isBusy(state: MagnusState, counts: (member: Member) => boolean = () => true): boolean {
  return Object.values(state.sessions).some(
    (member) => member.parent !== undefined && member.isOpen && member.phase === state.phase && counts(member),
  );
}

/** Why the run should stop and ask; undefined if it need not. */
export function whyStuck(state: MagnusState): string | undefined {
  const { withoutChange, withoutProgress, questions } = state.attempts;
  // A round is a repair and the check of it; the first check comes before the first repair.
  const most = 2 * Math.max(1, state.options.maxIterations) - 1;
  const isAttempted = withoutChange >= mostWithoutChange || withoutProgress >= most;
  if (state.status.kind !== "running" || (!isAttempted && questions < mostQuestions)) return undefined;
  const missing = unmetConditions(state).map(({ what }) => what);
  const tried = isAttempted
    ? `${Math.max(withoutChange, withoutProgress)} delegations in a row have not changed that`
    : `no agent was sent to change that: the orchestrator only asked, ${questions} times in a row`;
  return `${phases[state.phase].title} still lacks ${missing.join("; ")}, and ${tried}`;
}

function marksOf(state: MagnusState): readonly string[] | undefined {
  const missing = unmetConditions(state).filter(({ needs }) => needs !== "person");
  if (missing.length === 0) return undefined;
  const wanted = JSON.stringify(missing.map(({ gate, what, same = what }) => [gate, same]));
  return [wanted, `${wanted} ${state.tree}`];
}
