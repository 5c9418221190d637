import type { Worker } from "./engine.ts";
import { Execution, type ExecutionOptions } from "./execution/execution.ts";
import { Slots } from "./execution/slots.ts";
import { isProgramsFault, RunError } from "./run-error.ts";
import type { ClaimableRun, RunStore } from "./run-store.ts";

export interface WorkerParts {
  readonly store: RunStore;
  readonly options: ExecutionOptions;
  readonly concurrency: number;
  readonly pollMs: number;
  /** The id is empty if the runs cannot be listed at all. */
  readonly onProblem: (runId: string, error: unknown) => void;
  /** Whether this engine already works on the run. */
  readonly isLive: (runId: string) => boolean;
  readonly keep: (execution: Execution) => void;
  /** Registers a callback for when there may be a run to take. */
  readonly onWake: (wake: () => void) => () => void;
}

/** How long a run that this process could not execute, or has lost, is left alone at first, and at most. */
const firstWaitMs = 1000;
const longestWaitMs = 60_000;

/** How many runs a store that knows which ones can be claimed is asked for at a time. */
const mostAtATime = 100;

/** Takes every run that no other process works on. */
export class RunWorker implements Worker {
  readonly #parts: WorkerParts;
  readonly #slots: Slots;
  readonly #running = new Set<Execution>();
  /** Runs that need no work until they change, with their stamps. */
  readonly #seen = new Map<string, string>();
  /** Runs that this process's program can never continue. */
  readonly #refused = new Set<string>();
  /** Runs that could not be executed here, or were lost: when to try again, and how long the wait was. */
  readonly #later = new Map<string, { readonly at: number; readonly ms: number }>();
  readonly #unwake: () => void;
  #timer: unknown;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #isStopped = false;

  constructor(parts: WorkerParts) {
    if (!(parts.concurrency >= 1)) {
      const message = `A worker's concurrency is ${parts.concurrency}; expected 1 or more`;
      throw new RunError("bad-request", { message });
    }
    this.#parts = parts;
    this.#slots = new Slots(parts.concurrency);
    this.#unwake = parts.onWake(() => this.#look());
    this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unwake();
    this.#parts.options.clock.clearTimeout(this.#timer);
    await Promise.all([...this.#running].map((execution) => execution.release()));
    await this.#looking;
    await Promise.all([...this.#running].map((execution) => execution.release()));
  }

  #look(): void {
    if (this.#isStopped) return;
    this.#lookAgain = true;
    this.#looking ??= this.#lookThrough().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookThrough(): Promise<void> {
    const { store, options, pollMs, isLive, onProblem } = this.#parts;
    for (let most = mostAtATime; this.#lookAgain && !this.#isStopped; ) {
      this.#lookAgain = false;
      let runs: readonly (Pick<ClaimableRun, "runId"> & Partial<ClaimableRun>)[] = [];
      try {
        runs = (await store.claimable?.(most)) ?? (await store.ids()).map((runId) => ({ runId }));
      } catch (error) {
        onProblem("", error);
      }
      let isOld = false;
      let tried = 0;
      for (const { runId, stamp: known } of runs) {
        // A run that cannot be read does not keep the others waiting.
        try {
          if (isLive(runId) || this.#refused.has(runId) || this.#mustWait(runId)) continue;
          const stamp = known ?? (await store.stamp(runId));
          if (stamp === undefined || this.#seen.get(runId) === stamp) continue;
          if (store.claimable === undefined && (await store.ends(runId))?.last.type === "run-ended") {
            this.#seen.set(runId, stamp);
            continue;
          }
          const wait = this.#slots.take();
          await wait;
          // While this one waited for a slot, others have taken runs.
          isOld = wait !== undefined && store.claimable !== undefined;
          if (isOld || this.#isStopped) {
            this.#slots.give();
            break;
          }
          tried += 1;
          await this.#take(runId, stamp);
        } catch (error) {
          onProblem(runId, error);
        }
      }
      const isCut = store.claimable !== undefined && runs.length === most;
      this.#lookAgain ||= isOld || isCut;
      // Nothing of it is for this worker: there may be something behind it.
      most = isCut && !isOld && tried === 0 ? 10 * most : mostAtATime;
    }
    options.clock.clearTimeout(this.#timer);
    if (!this.#isStopped) this.#timer = options.clock.setTimeout(() => this.#look(), pollMs);
  }

  /** Works on the run in a slot that has been taken for it. */
  async #take(runId: string, stamp: string): Promise<void> {
    const { store, options, keep, onProblem } = this.#parts;
    let execution: Execution;
    try {
      execution = await Execution.start(store, runId, options, this.#slots);
    } catch (error) {
      this.#slots.give();
      // Its owner may die without changing anything, so a held run is tried again.
      if (error instanceof RunError && error.code === "run-held") return;
      this.#seen.set(runId, stamp);
      onProblem(runId, error);
      return;
    }
    keep(execution);
    this.#running.add(execution);
    void this.#watch(execution);
  }

  #mustWait(runId: string): boolean {
    return (this.#later.get(runId)?.at ?? 0) > this.#parts.options.clock.monotonic();
  }

  #wait(runId: string): void {
    const ms = Math.min(longestWaitMs, 2 * (this.#later.get(runId)?.ms ?? firstWaitMs / 2));
    this.#later.set(runId, { at: this.#parts.options.clock.monotonic() + ms, ms });
  }

  async #watch(execution: Execution): Promise<void> {
    const { runId } = execution;
    try {
      await execution.ended;
      this.#later.delete(runId);
      this.#running.delete(execution);
      await this.#rememberRest(execution);
    } catch (error) {
      this.#running.delete(execution);
      // Taking it again and again would only make its journal longer.
      if (isProgramsFault(error)) this.#refused.add(runId);
      else this.#wait(runId);
      this.#parts.onProblem(runId, error);
    }
  }

  /** There is nothing to do until the run changes, unless it has changed since its last record here. */
  async #rememberRest({ runId, state: { status, inbox, records } }: Execution): Promise<void> {
    const { store } = this.#parts;
    // First of all: whatever is not found below comes later, and changes it.
    const stamp = await store.stamp(runId);
    if (stamp === undefined) return;
    const isOpen =
      status.kind === "pending" ||
      (await store.inbox(runId, inbox)).length > 0 ||
      (await store.tail(runId, records)()).length > 0;
    if (isOpen) this.#look();
    else this.#seen.set(runId, stamp);
  }
}
