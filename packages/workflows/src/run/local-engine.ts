// The engine behind `embeddedEngine` and `memoryEngine`; they differ in their stores.
import { type Budget, checkBudget } from "./budget.ts";
import { type Clock, systemClock } from "./clock.ts";
import type {
  Interpret,
  JournalQuery,
  LocalEngine,
  Pruned,
  PrunePolicy,
  RunHandle,
  RunSummary,
  StartRequest,
  Worker,
  WorkOptions,
} from "./engine.ts";
import type {
  BlobRef,
  Durability,
  JournalEntry,
  RunEvent,
  RunEventBody,
  RunOwner,
  RunRevised,
  StepNote,
  Stored,
} from "./events.ts";
import { defaultLimits, type ResultLimits } from "./execution/encode.ts";
import { Execution, type ExecutionOptions } from "./execution/execution.ts";
import { Slots } from "./execution/slots.ts";
import type { Json } from "./json.ts";
import { LargePart, readable } from "./large-part.ts";
import { checkParts, loadAt, loadWithout } from "./large-value.ts";
import { replay, runFold } from "./replay.ts";
import { RunError } from "./run-error.ts";
import type { RunState, RunStatus } from "./run-state.ts";
import { eventOf, type RunStore } from "./run-store.ts";
import { recordError } from "./step-errors.ts";
import { RunWorker } from "./worker.ts";

export interface EngineOptions {
  readonly interpret: Interpret;
  /** The project that runs work in, as steps are told. Default: the current folder. */
  readonly folder?: string;
  /** Names the order of calls that `interpret` makes. Runs that another interpreter started are left alone. Default "1". */
  readonly interpreter?: string;
  readonly clock?: Clock;
  /** Default `step`. */
  readonly durability?: Durability;
  readonly limits?: Partial<ResultLimits>;
  /** How many steps of a queue run at a time. */
  readonly queues?: Readonly<Record<string, number>>;
  /** How long to wait for an aborted step. Default 5,000. */
  readonly graceMs?: number;
  /** How many times in a row a step may kill its process before the step fails. Default 20. */
  readonly maxCrashes?: number;
  /** How often, in milliseconds, a worker looks for runs that others have started or left. Default 500. */
  readonly pollMs?: number;
  /** Called for a run that a worker cannot work on: damaged, diverged, from another version … */
  readonly onProblem?: (runId: string, error: unknown) => void;
}

export class StoreEngine implements LocalEngine {
  readonly #store: RunStore;
  readonly #options: EngineOptions;
  readonly #execution: ExecutionOptions & { readonly interpreter: string };
  readonly #clock: Clock;
  readonly #live = new Map<string, Execution>();
  readonly #wake = new Set<() => void>();

