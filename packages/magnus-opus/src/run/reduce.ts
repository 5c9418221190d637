// The only place where a run's state changes. Total: an event that is not allowed only increases a counter.
import { nameInOpencode } from "./agent-names.ts";
import { exceeded, exceededText, longestWork, nothingSpent, raised, type Spending } from "./budget.ts";
import { isPersonEvent, type MagnusEvent, type PersonDecision, readEvent, signOfNewer } from "./event.ts";
import { isReviewer, roleOf, subjectOf, unmetConditions, waitsForPerson } from "./gates.ts";
import { heldText } from "./held.ts";
import type { PhaseName } from "./phase-name.ts";
import { phaseAfter, phases, phasesOf } from "./phases.ts";
import {
  currentVisit,
  isFromNewer,
  isOver,
  isWaived,
  lookUp,
  type MagnusState,
  type Paused,
  type PauseReason,
  rootOf,
  type Visit,
  visitsOf,
} from "./state.ts";
import { noAttempts, withAttempt, withQuestion } from "./stuck.ts";

export function reduce(state: MagnusState, event: MagnusEvent): MagnusState;
export function reduce(state: MagnusState | undefined, event: MagnusEvent): MagnusState | undefined;
export function reduce(state: MagnusState | undefined, event: MagnusEvent): MagnusState | undefined {
  const read = readEvent(event);
  const newer = signOfNewer(event);
  if (state === undefined) {
    if (read?.type !== "run-started") return undefined;
    const { run, flow, description, workflow, worktree, folder, options, session, at } = read;
    const phase = phasesOf({ flow, workflow, options })[0]!;
    const begun: MagnusState = {
      ...{ run, flow, description, workflow, worktree, folder, options, at, startedAt: at, phase },
      ...{ status: { kind: "running" }, visits: [], rounds: {}, isReady: false, artifacts: {}, tree: undefined },
      names: {},
      commandNames: {},
      attempts: { seen: [], withoutChange: 0, withoutProgress: 0, questions: 0, questionedAt: "" },
      ...{
        evidence: [],
        votes: [],
        conclusions: [],
        reports: {},
        approvals: [],
        waivers: [],
        rejections: [],
        held: [],
        heldSoFar: 0,
      },
      ...{ messages: {}, refusals: 0, ignored: 0, budget: options.budget, spent: { run: nothingSpent, phases: {} } },
      sessions: { [session]: { agent: "orchestrator", parent: undefined, depth: 0, phase, isOpen: true } },
    };
    const first = withinBudget(entered(begun, phase));
    return newer === undefined ? first : pausedFor(first, "newer-version", newerText(newer));
  }
  if (newer !== undefined) return pausedFor(state, "newer-version", newerText(newer));
  if (read === undefined) return { ...state, ignored: state.ignored + 1 };
  if (isFromNewer(state) && read.type !== "cancelled") {
    const next = isPersonEvent(read) ? undefined : apply(state, read);
    return next === undefined ? { ...state, ignored: state.ignored + 1 } : { ...next, status: state.status };
  }
  const at = Math.max(state.at, read.at);
  const isWork = state.status.kind === "running" && !waitsForPerson(state) && read.type !== "run-opened";
  const ms = isWork ? Math.min(at - state.at, longestWork) : 0;
  let next = apply(spend({ ...state, at }, state.phase, { ms }), read);
  if (next === undefined) return { ...state, ignored: state.ignored + 1 };
  if (next.status.kind === "running" && next.isReady && unmetConditions(next).length === 0) {
    const { phase } = next;
    const visit = visitsOf(next, phase);
    const isWaivedStay = next.waivers.some((each) => each.phase === phase && each.visit === visit);
    const gone = left(next, isWaivedStay ? "waived" : "passed");
    const { returnsTo } = phases[phase];
    // Findings that stay as they are need no second check.
    const areLeft = returnsTo !== undefined && isWaived(next, "pass_or_fix", phase) && !isWaived(next, "phase", phase);
    const after = phaseAfter(next, areLeft ? returnsTo : phase);
    next = after === undefined ? { ...gone, isReady: false, status: { kind: "done" } } : entered(gone, after);
  }
  // The run does not continue while a decision is waiting for confirmation.
  const isOn = next.status.kind === "running" || next.status.kind === "done";
  if (isOn && next.held.length > 0) next = pausedFor(next, "held", heldText(next.held));
  return withinBudget(next);
}

