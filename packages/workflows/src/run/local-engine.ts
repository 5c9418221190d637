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
  RunRevised,
  StepNote,
  Stored,
} from "./events.ts";
import { defaultLimits, type ResultLimits } from "./execution/encode.ts";
import { Execution, type ExecutionOptions } from "./execution/execution.ts";
import { Slots } from "./execution/slots.ts";
import { follow } from "./follow.ts";
import type { Json } from "./json.ts";
import { LargePart, readable } from "./large-part.ts";
import { checkParts, loadAt, loadWithout } from "./large-value.ts";
import { runFold } from "./replay.ts";
import { RunError, type RunErrorCode } from "./run-error.ts";
import type { RunState, RunStatus } from "./run-state.ts";
import { eventOf, type RunStore } from "./run-store.ts";
import { summarize } from "./summarize.ts";
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

/** In bytes of JSON. What a person says is kept whole, in the journal itself: 1 MB of text, with room for its line breaks and quotes. */
const longestSignal = 1.25 * 1024 * 1024;

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

  async start({ runId, graph, input, budget, name, workspace, needs }: StartRequest): Promise<"started" | "exists"> {
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
      ...(needs !== undefined && { needs }),
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
    if (text === undefined) {
      throw new RunError("bad-request", { message: `The answer to "${key}" is not JSON`, at: runId });
    }
    if (Buffer.byteLength(text) > longestSignal) {
      const message = `The answer to "${key}" is longer than 1 MB`;
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
    const message = { type: "cancel", at: this.#clock.now() } as const;
    if ((await this.#store.post(runId, message)) === "ignored") {
      await this.#store.post(runId, message, (await this.state(runId)).retriedAt);
    }
    if (this.#live.has(runId)) return;
    // If no process works on it, none would read the message, so it ends here; or, if this one may not, with the next worker.
    const options = { ...this.#execution, interpreter: undefined };
    const run = await unless(["run-held", "not-writable"], () => Execution.start(this.#store, runId, options));
    await run?.ended;
  }

  async raise(runId: string, budget: Budget): Promise<void> {
    await this.#refuseUnlessOpen(runId, "a new budget");
    await this.#store.post(runId, { type: "budget", budget: checkBudget(budget), at: this.#clock.now() });
  }

  async reopen(runId: string): Promise<void> {
    await this.#amend(runId, async ({ status: { kind }, inbox }, append) => {
      if (kind !== "failed") {
        const message = `The run ${runId} has not failed: it is ${kind}`;
        throw new RunError("bad-request", { message, hint: "Only a failed run can be retried." });
      }
      append({ type: "run-reopened", ...(await this.#lastMessage(runId, inbox)) });
    });
  }

  async revise(runId: string, revision: Omit<RunRevised, "type">): Promise<void> {
    await this.#amend(runId, async ({ status: { kind }, inbox }, append) => {
      if (kind === "done" || kind === "cancelled") {
        throw new RunError("run-ended", { message: `The run ${runId} has ended (${kind})` });
      }
      // What was sent before belongs to the nodes as they were. A run that has ended accepts nothing.
      if (kind !== "failed") for (const entry of await this.#store.inbox(runId, inbox)) append(eventOf(entry));
      append({ type: "run-revised", ...revision, ...(kind === "failed" && (await this.#lastMessage(runId, inbox))) });
    });
  }

  /** What arrived just as the run failed, and has not been read. */
  async #lastMessage(runId: string, read: number): Promise<{ readonly inbox?: number }> {
    const last = (await this.#store.inbox(runId, read)).at(-1);
    return last === undefined ? {} : { inbox: last.n };
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
      status: () => fold.state?.status ?? { kind: "pending" },
    });
    try {
      if (fold.state === undefined) throw new RunError("run-not-found", { message: `There is no run ${runId}` });
      await amend(fold.state, (event) => fold.take(log.append({ ...event, at: this.#clock.now() })));
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
        const unlisten = this.#store.onWork?.(wake);
        return () => {
          this.#wake.delete(wake);
          unlisten?.();
        };
      },
    });
  }

  async list(): Promise<RunSummary[]> {
    if (this.#store.summaries !== undefined) return await this.#store.summaries();
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
      if (policy.dryRun === true || (await unless(["run-held"], () => this.#store.remove(run.runId))))
        removed.push(run);
    }
    return { removed: removed.map(({ runId }) => runId), bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  async close(): Promise<void> {
    await this.#store.close?.();
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

async function unless<T>(codes: readonly RunErrorCode[], act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof RunError && codes.includes(error.code)) return undefined;
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
