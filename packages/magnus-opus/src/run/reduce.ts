// The only place where a run goes on. Total: an event that may not happen now changes nothing but a count.
import { exceeded, exceededText, longestWork, nothingSpent, raised, type Spent } from "./budget.ts";
import { type EventOf, type MagnusEvent, newerType, type PersonDecision, readEvent } from "./event.ts";
import { lacksOf, roleOf, subjectOf, waitsForPerson } from "./gates.ts";
import { heldText } from "./held.ts";
import type { PhaseName } from "./phase-name.ts";
import { phaseAfter, phases, phasesOf } from "./phases.ts";
import { currentVisit, lookUp, type Paused, type PauseReason, type RunState, type Visit, visitsOf } from "./state.ts";

export function reduce(state: RunState, event: MagnusEvent): RunState;
export function reduce(state: RunState | undefined, event: MagnusEvent): RunState | undefined;
export function reduce(state: RunState | undefined, event: MagnusEvent): RunState | undefined {
  const read = readEvent(event);
  if (state === undefined) return read?.type === "run-started" ? started(read) : undefined;
  const newer = read === undefined ? newerType(event) : undefined;
  // What a newer version decided is not known here, so nothing goes on without a person.
  if (newer !== undefined) return pausedFor(state, "journal-changed", newerText(newer));
  const next = read === undefined ? undefined : apply(withTime(state, read), read);
  if (next === undefined) return { ...state, ignored: state.ignored + 1 };
  return withinBudget(heldBack(settled(next)));
}

function started(event: EventOf<"run-started">): RunState {
  const { run, flow, description, workflow, worktree, folder, options, session, at } = event;
  const [phase] = phasesOf({ flow, workflow, options });
  const state: RunState = {
    ...{ run, flow, description, workflow, worktree, folder, options, at, startedAt: at, phase: phase! },
    ...{ status: { kind: "running" }, visits: [], rounds: {}, isReady: false, artifacts: {}, tree: undefined },
    ...{ evidence: [], votes: [], approvals: [], waivers: [], rejections: [], held: [], heldSoFar: 0 },
    ...{ messages: {}, refusals: 0, ignored: 0 },
    sessions: { [session]: { agent: "orchestrator", parent: undefined, depth: 0, phase: phase!, isOpen: true } },
    budget: options.budget,
    spent: { run: nothingSpent, phases: {} },
  };
  return withinBudget(entered(state, phase!));
}

/** Undefined: this may not happen now. */
function apply(state: RunState, event: MagnusEvent): RunState | undefined {
  const isOver = state.status.kind === "done" || state.status.kind === "cancelled";
  switch (event.type) {
    case "run-opened":
      return state;
    case "usage-seen":
      return withUsage(state, event);
    case "session-ended":
      return withSessionEnded(state, event.session);
    case "call-refused":
      return refused(state, event);
    case "paused":
      return pausedFor(state, event.reason, event.detail);
    case "held":
      return withHeld(state, event);
    case "confirmed":
    case "dismissed":
      return answered(state, event);
  }
  if (isOver) return undefined;
  switch (event.type) {
    case "session-joined":
      return withSession(state, event);
    case "artifact-seen":
      return withArtifact(state, event);
    case "tree-seen":
      return withTree(state, event.tree);
    case "tests-ran":
      return withTree({ ...state, evidence: [...state.evidence, event.evidence] }, event.evidence.tree);
    case "phase-ready":
      return ready(state, event);
    case "review-submitted":
      return voted(state, event);
    case "run-started":
      return undefined;
    default:
      return byPerson(state, event);
  }
}

function byPerson(state: RunState, event: PersonDecision): RunState | undefined {
  switch (event.type) {
    case "approved":
      return approved(state, event);
    case "rejected":
      return rejected(state, event);
    case "waived":
      return waived(state, event);
    case "type-chosen":
      return state.phase === "requirements" ? { ...state, workflow: event.workflow } : undefined;
    case "resumed":
      return state.status.kind === "paused" ? goneOn(state, state.status) : undefined;
    case "cancelled":
      return { ...state, status: { kind: "cancelled", why: event.why } };
    case "budget-raised":
      return withBudget(state, event);
  }
}

/** Also of a run that is done: who ended it may not have been a person. A cancelled one has nothing left to stop. */
function pausedFor(state: RunState, reason: PauseReason, detail: string): RunState {
  const { status } = state;
  if (status.kind === "cancelled") return state;
  const wasDone = status.kind === "done" || (status.kind === "paused" && status.wasDone === true);
  return { ...state, status: { kind: "paused", reason, detail, ...(wasDone && { wasDone }) } };
}

function goneOn(state: RunState, { wasDone }: Paused): RunState {
  return { ...state, status: { kind: wasDone === true ? "done" : "running" } };
}

// ---- decisions that may not be a person's

