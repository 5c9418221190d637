// The one fold of a run's events. Pure: what it gives depends on the events alone. `atomic show`, the terminal, `status` and
// the engines themselves, when they resume, all read the same state.
import { describeExceeded, type Exceeded, keptLimits, nothingSpent, usedUp } from "./budget.ts";
import type { JournalEntry, RunCreated, RunEvent } from "./events.ts";
import { type Draft, damaged, removeCall, type Take } from "./fold/draft.ts";
import { forkEvents } from "./fold/fork-events.ts";
import { isAsking } from "./fold/questions.ts";
import { runEvents } from "./fold/run-events.ts";
import { stepEvents } from "./fold/step-events.ts";
import { waitEvents } from "./fold/wait-events.ts";
import type { OpenWait, RunState, RunStatus, WaitState } from "./run-state.ts";

export interface RunFold {
  /** Undefined before the first event. Kept up to date: copy what has to stay. */
  readonly state: RunState | undefined;
  take(entry: JournalEntry): void;
  /** Takes a finished call out of the state, so that a long run does not grow with the number of its steps. */
  forget(key: string): void;
  /** From now on steps leave the state as they finish. Their failures stay until they are forgotten. */
  forgetSteps(): void;
}

/** The state after these events. Throws `damaged` with the number of a record that cannot follow those before it. */
export function replay(entries: Iterable<JournalEntry>): RunState | undefined {
  const fold = runFold();
  for (const entry of entries) fold.take(entry);
  return fold.state;
}

/** The same, event by event. */
export function runFold(): RunFold {
  let draft: Draft | undefined;
  return {
    get state() {
      return draft;
    },
    take: (entry) => {
      checkEntry(entry);
      if (draft === undefined) draft = begin(entry);
      else advance(draft, entry);
    },
    forget: (key) => {
      if (draft !== undefined && !draft.open.has(key)) removeCall(draft, key);
    },
    forgetSteps: () => {
      if (draft !== undefined) draft.isForgetful = true;
    },
  };
}

const takers: { readonly [Type in RunEvent["type"]]: Take<Type> } = {
  ...runEvents,
  ...stepEvents,
  ...waitEvents,
  ...forkEvents,
};

/** The checksum of a line says that it is as it was written, not that this version of us wrote it. */
function checkEntry({ n, event }: JournalEntry): void {
  if (typeof event !== "object" || event === null || typeof event.at !== "number") {
    throw damaged(n, "is not an event of a run");
  }
  if (!Object.hasOwn(takers, event.type)) {
    throw damaged(n, `is of a kind that this version does not know (${JSON.stringify(event.type)})`, "Update atomic.");
  }
}

function begin({ n, event }: JournalEntry): Draft {
  if (event.type !== "run-created") throw damaged(n, `is a ${event.type}, but the run was never created`);
  if (event.version !== 1)
    throw damaged(n, `has format ${event.version}, which is newer than this version`, "Update atomic.");
  return draftOf(event, n);
}

function draftOf(event: RunCreated & { at: number }, n: number): Draft {
  return {
    runId: event.runId,
    name: event.name,
    graph: event.graph,
    input: event.input,
    interpreter: event.interpreter,
    workspace: event.workspace,
    createdAt: event.at,
    updatedAt: event.at,
    durability: undefined,
    budget: keptLimits(event.budget ?? {}),
    spent: { ...nothingSpent },
    calls: new Map(),
    open: new Set(),
    signals: new Map(),
    claims: 0,
    inbox: 0,
    records: n,
    owner: undefined,
    pause: undefined,
    exceeded: undefined,
    isCancelling: false,
    isForgetful: false,
    ended: undefined,
    get status() {
      return statusOf(this);
    },
    get waits() {
      return openWaits(this);
    },
  };
}

function advance(draft: Draft, { n, event }: JournalEntry): void {
  if (draft.ended !== undefined && event.type !== "run-reopened") {
    throw damaged(n, `is a ${event.type} after the end of the run`);
  }
  (takers[event.type] as Take<RunEvent["type"]>)(draft, event, n);
  draft.records = n;
  draft.updatedAt = event.at;
}

function statusOf(draft: Draft): RunStatus {
  const { ended, exceeded, owner, pause } = draft;
  if (ended !== undefined) return ended;
  if (draft.isCancelling) return { kind: "cancelling" };
  // Raised in the meantime: whoever comes next goes on.
  const stops = exceeded && stillUsedUp(draft, exceeded);
  if (stops !== undefined) return { kind: "stopped", exceeded: stops, reason: describeExceeded(stops) };
  if (pause !== undefined) return { kind: "paused", ...pause };
  if (owner === undefined) return { kind: "pending" };
  return isAtWork(draft) ? { kind: "running", owner } : { kind: "waiting", for: openWaits(draft), owner };
}

/** The limit that stopped the run, unless it was raised; then any other that is used up. */
function stillUsedUp({ budget, spent }: Draft, { limit, allowed }: Exceeded): Exceeded | undefined {
  const now = budget[limit] ?? allowed;
  return usedUp({ [limit]: now }, spent) ?? usedUp(budget, spent);
}

/** Whether something goes on that nobody has to be waited for. */
function isAtWork(draft: Draft): boolean {
  let waits = 0;
  for (const key of draft.open) {
    const call = draft.calls.get(key);
    if (call?.kind === "step" && call.phase.kind !== "retrying" && !isAsking(draft, call)) return true;
    if (call?.kind !== "fork") waits += 1;
  }
  return waits === 0;
}

function openWaits({ open, calls }: Draft): OpenWait[] {
  const waits: OpenWait[] = [];
  for (const key of open) {
    const call = calls.get(key);
    if (call?.kind === "sleep") waits.push({ kind: "date", key, until: call.until });
    else if (call?.kind === "wait") waits.push({ kind: "signal", key, ...asked(call) });
    else if (call?.kind === "step" && call.phase.kind === "retrying") {
      waits.push({ kind: "date", key, until: call.phase.at });
    }
  }
  return waits;
}

function asked({ until, about, step }: WaitState): Omit<Extract<OpenWait, { kind: "signal" }>, "kind" | "key"> {
  return {
    ...(until !== undefined && { until }),
    ...(about !== undefined && { about }),
    ...(step !== undefined && { step }),
  };
}