/** Undefined if this is not allowed now. */
function apply(state: MagnusState, event: MagnusEvent): MagnusState | undefined {
  // These can also happen after the run has ended.
  switch (event.type) {
    case "run-opened":
      return state;
    case "agents-named": {
      const { names, commands: commandNames = {} } = event;
      const root = rootOf(state)!;
      const orchestrator = { ...state.sessions[root]!, agent: nameInOpencode(names, "orchestrator") };
      return { ...state, names, commandNames, sessions: { ...state.sessions, [root]: orchestrator } };
    }
    case "usage-seen": {
      const { message, usd, tokens } = event;
      const before = lookUp(state.messages, message) ?? { usd: 0, tokens: 0, phase: state.phase };
      const messages = { ...state.messages, [message]: { usd, tokens, phase: before.phase } };
      return spend({ ...state, messages }, before.phase, { usd: usd - before.usd, tokens: tokens - before.tokens });
    }
    case "session-ended": {
      const member = lookUp(state.sessions, event.session);
      if (member === undefined) return undefined;
      const next = { ...state, sessions: { ...state.sessions, [event.session]: { ...member, isOpen: false } } };
      // A crash says nothing about the work, and a question to the explorer is not an attempt at it.
      const isAttempt = member.isOpen && member.phase === state.phase && event.outcome !== "lost";
      if (!isAttempt || member.parent === undefined || state.status.kind !== "running") return next;
      return roleOf(state, member.agent) === "explorer" ? withQuestion(next) : withAttempt(next);
    }
    case "call-refused": {
      const next = { ...state, refusals: state.refusals + 1 };
      // Only a person can raise the session limit.
      const over = exceeded(state, true);
      if (event.gate !== "budget" || over === undefined || state.status.kind !== "running") return next;
      return { ...next, status: { kind: "paused", reason: "budget", detail: event.missing, over } };
    }
    case "paused":
      return pausedFor(state, event.reason, event.detail);
    case "held": {
      const { decision, from, why, at } = event;
      const number = state.heldSoFar + 1;
      const next = { ...state, heldSoFar: number, held: [...state.held, { number, decision, from, why, at }] };
      const isPaused = state.status.kind === "paused" && state.status.reason !== "held";
      return isPaused ? next : pausedFor(next, "held", heldText(next.held));
    }
    case "confirmed":
    case "dismissed": {
      const { type, held: number, by, at } = event;
      const found = state.held.find((each) => each.number === number);
      if (found === undefined || state.status.kind === "cancelled") return undefined;
      // A confirmed decision counts as the confirming person's, made now.
      const made = type === "dismissed" ? state : byPerson(state, { ...found.decision, by, at });
      if (made === undefined) return undefined;
      const next = { ...decided(made), held: state.held.filter((each) => each !== found) };
      const { status } = next;
      return status.kind === "paused" && status.reason === "held" ? resumed(next, status) : next;
    }
  }
  if (isOver(state)) return undefined;
  switch (event.type) {
    case "session-joined": {
      const { session, parent, agent, depth, model } = event;
      const known = lookUp(state.sessions, session);
      if (known !== undefined && known.parent === undefined) return undefined; // the root stays the root
      const member = { agent, parent, depth, phase: state.phase, model, isOpen: true };
      const joined = { ...state, reportedLacking: undefined, sessions: { ...state.sessions, [session]: member } };
      return known === undefined ? spend(joined, state.phase, { sessions: 1 }) : joined;
    }
    case "artifact-seen": {
      const { path, hash, bytes } = event;
      const { [path]: _, ...others } = state.artifacts;
      return { ...state, artifacts: bytes > 0 ? { ...others, [path]: hash } : others };
    }
    case "report-claimed": {
      const { path, agent } = event;
      if (lookUp(state.reports, path) !== undefined) return undefined;
      return { ...state, reports: { ...state.reports, [path]: agent } };
    }
    case "review-concluded": {
      const { type: _, by: __, ...conclusion } = event;
      if (event.phase !== state.phase || phases[event.phase].judge === undefined) return undefined;
      const visit = visitsOf(state, event.phase);
      return { ...state, conclusions: [...state.conclusions, { ...conclusion, visit }] };
    }
    case "tree-seen":
      return withTree(state, event.tree);
    case "tests-ran":
      return withTree({ ...state, evidence: [...state.evidence, event.evidence] }, event.evidence.tree);
    case "phase-ready": {
      const { phase, by } = event;
      const member = lookUp(state.sessions, by.session);
      const isRoot = member !== undefined && member.parent === undefined && roleOf(state, by.agent) === "orchestrator";
      if (!isRoot || phase !== state.phase || state.status.kind !== "running") return undefined;
      const needs = new Set(unmetConditions(state).map((lack) => lack.needs));
      if (needs.has("agent"))
        return withQuestion({ ...state, reportedLacking: unmetConditions(state).map(({ gate }) => gate) });
      const target = phases[phase].sendsBackTo;
      if (!needs.has("fix") || target === undefined) return { ...state, isReady: true };
      const rounds = { ...state.rounds, [phase]: (state.rounds[phase] ?? 0) + 1 };
      return entered(left({ ...state, rounds }, "sent-back"), target);
    }
    case "review-submitted": {
      // Only from a session that this run opened for a reviewer of this phase.
      const { by, submission } = event;
      const { phase } = state;
      const member = lookUp(state.sessions, by.session);
      if (member === undefined || member.parent === undefined || member.phase !== phase || member.agent !== by.agent) {
        return undefined;
      }
      const model = event.model ?? member.model;
      if (!isReviewer(state, member.agent, model)) return undefined;
      const about = { phase, visit: visitsOf(state, phase), subject: subjectOf(state, phase) };
      const vote = { reviewer: by.agent, session: by.session, model, submission, ...about };
      return { ...state, votes: [...state.votes, vote] };
    }
    case "run-started":
      return undefined;
    default: {
      const next = byPerson(state, event);
      return next && decided(next);
    }
  }
}