function withHeld(state: RunState, { decision, from, why, at }: EventOf<"held">): RunState {
  const number = state.heldSoFar + 1;
  const next = { ...state, heldSoFar: number, held: [...state.held, { number, decision, from, why, at }] };
  const isPaused = state.status.kind === "paused" && state.status.reason !== "held";
  return isPaused ? next : pausedFor(next, "held", heldText(next.held));
}

/** Confirmed, it is a decision of the person who says so, of now. */
function answered(state: RunState, event: EventOf<"confirmed" | "dismissed">): RunState | undefined {
  const { type, held: number, by, at } = event;
  const found = state.held.find((each) => each.number === number);
  if (found === undefined || state.status.kind === "cancelled") return undefined;
  const decided = type === "dismissed" ? state : byPerson(state, { ...found.decision, by, at });
  if (decided === undefined) return undefined;
  const next = { ...decided, held: state.held.filter((each) => each !== found) };
  const { status } = next;
  return status.kind === "paused" && status.reason === "held" ? goneOn(next, status) : next;
}

/** As long as one of them waits. */
function heldBack(state: RunState): RunState {
  const isOn = state.status.kind === "running" || state.status.kind === "done";
  return isOn && state.held.length > 0 ? pausedFor(state, "held", heldText(state.held)) : state;
}

function newerText(type: string): string {
  return `the journal: it has an event "${type.slice(0, 40)}" that only a newer version of Magnus Opus knows`;
}

// ---- agents

function ready(state: RunState, { phase, by }: EventOf<"phase-ready">): RunState | undefined {
  const member = lookUp(state.sessions, by.session);
  const isRoot = member !== undefined && member.parent === undefined && roleOf(state, by.agent) === "orchestrator";
  if (!isRoot || phase !== state.phase || state.status.kind !== "running") return undefined;
  const needs = new Set(lacksOf(state).map((lack) => lack.needs));
  if (needs.has("agent")) return state;
  const target = phases[phase].sendsBackTo;
  if (!needs.has("fix") || target === undefined) return { ...state, isReady: true };
  const rounds = { ...state.rounds, [phase]: (state.rounds[phase] ?? 0) + 1 };
  return entered(left({ ...state, rounds }, "sent-back"), target);
}

/** Only from a session of this run that was opened for a reviewer of this phase. */
function voted(state: RunState, { by, submission, model }: EventOf<"review-submitted">): RunState | undefined {
  const { phase } = state;
  const member = lookUp(state.sessions, by.session);
  const judge = phases[phase].judge?.role;
  if (member === undefined || member.parent === undefined || member.phase !== phase || member.agent !== by.agent) {
    return undefined;
  }
  if (judge === undefined || roleOf(state, member.agent) !== judge) return undefined;
  const about = { phase, visit: visitsOf(state, phase), subject: subjectOf(state, phase) };
  const vote = { session: by.session, model: model ?? member.model, submission, ...about };
  return { ...state, votes: [...state.votes, vote] };
}

// ---- persons

/** The present phase; or the plan, which can change under the hands of those who build it and needs its approval again. */
function concerns(state: RunState, phase: PhaseName): boolean {
  return phase === state.phase || (phase === "architecture" && visitsOf(state, phase) > 0);
}

/** An approval is of what the person saw. If that has changed meanwhile, it approves nothing. */
function approved(state: RunState, { phase, subject, by, at }: EventOf<"approved">): RunState | undefined {
  if (phases[phase].gate !== "user_approval" || subject !== subjectOf(state, phase)) return undefined;
  if (!concerns(state, phase)) return undefined;
  const isReady = state.isReady || phase === state.phase;
  return { ...state, isReady, approvals: [...state.approvals, { phase, subject, by, at }] };
}

function rejected(state: RunState, { phase, to, notes, by, at }: EventOf<"rejected">): RunState | undefined {
  const route = phasesOf(state);
  if (phase !== state.phase || !route.includes(to) || route.indexOf(to) > route.indexOf(phase)) return undefined;
  const rejections = [...state.rejections, { phase, to, notes, by, at }];
  const { status } = state;
  const open = status.kind === "paused" ? { ...status, wasDone: false } : status;
  return entered(left({ ...state, rejections, rounds: {}, status: open }, "sent-back"), to);
}

function waived(state: RunState, { phase, gate, why, by, at }: EventOf<"waived">): RunState | undefined {
  if (phase !== state.phase && !(gate === "user_approval" && concerns(state, phase))) return undefined;
  const waiver = { phase, visit: visitsOf(state, phase), gate, by, why, at };
  return { ...state, isReady: state.isReady || phase === state.phase, waivers: [...state.waivers, waiver] };
}

function withBudget(state: RunState, event: EventOf<"budget-raised">): RunState {
  const { status, phase, options } = state;
  const { maxIterations = 0 } = event;
  const phaseLimits = raised(state.budget.phases[phase] ?? {}, event.phase);
  const next: RunState = {
    ...state,
    budget: { run: raised(state.budget.run, event.run), phases: { ...state.budget.phases, [phase]: phaseLimits } },
    options: { ...options, maxIterations: Math.max(options.maxIterations, maxIterations) },
    isReady: state.isReady && maxIterations === 0,
  };
  if (status.kind !== "paused" || status.reason !== "budget") return next;
  const isOver = exceeded(next, status.over?.limit === "sessions") !== undefined;
  return isOver ? next : { ...next, status: { kind: "running" } };
}

