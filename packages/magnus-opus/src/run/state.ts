// A run's state, computed only from its journal.
import type { AgentNames } from "./agent-names.ts";
import type { ExceededLimit, RunBudget, RunSpending } from "./budget.ts";
import type { CommandNames } from "./command-names.ts";
import type { EventOf, PersonDecision } from "./event.ts";
import type { TestEvidence } from "./evidence.ts";
import type { Flow, PhaseName, Waivable, WorkflowType } from "./phase-name.ts";
import type { Vote } from "./review.ts";
import type { MagnusRunOptions } from "./run-options.ts";
import type { Attempts } from "./stuck.ts";

export type Status =
  | { readonly kind: "running" }
  | Paused
  | { readonly kind: "done" }
  | { readonly kind: "cancelled"; readonly why: string };

export interface Paused {
  readonly kind: "paused";
  readonly reason: PauseReason;
  readonly detail: string;
  readonly over?: ExceededLimit | undefined;
  /** The run had ended before. Resumed, it is done again. */
  readonly wasDone?: boolean;
}

/**
 * `held`: decisions are waiting for a person's confirmation. `newer-version`: this plugin cannot read the rest of the journal.
 * `stuck`: agents were sent for the same thing again and again.
 */
export type PauseReason =
  | "abort"
  | "journal-changed"
  | "command"
  | "error"
  | "budget"
  | "held"
  | "newer-version"
  | "stuck";

/** A decision that counts once a person confirms it. */
export interface HeldDecision {
  readonly number: number;
  readonly decision: PersonDecision;
  /** Who made it: the user, the process and what started that. */
  readonly from: string;
  /** Why it is in doubt. */
  readonly why: string;
  readonly at: number;
}

/** One visit to a phase. A run can visit the same phase several times. */
export interface Visit {
  readonly phase: PhaseName;
  /** Counts the visits to this phase, from 1. */
  readonly number: number;
  readonly from: number;
  readonly to?: number;
  readonly left?: "passed" | "waived" | "sent-back";
  /** A hash of the files when the visit began. */
  readonly treeAtEntry: string | undefined;
}

export interface Member {
  readonly agent: string;
  readonly parent: string | undefined;
  readonly depth: number;
  readonly phase: PhaseName;
  readonly model?: string | undefined;
  readonly isOpen: boolean;
}

/** A vote, with what it covers. */
interface CastVote extends Vote {
  readonly phase: PhaseName;
  readonly visit: number;
  readonly subject: string | undefined;
}

export interface MagnusState {
  readonly run: string;
  readonly flow: Flow;
  readonly description: string;
  readonly workflow: WorkflowType;
  readonly worktree: string;
  readonly folder: string;
  readonly options: MagnusRunOptions;
  /** Our agents that have another name in OpenCode. */
  readonly names: AgentNames;
  /** Our commands that have another name in OpenCode. */
  readonly commandNames: CommandNames;
  readonly status: Status;
  readonly phase: PhaseName;
  readonly visits: readonly Visit[];
  /** How often a check has sent the work back since a person last did. */
  readonly rounds: Partial<Record<PhaseName, number>>;
  /** The orchestrator has reported the phase as finished, and only a person can continue. */
  readonly isReady: boolean;
  /** The gates that were unmet when the orchestrator reported the phase as finished; undefined if work has continued since. */
  readonly reportedLacking?: readonly Waivable[] | undefined;
  /** The delegations of this visit since a person last decided something. */
  readonly attempts: Attempts;
  readonly artifacts: Readonly<Record<string, string>>;
  readonly tree: string | undefined;
  readonly evidence: readonly TestEvidence[];
  readonly votes: readonly CastVote[];
  /** The reviews that all reviewers of the phase were asked for. */
  readonly conclusions: readonly (Omit<EventOf<"review-concluded">, "type" | "by"> & { readonly visit: number })[];
  /** Who wrote each report in `reviews/`: no one else may change it. */
  readonly reports: Readonly<Record<string, string>>;
  readonly approvals: readonly Omit<EventOf<"approved">, "type">[];
  /** Each ends with the visit of this number. */
  readonly waivers: readonly (Omit<EventOf<"waived">, "type"> & { readonly visit: number })[];
  readonly rejections: readonly Omit<EventOf<"rejected">, "type">[];
  /** Decisions that no one has confirmed or dismissed yet, and how many were ever held. */
  readonly held: readonly HeldDecision[];
  readonly heldSoFar: number;
  readonly sessions: Readonly<Record<string, Member>>;
  readonly budget: RunBudget;
  readonly spent: RunSpending;
  /** What each message cost, and in which phase. A message reported twice is counted once. */
  readonly messages: Readonly<Record<string, { usd: number; tokens: number; phase: PhaseName }>>;
  readonly refusals: number;
  /** How many events were not allowed: malformed, out of turn, or from the wrong author. */
  readonly ignored: number;
  readonly startedAt: number;
  /** Time of the last event. */
  readonly at: number;
}

/** The session where the run began. */
export function rootOf({ sessions }: MagnusState): string | undefined {
  return Object.keys(sessions).find((session) => sessions[session]!.parent === undefined);
}

export function isOver({ status }: Pick<MagnusState, "status">): boolean {
  return status.kind === "done" || status.kind === "cancelled";
}

/** A newer version wrote to the journal: what the run has decided since is unknown, so it can only be ended. */
export function isFromNewer({ status }: Pick<MagnusState, "status">): boolean {
  return status.kind === "paused" && status.reason === "newer-version";
}

export function currentVisit(state: MagnusState): Visit {
  return state.visits.at(-1)!;
}

export function visitsOf(state: MagnusState, phase: PhaseName): number {
  return state.visits.filter((visit) => visit.phase === phase).length;
}

/** Whether a person waived the gate for the latest visit to this phase. */
export function isWaived(state: MagnusState, gate: Waivable, phase: PhaseName): boolean {
  const visit = visitsOf(state, phase);
  return state.waivers.some(
    (waiver) => waiver.phase === phase && waiver.visit === visit && (waiver.gate === gate || waiver.gate === "phase"),
  );
}

/** Names come from outside: "constructor" is in every object, but not in the record. */
export function lookUp<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
