// What happened in a run, in order. Both the text and the page show this reading of the journal. Pure.
import { count, formatDuration } from "@atomic/terminal/count";
import { moment, money, tokens } from "@atomic/workflows/internal/view/page-amounts";
import type { CostPoint, Tone } from "@atomic/workflows/internal/view/page-charts";
import type { MagnusEvent } from "../run/event.ts";
import { tallyOf, unmetConditions, waitsForPerson } from "../run/gates.ts";
import { nextStep } from "../run/next-step.ts";
import type { GateName, PhaseName } from "../run/phase-name.ts";
import { gateOf, phases } from "../run/phases.ts";
import { reduce } from "../run/reduce.ts";
import type { MagnusState, Visit } from "../run/state.ts";
import { describe, type EventDescription, nameOf, whoOf } from "./describe-event.ts";

export interface TimelineEntry extends EventDescription {
  readonly at: number;
  readonly type: MagnusEvent["type"];
  readonly who: string;
  /** A person did it, or is said to have done it. */
  readonly isPerson: boolean;
  readonly phase: PhaseName;
  /** It is in the journal, but was not allowed and changed nothing. */
  readonly isIgnored: boolean;
}

/** How long the run stayed in a phase, what that cost, and how its gate was opened. */
export interface PhaseStay {
  readonly phase: PhaseName;
  readonly title: string;
  /** 1 for the first stay in this phase. */
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly end: keyof typeof endTones;
  readonly tone: Tone;
  readonly gate: GateName | null;
  /** What opened the gate, or what it still lacks. */
  readonly because: string;
  readonly usd: number;
  /** How long the run waited for a person. */
  readonly waitedMs: number;
}

const endTones = { passed: "good", waived: "warn", "sent-back": "warn", open: "plain", cancelled: "bad" } as const;

/** A session that worked for the run. */
interface Delegation {
  readonly session: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly phase: PhaseName;
  readonly from: number;
  /** Undefined if it has not ended, or its end was not seen. */
  readonly to: number | undefined;
  readonly outcome: "idle" | "error" | "lost" | "open";
  readonly usd: number;
  readonly tokens: number;
}

export interface Timeline {
  /** At the end. */
  readonly state: MagnusState;
  readonly from: number;
  readonly to: number;
  readonly stays: readonly PhaseStay[];
  readonly delegations: readonly Delegation[];
  readonly costs: readonly CostPoint[];
  /** Everything that happened, except events that only report a cost. */
  readonly entries: readonly TimelineEntry[];
}

/** Undefined if these are not a run's events. */
export function timelineOf(events: readonly MagnusEvent[]): Timeline | undefined {
  let state: MagnusState | undefined;
  const visits: { usd: number; waitedMs: number; because: string }[] = [];
  const sessions = new Map<string, Delegation>();
  const messages = new Map<string, { readonly usd: number; readonly tokens: number }>();
  const entries: TimelineEntry[] = [];
  const costs: CostPoint[] = [];
  for (const event of events) {
    const before = state;
    state = reduce(state, event);
    if (state === undefined) continue;
    while (visits.length < state.visits.length) visits.push({ usd: 0, waitedMs: 0, because: "" });
    if (before !== undefined) {
      const index = before.visits.length - 1;
      const visit = visits[index]!;
      const { kind } = before.status;
      visit.usd += state.spent.run.usd - before.spent.run.usd;
      if (kind === "paused" || (kind === "running" && waitsForPerson(before))) visit.waitedMs += state.at - before.at;
      const after = state.visits[index]!;
      if (before.visits[index]!.left === undefined && after.left !== undefined) {
        visit.because = reasonFor(before, event, after);
      }
    }
    const isIgnored = before !== undefined && state.ignored > before.ignored;
    if (!isIgnored && event.type === "session-joined") {
      const { session, agent, model } = event;
      const known = sessions.get(session) ?? { from: state.at, usd: 0, tokens: 0 };
      sessions.set(session, { ...known, session, agent, model, phase: state.phase, to: undefined, outcome: "open" });
    } else if (!isIgnored && event.type === "session-ended") {
      const known = sessions.get(event.session);
      if (known !== undefined) sessions.set(event.session, { ...known, to: state.at, outcome: event.outcome });
    } else if (!isIgnored && event.type === "usage-seen") {
      // An event about the same message replaces the one before.
      const earlier = messages.get(event.message) ?? { usd: 0, tokens: 0 };
      messages.set(event.message, event);
      const known = sessions.get(event.session);
      if (known !== undefined) {
        const usd = known.usd + event.usd - earlier.usd;
        sessions.set(event.session, { ...known, usd, tokens: known.tokens + event.tokens - earlier.tokens });
      }
    }
    if (event.type === "usage-seen") {
      costs.push({ at: state.at, usd: state.spent.run.usd, tokens: state.spent.run.tokens });
    } else {
      const { phase, startedAt } = before ?? state;
      const isPerson = event.by.kind === "person" || event.type === "held";
      const at = Math.max(event.at, startedAt);
      entries.push({ ...describe(event), at, type: event.type, who: whoOf(event), isPerson, phase, isIgnored });
    }
  }
  if (state === undefined) return undefined;
  const end = state;
  const isCancelled = end.status.kind === "cancelled";
  const stays = end.visits.map(({ phase, number, from, to = end.at, left }, index): PhaseStay => {
    const { usd, waitedMs, because } = visits[index]!;
    const lacks = left === undefined && !isCancelled ? unmetConditions(end).map(({ what }) => what) : [];
    const how = left ?? (isCancelled ? "cancelled" : "open");
    return {
      ...{ phase, title: phases[phase].title, number, from, to, usd, waitedMs, end: how, tone: endTones[how] },
      gate: gateOf(end, phase),
      because: lacks.length > 0 ? `lacks ${lacks.join("; ")}` : because,
    };
  });
  return { state, from: end.startedAt, to: end.at, entries, costs, stays, delegations: [...sessions.values()] };
}