// ---- what the plugin saw

function withSession(state: RunState, event: EventOf<"session-joined">): RunState | undefined {
  const { session, parent, agent, depth, model } = event;
  const known = lookUp(state.sessions, session);
  if (known !== undefined && known.parent === undefined) return undefined; // the root stays the root
  const member = { agent, parent, depth, phase: state.phase, model, isOpen: true };
  const joined = { ...state, sessions: { ...state.sessions, [session]: member } };
  return known === undefined ? spend(joined, state.phase, { sessions: 1 }) : joined;
}

function withSessionEnded(state: RunState, session: string): RunState | undefined {
  const member = lookUp(state.sessions, session);
  if (member === undefined) return undefined;
  return { ...state, sessions: { ...state.sessions, [session]: { ...member, isOpen: false } } };
}

function withArtifact(state: RunState, { path, hash, bytes }: EventOf<"artifact-seen">): RunState {
  const { [path]: _, ...others } = state.artifacts;
  return { ...state, artifacts: bytes > 0 ? { ...others, [path]: hash } : others };
}

/** The first look at the files is the one to compare with. */
function withTree(state: RunState, tree: string): RunState {
  const visit = currentVisit(state);
  if (visit.treeAtEntry !== undefined) return { ...state, tree };
  return { ...state, tree, visits: [...state.visits.slice(0, -1), { ...visit, treeAtEntry: tree }] };
}

function withUsage(state: RunState, { message, usd, tokens }: EventOf<"usage-seen">): RunState {
  const before = lookUp(state.messages, message) ?? { usd: 0, tokens: 0, phase: state.phase };
  const messages = { ...state.messages, [message]: { usd, tokens, phase: before.phase } };
  return spend({ ...state, messages }, before.phase, { usd: usd - before.usd, tokens: tokens - before.tokens });
}

/** Over the limit of sessions, only a person can help. */
function refused(state: RunState, { gate, missing }: EventOf<"call-refused">): RunState {
  const next = { ...state, refusals: state.refusals + 1 };
  const over = exceeded(state, true);
  if (gate !== "budget" || over === undefined || state.status.kind !== "running") return next;
  return { ...next, status: { kind: "paused", reason: "budget", detail: missing, over } };
}

// ---- going on

function settled(state: RunState): RunState {
  if (state.status.kind !== "running" || !state.isReady || lacksOf(state).length > 0) return state;
  const { phase } = state;
  const gone = left(state, state.waivers.some((each) => isOfStay(state, each)) ? "waived" : "passed");
  const next = phaseAfter(state, phase);
  return next === undefined ? { ...gone, isReady: false, status: { kind: "done" } } : entered(gone, next);
}

function isOfStay(state: RunState, { phase, visit }: RunState["waivers"][number]): boolean {
  return phase === state.phase && visit === visitsOf(state, phase);
}

/** What was approved here or later is no longer: the work begins anew. */
function entered(state: RunState, phase: PhaseName): RunState {
  const order = phasesOf(state);
  const approvals = state.approvals.filter((each) => order.indexOf(each.phase) < order.indexOf(phase));
  const number = visitsOf(state, phase) + 1;
  const visit: Visit = { phase, number, from: state.at, treeAtEntry: state.tree };
  return { ...state, phase, approvals, isReady: false, visits: [...state.visits, visit] };
}

function left(state: RunState, how: NonNullable<Visit["left"]>): RunState {
  const visit = { ...currentVisit(state), to: state.at, left: how };
  return { ...state, visits: [...state.visits.slice(0, -1), visit] };
}

// ---- what it costs

function withTime(state: RunState, event: MagnusEvent): RunState {
  const at = Math.max(state.at, event.at);
  const isWork = state.status.kind === "running" && !waitsForPerson(state) && event.type !== "run-opened";
  const ms = isWork ? Math.min(at - state.at, longestWork) : 0;
  return spend({ ...state, at }, state.phase, { ms });
}

function withinBudget(state: RunState): RunState {
  const over = state.status.kind === "running" ? exceeded(state, false) : undefined;
  if (over === undefined) return state;
  return { ...state, status: { kind: "paused", reason: "budget", detail: exceededText(over), over } };
}

function spend(state: RunState, phase: PhaseName, more: Partial<Spent>): RunState {
  const { run, phases: each } = state.spent;
  return {
    ...state,
    spent: { run: sum(run, more), phases: { ...each, [phase]: sum(each[phase] ?? nothingSpent, more) } },
  };
}

function sum(spent: Spent, { usd = 0, tokens = 0, ms = 0, sessions = 0 }: Partial<Spent>): Spent {
  return {
    usd: spent.usd + usd,
    tokens: spent.tokens + tokens,
    ms: spent.ms + ms,
    sessions: spent.sessions + sessions,
  };
}