function byPerson(state: MagnusState, event: PersonDecision): MagnusState | undefined {
  const { status } = state;
  switch (event.type) {
    case "approved": {
      // An approval covers what the person saw. If that has changed since, it approves nothing.
      const { phase, subject, by, at } = event;
      if (phases[phase].gate !== "user_approval" || subject !== subjectOf(state, phase)) return undefined;
      if (!concerns(state, phase)) return undefined;
      const isReady = state.isReady || phase === state.phase;
      return { ...state, isReady, approvals: [...state.approvals, { phase, subject, by, at }] };
    }
    case "rejected": {
      const { phase, to, notes, by, at } = event;
      const route = phasesOf(state);
      if (phase !== state.phase || !route.includes(to) || route.indexOf(to) > route.indexOf(phase)) return undefined;
      const rejections = [...state.rejections, { phase, to, notes, by, at }];
      const open = status.kind === "paused" ? { ...status, wasDone: false } : status;
      return entered(left({ ...state, rejections, rounds: {}, status: open }, "sent-back"), to);
    }
    case "waived": {
      const { phase, gate, why, by, at } = event;
      if (phase !== state.phase && !(gate === "user_approval" && concerns(state, phase))) return undefined;
      const waiver = { phase, visit: visitsOf(state, phase), gate, by, why, at };
      const next = { ...state, waivers: [...state.waivers, waiver] };
      if (gate === "phase" && phase === state.phase) return { ...next, isReady: true };
      // A waiver releases what it names. It ends the phase only if the orchestrator has called the rest of the work done.
      const isStuck = status.kind === "paused" && status.reason === "stuck";
      const isReported = state.reportedLacking !== undefined && !state.reportedLacking.includes("red_test");
      const isDone = (isStuck || isReported) && unmetConditions(next).every(({ needs }) => needs === "person");
      return { ...next, isReady: state.isReady || isDone };
    }
    case "type-chosen":
      return state.phase === "requirements" ? { ...state, workflow: event.workflow } : undefined;
    case "resumed":
      return status.kind === "paused" ? resumed(state, status) : undefined;
    case "cancelled":
      return { ...state, status: { kind: "cancelled", why: event.why } };
    case "budget-raised": {
      const { phase, options, budget } = state;
      const { maxIterations = 0 } = event;
      const phaseLimits = raised(budget.phases[phase] ?? {}, event.phase);
      const next: MagnusState = {
        ...state,
        budget: { run: raised(budget.run, event.run), phases: { ...budget.phases, [phase]: phaseLimits } },
        options: { ...options, maxIterations: Math.max(options.maxIterations, maxIterations) },
        isReady: state.isReady && maxIterations === 0,
      };
      if (status.kind !== "paused" || status.reason !== "budget") return next;
      const isOver = exceeded(next, status.over?.limit === "sessions") !== undefined;
      return isOver ? next : { ...next, status: { kind: "running" } };
    }
  }
}

