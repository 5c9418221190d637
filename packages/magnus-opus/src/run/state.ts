// A run's state: a fold of its journal, and nothing else.
import type { ExceededLimit, RunBudget, Spending } from "./budget.ts";
import type { PersonDecision, PersonIdentity } from "./event.ts";
import type { TestEvidence } from "./evidence.ts";
import type { Flow, GateName, PhaseName, WorkflowType } from "./phase-name.ts";
import type { Vote } from "./review.ts";
import type { MagnusRunOptions } from "./run-options.ts";

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

/** `held`: decisions wait for a person's confirmation. */
export type PauseReason = "abort" | "journal-changed" | "command" | "error" | "budget" | "held";

/** A decision that counts once a person confirms it. */
export interface HeldDecision {
  readonly number: number;
  readonly decision: PersonDecision;
  /** Who made it: the user, the process and what started that. */
  readonly from: string;
  /** What is doubtful about it. */
  readonly why: string;
  readonly at: number;
}

/** One stay in a phase. The same phase can be entered again. */
export interface Visit {
  readonly phase: PhaseName;
  /** Counts the stays in this phase, from 1. */
  readonly number: number;
  readonly from: number;
  readonly to?: number;
  readonly left?: "passed" | "waived" | "sent-back";
  /** The files as they were on entering. */
  readonly treeAtEntry: string | undefined;
}

interface Member {
  readonly agent: string;
  readonly parent: string | undefined;
  readonly depth: number;
  readonly phase: PhaseName;
  readonly model?: string | undefined;
  readonly isOpen: boolean;
}

interface Approval {
  readonly phase: PhaseName;
  readonly subject: string;
  readonly by: PersonIdentity;
  readonly at: number;
}

interface Waiver {
  readonly phase: PhaseName;
  /** Of which stay: a waiver ends with it. */
  readonly visit: number;
  readonly gate: GateName | "phase";
  readonly by: PersonIdentity;
  readonly why: string;
  readonly at: number;
}

interface Rejection {
  readonly phase: PhaseName;
  readonly to: PhaseName;
  readonly notes: string;
  readonly by: PersonIdentity;
  readonly at: number;
}

/** A vote with what it is about. */
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
  readonly status: Status;
  readonly phase: PhaseName;
  readonly visits: readonly Visit[];
  /** How often a check has sent the work back since a person last did. */
  readonly rounds: Partial<Record<PhaseName, number>>;
  /** The orchestrator says that the phase is finished, and only a person can go on. */
  readonly isReady: boolean;
  readonly artifacts: Readonly<Record<string, string>>;
  readonly tree: string | undefined;
  readonly evidence: readonly TestEvidence[];
  readonly votes: readonly CastVote[];
  readonly approvals: readonly Approval[];
  readonly waivers: readonly Waiver[];
  readonly rejections: readonly Rejection[];
  /** Those that nobody has confirmed or dismissed yet, and how many there ever were. */
  readonly held: readonly HeldDecision[];
  readonly heldSoFar: number;
  readonly sessions: Readonly<Record<string, Member>>;
  readonly budget: RunBudget;
  readonly spent: { readonly run: Spending; readonly phases: Partial<Record<PhaseName, Spending>> };
  /** What each message cost, and in which phase: told twice, it is counted once. */
  readonly messages: Readonly<Record<string, { usd: number; tokens: number; phase: PhaseName }>>;
  readonly refusals: number;
  /** Events that were not allowed to happen: malformed, out of turn, or by the wrong maker. */
  readonly ignored: number;
  readonly startedAt: number;
  /** Time of the last event. */
  readonly at: number;
}

/** The session that the run began in. */
export function rootOf({ sessions }: MagnusState): string | undefined {
  return Object.keys(sessions).find((session) => sessions[session]!.parent === undefined);
}

export function isOver({ status }: Pick<MagnusState, "status">): boolean {
  return status.kind === "done" || status.kind === "cancelled";
}

export function currentVisit(state: MagnusState): Visit {
  return state.visits.at(-1)!;
}

export function visitsOf(state: MagnusState, phase: PhaseName): number {
  return state.visits.filter((visit) => visit.phase === phase).length;
}

/** Whether a person has said, for the latest stay in that phase, to go on without it. */
export function isWaived(state: MagnusState, gate: GateName | "phase", phase: PhaseName): boolean {
  const visit = visitsOf(state, phase);
  return state.waivers.some(
    (waiver) => waiver.phase === phase && waiver.visit === visit && (waiver.gate === gate || waiver.gate === "phase"),
  );
}

/** Names come from outside: "constructor" is in every object, but not in the record. */
export function lookUp<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