/** Why a phase was left. */
function reasonFor(before: MagnusState, event: MagnusEvent, { phase, left }: Visit): string {
  if (event.type === "rejected") return `rejected by ${nameOf(event.by)}: ${event.notes}`;
  if (event.type === "waived") return `waived by ${nameOf(event.by)}: ${event.why}`;
  if (event.type === "approved") return `approved by ${nameOf(event.by)}`;
  if (left === "waived") return "waived";
  const gate = gateOf(before, phase);
  const approval = before.approvals.findLast((each) => each.phase === phase);
  if (gate === "user_approval" && approval !== undefined) return `approved by ${nameOf(approval.by)}`;
  if (gate === "all_tests_pass") {
    const counts = before.evidence.at(-1)?.counts;
    return counts === undefined ? "" : `${count(counts.passed, "test")} ${counts.passed === 1 ? "passes" : "pass"}`;
  }
  if (phases[phase].judge === undefined) return "";
  const { because, label } = tallyOf(before);
  return `${because} (${label})`;
}

/** A refusal that repeats the one before is shown once, with a count. */
export function grouped(
  entries: readonly TimelineEntry[],
): readonly { readonly entry: TimelineEntry; readonly count: number }[] {
  const groups: { entry: TimelineEntry; count: number }[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    const isRepeated =
      last?.entry.type === "call-refused" &&
      entry.type === "call-refused" &&
      (["what", "detail", "phase", "isIgnored"] as const).every((key) => last.entry[key] === entry[key]);
    if (isRepeated) last.count += 1;
    else groups.push({ entry, count: 1 });
  }
  return groups;
}

/** The top of a timeline: what the run is, and its status. */
export interface TimelineSummary {
  readonly status: string;
  readonly tone: Tone;
  /** Name and value. */
  readonly facts: readonly (readonly [string, string])[];
  /** What you should know before you accept the work. */
  readonly concerns: readonly string[];
}

export function summaryOf({ state, from, to, stays }: Timeline): TimelineSummary {
  const { spent, flow, workflow, refusals, ignored, worktree, folder } = state;
  const next = nextStep(state);
  const waited = stays.reduce((sum, { waitedMs }) => sum + waitedMs, 0);
  const waiting = waited > 0 ? ` (${formatDuration(waited)} waiting for the user)` : "";
  return {
    ...statusOf(state),
    facts: [
      ["run", `${flow}, ${workflow}`],
      ["began", moment(from)],
      ["time", `${formatDuration(to - from)}${waiting}`],
      ["cost", `${money(spent.run.usd)}, ${tokens(spent.run.tokens)} tokens, ${count(spent.run.sessions, "session")}`],
      ["refusals", String(refusals)],
      ...(ignored > 0 ? [["ignored", `${count(ignored, "event")} not allowed, so not counted`] as const] : []),
      ["folder", `${worktree}/${folder}`],
    ],
    concerns: next.do === "wait" ? next.concerns : [],
  };
}

export function statusOf({ status, phase }: MagnusState): { status: string; tone: Tone } {
  switch (status.kind) {
    case "running":
      return { status: `running, in ${phase}`, tone: "plain" };
    case "paused":
      return { status: `paused in ${phase} (${status.reason}): ${status.detail}`, tone: "warn" };
    case "done":
      return { status: "done", tone: "good" };
    case "cancelled":
      return { status: `cancelled in ${phase}${status.why === "" ? "" : `: ${status.why}`}`, tone: "bad" };
  }
}