/** A person who decides has an answer to what the agents could not do, and they may try again. */
function decided(state: MagnusState): MagnusState {
  const { status } = state;
  const isStuck = status.kind === "paused" && status.reason === "stuck";
  const next: MagnusState = isStuck ? resumed(state, status) : state;
  return { ...next, attempts: noAttempts(next) };
}

function newerText(sign: string): string {
  return `the journal contains ${sign}, which only a newer version of Magnus Opus understands`;
}

/** Also pauses a finished run, since it may not have been a person who ended it. A cancelled run has nothing left to stop. */
function pausedFor(state: MagnusState, reason: PauseReason, detail: string): MagnusState {
  const { status } = state;
  if (status.kind === "cancelled") return state;
  const wasDone = status.kind === "done" || (status.kind === "paused" && status.wasDone === true);
  return { ...state, status: { kind: "paused", reason, detail, ...(wasDone && { wasDone }) } };
}

function resumed(state: MagnusState, { wasDone }: Paused): MagnusState {
  return { ...state, status: { kind: wasDone === true ? "done" : "running" } };
}

/** The current phase; or the plan, which may change while it is built and then needs approval again. */
function concerns(state: MagnusState, phase: PhaseName): boolean {
  return phase === state.phase || (phase === "architecture" && visitsOf(state, phase) > 0);
}

/** The first look at the files is the baseline. */
function withTree(state: MagnusState, tree: string): MagnusState {
  const visit = currentVisit(state);
  if (visit.treeAtEntry !== undefined) {
    return { ...state, tree, ...(tree !== state.tree && { reportedLacking: undefined }) };
  }
  return { ...state, tree, visits: [...state.visits.slice(0, -1), { ...visit, treeAtEntry: tree }] };
}

/** Approvals of this phase and later ones are void: the work starts over. */
function entered(state: MagnusState, phase: PhaseName): MagnusState {
  const order = phasesOf(state);
  const approvals = state.approvals.filter((each) => order.indexOf(each.phase) < order.indexOf(phase));
  const number = visitsOf(state, phase) + 1;
  const visit: Visit = { phase, number, from: state.at, treeAtEntry: state.tree };
  const next = {
    ...state,
    phase,
    approvals,
    isReady: false,
    reportedLacking: undefined,
    visits: [...state.visits, visit],
  };
  return { ...next, attempts: noAttempts(next) };
}

function left(state: MagnusState, how: NonNullable<Visit["left"]>): MagnusState {
  const visit = { ...currentVisit(state), to: state.at, left: how };
  return { ...state, visits: [...state.visits.slice(0, -1), visit] };
}

function withinBudget(state: MagnusState): MagnusState {
  const over = state.status.kind === "running" ? exceeded(state, false) : undefined;
  if (over === undefined) return state;
  return { ...state, status: { kind: "paused", reason: "budget", detail: exceededText(over), over } };
}

function spend(state: MagnusState, phase: PhaseName, more: Partial<Spending>): MagnusState {
  const { usd = 0, tokens = 0, ms = 0, sessions = 0 } = more;
  const [run, ofPhase] = [state.spent.run, state.spent.phases[phase] ?? nothingSpent].map((before) => ({
    usd: before.usd + usd,
    tokens: before.tokens + tokens,
    ms: before.ms + ms,
    sessions: before.sessions + sessions,
  }));
  return { ...state, spent: { run: run!, phases: { ...state.spent.phases, [phase]: ofPhase! } } };
}