  constructor(store: RunStore, options: EngineOptions) {
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#execution = {
      interpret: options.interpret,
      folder: options.folder ?? process.cwd(),
      interpreter: options.interpreter ?? "1",
      clock: this.#clock,
      durability: options.durability ?? "step",
      limits: { ...defaultLimits, ...options.limits },
      queues: new Map(Object.entries(options.queues ?? {}).map(([name, size]) => [name, new Slots(size)])),
      graceMs: options.graceMs ?? 5000,
      maxCrashes: options.maxCrashes ?? 20,
    };
  }

  get name(): string {
    return this.#store.name;
  }

  async start({ runId, graph, input, budget, name, workspace }: StartRequest): Promise<"started" | "exists"> {
    const { interpreter } = this.#execution;
    const event: RunEvent = {
      type: "run-created",
      version: 1,
      runId,
      ...(name !== undefined && { name }),
      interpreter,
      graph,
      input,
      ...(budget !== undefined && { budget: checkBudget(budget) }),
      ...(workspace !== undefined && { workspace }),
      at: this.#clock.now(),
    };
    const isNew = await this.#store.create(runId, event);
    if (!isNew) return "exists";
    for (const wake of this.#wake) wake();
    return "started";
  }

  async signal(runId: string, key: string, value: Json): Promise<"kept" | "ignored"> {
    await this.#refuseUnlessOpen(runId, "a signal");
    const text = JSON.stringify(value) as string | undefined;
    const { inlineBytes } = this.#execution.limits;
    if (text === undefined || Buffer.byteLength(text) > inlineBytes) {
      const message = `The value of the signal "${key}" is not JSON, or is larger than ${inlineBytes} bytes`;
      throw new RunError("bad-request", { message, at: runId, hint: "Write it to a file and send the file's name." });
    }
    const message = { type: "signal", key, value, at: this.#clock.now() } as const;
    const kept = await this.#store.post(runId, message);
    if (kept === "kept") return kept;
    const { restartedAt } = await this.state(runId);
    return restartedAt === 0 ? kept : await this.#store.post(runId, message, restartedAt);
  }

  async cancel(runId: string): Promise<void> {
    if (await this.#hasEnded(runId)) return;
    await this.#store.post(runId, { type: "cancel", at: this.#clock.now() });
    if (this.#live.has(runId)) return;
    // If no process works on it, none would read the message, so it ends here.
    const options = { ...this.#execution, interpreter: undefined };
    const run = await unlessHeld(() => Execution.start(this.#store, runId, options));
    await run?.ended;
  }

  async raise(runId: string, budget: Budget): Promise<void> {
    await this.#refuseUnlessOpen(runId, "a new budget");
    await this.#store.post(runId, { type: "budget", budget: checkBudget(budget), at: this.#clock.now() });
  }

  async reopen(runId: string): Promise<void> {
    await this.#amend(runId, async ({ status: { kind } }, append) => {
      if (kind !== "failed") {
        const message = `The run ${runId} has not failed: it is ${kind}`;
        throw new RunError("bad-request", { message, hint: "Only a failed run can be retried." });
      }
      append({ type: "run-reopened" });
    });
  }

  async revise(runId: string, revision: Omit<RunRevised, "type">): Promise<void> {
    await this.#amend(runId, async ({ status: { kind }, inbox }, append) => {
      if (kind === "done" || kind === "cancelled") {
        throw new RunError("run-ended", { message: `The run ${runId} has ended (${kind})` });
      }
      // What was sent before belongs to the nodes as they were. A run that has ended accepts nothing.
      if (kind !== "failed") for (const entry of await this.#store.inbox(runId, inbox)) append(eventOf(entry));
      append({ type: "run-revised", ...revision });
    });
  }

  /** Adds to the journal of a run that no process works on. */
  async #amend(
    runId: string,
    amend: (state: RunState, append: (event: RunEventBody) => void) => Promise<void>,
  ): Promise<void> {
    const fold = runFold();
    const log = await this.#store.open(runId, {
      durability: "step",
      take: (entry) => fold.take(entry),
      kept: () => undefined,
      failed: () => undefined, // `flushed` rejects
    });
    try {
      if (fold.state === undefined) throw new RunError("run-not-found", { message: `There is no run ${runId}` });
      await amend(fold.state, (event) => void log.append({ ...event, at: this.#clock.now() }));
      await log.flushed();
    } finally {
      await log.close();
    }
    for (const wake of this.#wake) wake();
  }

  async status(runId: string): Promise<RunStatus> {
    return this.#live.get(runId)?.state.status ?? (await this.state(runId)).status;
  }

  async state(runId: string): Promise<RunState> {
    const fold = runFold();
    for (const entry of await this.#store.read(runId)) fold.take(entry);
    const { state } = fold;
    if (state === undefined) throw new RunError("run-not-found", { message: `There is no run ${runId}` });
    const { kind } = state.status;
    if (kind !== "done" && kind !== "failed" && kind !== "cancelled") {
      for (const entry of await this.#store.inbox(runId, state.inbox)) {
        fold.take({ n: state.records + 1, event: { ...eventOf(entry), at: entry.message.at } });
      }
    }
    const { status } = state;
    const isOwned = status.kind === "running" || status.kind === "waiting";
    if (!isOwned || this.#live.has(runId) || (await this.#store.isAlive(runId, status.owner))) return state;
    return { ...state, status: { kind: "interrupted", owner: status.owner } };
  }

  async load(runId: string, stored: Stored, path: readonly string[] = []): Promise<Json | undefined> {
    return await loadAt(stored, path, (ref) => this.#store.loadBlob(runId, ref));
  }

  async loadLarge(runId: string, stored: Stored): Promise<Json> {
    const { readBlob } = this.#store;
    if (readBlob === undefined) return (await this.load(runId, stored)) ?? null;
    const load = (ref: BlobRef): Json => readBlob(runId, ref);
    const later = (part: LargePart["stored"]): LargePart =>
      new LargePart(part, (each) => loadWithout(each, load, later));
    checkParts(stored, load, new Set());
    return readable(loadWithout(stored, load, later));
  }

  notes(runId: string): () => Promise<StepNote[]> {
    const read = this.#store.notes(runId);
    return async () => await read();
  }

  async stamp(runId: string): Promise<string | undefined> {
    return await this.#store.stamp(runId);
  }

  journal(runId: string, query: JournalQuery = {}): AsyncIterable<JournalEntry> {
    return follow(this.#store, runId, query);
  }

  async run(runId: string): Promise<RunHandle> {
    const execution = await Execution.start(this.#store, runId, this.#execution);
    this.#keep(execution);
    return execution;
  }

  async work({ concurrency }: WorkOptions): Promise<Worker> {
    const { pollMs = 500, onProblem = () => undefined } = this.#options;
    return new RunWorker({
      store: this.#store,
      options: this.#execution,
      concurrency,
      pollMs,
      onProblem,
      isLive: (runId) => this.#live.has(runId),
      keep: (execution) => this.#keep(execution),
      onWake: (wake) => {
        this.#wake.add(wake);
        return () => this.#wake.delete(wake);
      },
    });
  }

  async list(): Promise<RunSummary[]> {
    const ids = await this.#store.ids();
    const summaries = await Promise.all(ids.map((runId) => summarize(this.#store, runId)));
    return summaries.filter((each) => each !== undefined).sort((one, other) => other.createdAt - one.createdAt);
  }

  async prune(policy: PrunePolicy): Promise<Pruned> {
    const chosen = planPrune(await this.list(), policy, this.#clock.now());
    if (policy.transcripts === true) {
      const freed: [string, number][] = [];
      for (const { runId } of chosen) {
        const bytes = await this.#store.removeTranscript(runId, policy.dryRun === true);
        if (bytes > 0) freed.push([runId, bytes]);
      }
      return { removed: freed.map(([runId]) => runId), bytes: freed.reduce((sum, [, bytes]) => sum + bytes, 0) };
    }
    const removed: RunSummary[] = [];
    for (const run of chosen) {
      if (policy.dryRun === true || (await unlessHeld(() => this.#store.remove(run.runId)))) removed.push(run);
    }
    return { removed: removed.map(({ runId }) => runId), bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #keep(execution: Execution): void {
    if (execution.isOver) return;
    this.#live.set(execution.runId, execution);
    const drop = (): unknown => this.#live.delete(execution.runId);
    execution.ended.then(drop, drop);
  }

  async #hasEnded(runId: string): Promise<boolean> {
    const ends = await this.#store.ends(runId);
    return ends?.last.type === "run-ended";
  }

  async #refuseUnlessOpen(runId: string, what: string): Promise<void> {
    if (!(await this.#hasEnded(runId))) return;
    throw new RunError("run-ended", { message: `The run ${runId} has ended and no longer accepts ${what}` });
  }
}

async function unlessHeld<T>(open: () => Promise<T>): Promise<T | undefined> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof RunError && error.code === "run-held") return undefined;
    throw error;
  }
}

/** How often a follower of a silent run checks whether its owner is still alive. */
const aliveEveryMs = 500;

/** A run's records; with `follow`, also those to come, until its owner has no more to record, or is dead. */
async function* follow(
  store: RunStore,
  runId: string,
  { follow: isFollowing = false, after = 0 }: JournalQuery,
): AsyncGenerator<JournalEntry, void> {
  let isOver = false;
  let last = after;
  let owner: RunOwner | undefined;
  for (const entry of await store.read(runId)) {
    isOver = isEnd(entry);
    if (isOver) owner = undefined;
    else if (entry.event.type === "run-claimed") owner = entry.event.owner;
    last = entry.n;
    if (entry.n > after) yield entry;
  }
  if (!isFollowing || isOver) return;
  const read = store.tail(runId, last);
  let wake: (() => void) | undefined;
  let isNew = true;
  let isDead = false;
  let failure: { readonly error: unknown } | undefined;
  const unwatch = store.watch(runId, "journal", () => {
    isNew = true;
    wake?.();
  });
  // A dead owner writes nothing, so nothing would ever be new.
  const look = async (): Promise<void> => {
    try {
      isDead = owner !== undefined && !(await store.isAlive(runId, owner));
    } catch (error) {
      failure = { error };
    }
    if (isDead || failure !== undefined) wake?.();
  };
  const looking = setInterval(() => void look(), aliveEveryMs);
  looking.unref();
  try {
    for (;;) {
      isNew = false;
      const isLast = isDead;
      isDead = false;
      const fresh = await read();
      if (failure !== undefined) throw failure.error;
      for (const entry of fresh) {
        if (entry.event.type === "run-claimed") owner = entry.event.owner;
        yield entry;
        if (isEnd(entry)) return;
      }
      // If something is new, the run may have another owner.
      if (isLast && fresh.length === 0) return;
      if (isNew) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    clearInterval(looking);
    unwatch();
  }
}

function isEnd({ event }: JournalEntry): boolean {
  return event.type === "run-ended" || event.type === "run-released";
}

/**
 * One line of a list. A run that has ended is not read as a whole. Whatever is wrong with one run, the others are listed: a
 * run that cannot be read is `damaged`, and one that was just removed is left out.
 */
async function summarize(store: RunStore, runId: string): Promise<RunSummary | undefined> {
  try {
    const ends = await store.ends(runId);
    if (ends === undefined || ends.first.type !== "run-created") {
      await store.read(runId); // which names the record that is wrong
      const status: RunStatus = { kind: "damaged", reason: "its journal is empty or is not a journal" };
      return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: await store.size(runId) };
    }
    const { first, last } = ends;
    const status = last.type === "run-ended" ? { ...last.outcome, at: last.at } : await openStatus(store, runId);
    const bytes = await store.size(runId);
    return { runId, name: first.name, status, createdAt: first.at, updatedAt: last.at, bytes };
  } catch (error) {
    if (error instanceof RunError && error.code === "run-not-found") return undefined;
    const status: RunStatus = { kind: "damaged", reason: recordError(error).message };
    return { runId, name: undefined, status, createdAt: 0, updatedAt: 0, bytes: 0 };
  }
}

async function openStatus(store: RunStore, runId: string): Promise<RunStatus> {
  try {
    const status = replay(await store.read(runId))?.status ?? { kind: "pending" };
    const isOwned = status.kind === "running" || status.kind === "waiting";
    if (!isOwned || (await store.isAlive(runId, status.owner))) return status;
    return { kind: "interrupted", owner: status.owner };
  } catch (error) {
    if (error instanceof RunError && error.code === "damaged") return { kind: "damaged", reason: error.message };
    throw error;
  }
}

/** The runs to remove: only those that have ended, and the oldest first. Pure. */
export function planPrune(runs: readonly RunSummary[], policy: PrunePolicy, now: number): RunSummary[] {
  const { olderThanMs = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = policy;
  const ended = runs
    .filter(({ status: { kind } }) => kind === "done" || kind === "failed" || kind === "cancelled")
    .sort((one, other) => one.updatedAt - other.updatedAt);
  let bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  return ended.filter((run) => {
    const goes = now - run.updatedAt > olderThanMs || bytes > maxBytes;
    if (goes) bytes -= run.bytes;
    return goes;
  });
}
