// The engine over any store of this package: what `embeddedEngine` and `memoryEngine` have in common.
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
import type { Durability, JournalEntry, RunEvent } from "./events.ts";
import { defaultLimits, type ResultLimits } from "./execution/encode.ts";
import { Execution, type ExecutionOptions } from "./execution/execution.ts";
import { Slots } from "./execution/slots.ts";
import { follow } from "./follow.ts";
import type { Json } from "./json.ts";
import { planPrune, summarize } from "./list-runs.ts";
import { runFold } from "./replay.ts";
import { RunError } from "./run-error.ts";
import type { RunState, RunStatus } from "./run-state.ts";
import { eventOf, type RunStore } from "./run-store.ts";
import { RunWorker } from "./worker.ts";

export interface EngineOptions {
  readonly interpret: Interpret;
  /** Whose order of calls `interpret` follows: a run that was begun by another one is left alone. Default "1". */
  readonly interpreter?: string;
  readonly clock?: Clock;
  /** Default `step`. */
  readonly durability?: Durability;
  readonly limits?: Partial<ResultLimits>;
  /** How many steps of a queue run at a time. */
  readonly queues?: Readonly<Record<string, number>>;
  /** How long a step that was aborted is waited for. Default 5,000. */
  readonly graceMs?: number;
  /** How often in a row a step may take its process with it before it is given up. Default 20. */
  readonly maxCrashes?: number;
  /** How often a worker looks for runs that others have started or left. Default 500. */
  readonly pollMs?: number;
  /** A run that a worker cannot work on: damaged, diverged, of another version … */
  readonly onProblem?: (runId: string, error: unknown) => void;
}

/** The engine over a store of runs. */
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
      interpreter: options.interpreter ?? "1",
      clock: this.#clock,
      durability: options.durability ?? "step",
      limits: { ...defaultLimits, ...options.limits },
      queues: new Map(Object.entries(options.queues ?? {}).map(([name, size]) => [name, new Slots(size)])),
      graceMs: options.graceMs ?? 5000,
      maxCrashes: options.maxCrashes ?? 20,
    };
  }

  get name(): LocalEngine["name"] {
    return this.#store.name;
  }

  async start({ runId, graph, input, budget, name, workspace }: StartRequest): Promise<void> {
    const { interpreter } = this.#execution;
    const event: RunEvent = {
      type: "run-created",
      version: 1,
      runId,
      ...(name !== undefined && { name }),
      interpreter,
      graph,
      input,
      ...(budget !== undefined && { budget: checkedBudget(budget) }),
      ...(workspace !== undefined && { workspace }),
      at: this.#clock.now(),
    };
    const isNew = await this.#store.create(runId, event);
    if (isNew) for (const wake of this.#wake) wake();
  }

  async signal(runId: string, key: string, value: Json): Promise<"kept" | "ignored"> {
    this.#refuseUnlessOpen(runId, "a signal");
    const text = JSON.stringify(value) as string | undefined;
    const { inlineBytes } = this.#execution.limits;
    if (text === undefined || Buffer.byteLength(text) > inlineBytes) {
      const message = `The value of the signal "${key}" is not JSON, or has more than ${inlineBytes} bytes`;
      throw new RunError("bad-request", { message, at: runId, hint: "Write it to a file and send the file's name." });
    }
    return await this.#store.post(runId, { type: "signal", key, value, at: this.#clock.now() });
  }

  async cancel(runId: string): Promise<void> {
    if (this.#isOver(runId)) return;
    await this.#store.post(runId, { type: "cancel", at: this.#clock.now() });
    if (this.#live.has(runId)) return;
    // If no process works on it, none would read the message: then it ends here and now.
    const options = { ...this.#execution, interpreter: undefined };
    const run = await unlessHeld(() => Execution.start(this.#store, runId, options));
    await run?.ended;
  }

  async raise(runId: string, budget: Budget): Promise<void> {
    this.#refuseUnlessOpen(runId, "a new budget");
    await this.#store.post(runId, { type: "budget", budget: checkedBudget(budget), at: this.#clock.now() });
  }

  async reopen(runId: string): Promise<void> {
    const fold = runFold();
    const log = await this.#store.open(runId, {
      durability: "step",
      take: (entry) => fold.take(entry),
      kept: () => undefined,
      failed: () => undefined, // `flushed` rejects
    });
    try {
      const kind = fold.state?.status.kind;
      if (kind !== "failed") {
        const message = `The run ${runId} has not failed: it is ${kind ?? "empty"}`;
        throw new RunError("bad-request", { message, hint: "Only a failed run can be retried." });
      }
      log.append({ type: "run-reopened", at: this.#clock.now() });
      await log.flushed();
    } finally {
      log.close();
    }
    for (const wake of this.#wake) wake();
  }

  async status(runId: string): Promise<RunStatus> {
    return this.#live.get(runId)?.state.status ?? (await this.state(runId)).status;
  }

  async state(runId: string): Promise<RunState> {
    const fold = runFold();
    for (const entry of this.#store.read(runId)) fold.take(entry);
    const { state } = fold;
    if (state === undefined) throw new RunError("run-not-found", { message: `There is no run ${runId}` });
    const { kind } = state.status;
    if (kind !== "done" && kind !== "failed" && kind !== "cancelled") {
      for (const entry of this.#store.inbox(runId, state.inbox)) {
        fold.take({ n: state.records + 1, event: { ...eventOf(entry), at: entry.message.at } });
      }
    }
    const { status } = state;
    const isOwned = status.kind === "running" || status.kind === "waiting";
    if (!isOwned || this.#live.has(runId) || this.#store.isAlive(runId, status.owner)) return state;
    return { ...state, status: { kind: "interrupted", owner: status.owner } };
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
    const worker = new RunWorker({
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
    worker.start();
    return worker;
  }

  async list(): Promise<RunSummary[]> {
    const summaries = this.#store.ids().map((runId) => summarize(this.#store, runId));
    return summaries.filter((each) => each !== undefined).sort((one, other) => other.createdAt - one.createdAt);
  }

  async prune(policy: PrunePolicy): Promise<Pruned> {
    const chosen = planPrune(await this.list(), policy, this.#clock.now());
    const removed: RunSummary[] = [];
    for (const run of chosen) {
      if (policy.dryRun === true || (await unlessHeld(() => this.#store.remove(run.runId)))) removed.push(run);
    }
    return { removed: removed.map(({ runId }) => runId), bytes: removed.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  #keep(execution: Execution): void {
    if (execution.isOver) return;
    this.#live.set(execution.runId, execution);
    const drop = (): void => {
      this.#live.delete(execution.runId);
    };
    execution.ended.then(drop, drop);
  }

  #isOver(runId: string): boolean {
    const ends = this.#store.ends(runId);
    return ends?.last.type === "run-ended";
  }

  #refuseUnlessOpen(runId: string, what: string): void {
    if (!this.#isOver(runId)) return;
    throw new RunError("run-ended", {
      message: `The run ${runId} has ended and no longer accepts ${what}`,
    });
  }
}

function checkedBudget(budget: Budget): Budget {
  try {
    return checkBudget(budget);
  } catch (cause) {
    throw new RunError("bad-request", { message: (cause as Error).message, cause });
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
