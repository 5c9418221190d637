// The one fold of a run's events. Pure: the state depends on the events alone. `atomic show`, the terminal, `status` and a
// resuming engine all read the same state.
import { describeExceeded, keptLimits, nothingSpent, usedUp } from "./budget.ts";
import type { JournalEntry, RunCreated, RunEvent } from "./events.ts";
import { callEvents } from "./fold/call-events.ts";
import { damaged, isAsking, type Reducer, removeCall, type StateDraft } from "./fold/draft.ts";
import { runEvents } from "./fold/run-events.ts";
import type { OpenWait, RunState, RunStatus } from "./run-state.ts";

export interface RunFold {
  /** Undefined before the first event. It changes with every event: copy what has to stay. */
  readonly state: RunState | undefined;
  take(entry: JournalEntry): void;
  /** Removes a finished call from the state, so a long run does not grow with the number of its steps. */
  forget(key: string): void;
  /** From now on, steps leave the state as they finish. Failed steps stay until they are forgotten. */
  forgetSteps(): void;
}

/** The state after these events. Throws `damaged`, with the record's number, if a record cannot follow those before it. */
export function replay(entries: Iterable<JournalEntry>): RunState | undefined {
  const fold = runFold();
  for (const entry of entries) fold.take(entry);
  return fold.state;
}

const reducers: { readonly [Type in RunEvent["type"]]: Reducer<Type> } = { ...runEvents, ...callEvents };

/** The same, event by event. */
export function runFold(): RunFold {
  let draft: StateDraft | undefined;
  return {
    get state() {
      return draft;
    },
    take: ({ n, event }) => {
      // A line's checksum proves that it is unchanged, not that this version wrote it.
      if (typeof event !== "object" || event === null || typeof event.at !== "number") {
        throw damaged(n, "is not a run event");
      }
      const { type } = event;
      if (!Object.hasOwn(reducers, type)) {
        throw damaged(n, `has a type that this version does not support (${JSON.stringify(type)})`, "Update atomic.");
      }
      if (draft === undefined) {
        if (event.type !== "run-created") throw damaged(n, `is a ${type} event, but the run was never created`);
        if (event.version !== 1)
          throw damaged(n, `has format ${event.version}, which is newer than this version supports`, "Update atomic.");
        draft = draftOf(event, n);
        return;
      }
      if (draft.ended !== undefined && type !== "run-reopened" && type !== "run-revised") {
        throw damaged(n, `is a ${type} event after the end of the run`);
      }
      try {
        (reducers[type] as Reducer<RunEvent["type"]>)(draft, event, n);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw damaged(n, `is not a whole ${type} event (${error.message})`);
      }
      draft.records = n;
      draft.updatedAt = event.at;
    },
    forget: (key) => {
      if (draft !== undefined && !draft.open.has(key)) removeCall(draft, key);
    },
    forgetSteps: () => {
      if (draft !== undefined) draft.isForgetful = true;
    },
  };
}

function draftOf(created: RunCreated & { at: number }, records: number): StateDraft {
  const { runId, name, graph, input, interpreter, workspace, budget = {}, at } = created;
  return {
    runId,
    name,
    graph,
    input,
    interpreter,
    workspace,
    createdAt: at,
    updatedAt: at,
    durability: undefined,
    budget: keptLimits(budget),
    spent: { ...nothingSpent },
    calls: new Map(),
    open: new Set(),
    signals: new Map(),
    always: [],
    claims: 0,
    inbox: 0,
    restartedAt: 0,
    retriedAt: 0,
    records,
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

function statusOf(draft: StateDraft): RunStatus {
  const { ended, exceeded, owner, pause, budget, spent } = draft;
  if (ended !== undefined) return ended;
  if (draft.isCancelling) return { kind: "cancelling" };
  if (exceeded !== undefined) {
    // The limit that stopped the run, or if that was raised, any other that is used up.
    const { limit, allowed } = exceeded;
    const stops = usedUp({ [limit]: budget[limit] ?? allowed }, spent) ?? usedUp(budget, spent);
    if (stops !== undefined) return { kind: "stopped", exceeded: stops, reason: describeExceeded(stops) };
  }
  if (pause !== undefined) return { kind: "paused", ...pause };
  if (owner === undefined) return { kind: "pending" };
  // It is running if a step makes progress by itself, or nothing is waited for.
  let waits = 0;
  for (const key of draft.open) {
    const call = draft.calls.get(key);
    const isStep = call?.kind === "step";
    if (isStep && call.phase.kind !== "retrying" && !isAsking(draft, call)) return { kind: "running", owner };
    if (call?.kind !== "fork") waits += 1;
  }
  return waits === 0 ? { kind: "running", owner } : { kind: "waiting", for: openWaits(draft), owner };
}

function openWaits({ open, calls }: StateDraft): OpenWait[] {
  const waits: OpenWait[] = [];
  for (const key of open) {
    const call = calls.get(key);
    if (call?.kind === "sleep") waits.push({ kind: "date", key, until: call.until });
    else if (call?.kind === "wait") {
      const { until, about, step } = call;
      waits.push({
        kind: "signal",
        key,
        ...(until !== undefined && { until }),
        ...(about !== undefined && { about }),
        ...(step !== undefined && { step }),
      });
    } else if (call?.kind === "step" && call.phase.kind === "retrying") {
      waits.push({ kind: "date", key, until: call.phase.at });
    }
  }
  return waits;
}
