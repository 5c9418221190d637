import { hostname } from "node:os";
import type { Exceeded } from "../budget.ts";
import { remaining } from "../clock.ts";
import type { Interpret, RunHandle } from "../engine.ts";
import type { RunEvent, RunEventBody, RunOutcome, StepNote } from "../events.ts";
import { type Awaitable, isPromise, whenDone } from "../promises.ts";
import { type RunFold, runFold } from "../replay.ts";
import { isNotReady, isProgramsFault, RunError } from "../run-error.ts";
import type { RunState, RunStatus } from "../run-state.ts";
import { eventOf, type InboxEntry, type RunLog, type RunStore } from "../run-store.ts";
import { type AbortReason, recordError } from "../step-errors.ts";
import { boundedNote } from "../transcript.ts";
import { ScopedCtx } from "./call-fork.ts";
import { ClaimedRun, type ClaimOptions } from "./claimed-run.ts";
import { Parking, type Slots } from "./slots.ts";
import { Watchers } from "./watchers.ts";

export interface ExecutionOptions extends Omit<ClaimOptions, "parking"> {
  readonly interpret: Interpret;
  /** Names the order of calls that the program makes; undefined if it makes none. */
  readonly interpreter: string | undefined;
  /** How long to wait for an aborted step. */
  readonly graceMs: number;
}

/** Reasons to stop working on a run, the strongest last. */
const stopReasons: readonly AbortReason[] = ["released", "budget", "cancelled"];

/** A run from the moment this process takes it until it ends, stops, or is released. */
export class Execution implements RunHandle {
  readonly runId: string;
  readonly ended: Promise<RunStatus>;
  readonly #store: RunStore;
  readonly #options: ExecutionOptions;
  readonly #fold: RunFold = runFold();
  readonly #watchers = new Watchers();
  #log: RunLog | undefined;
  #run: ClaimedRun | undefined;
  #parking: Parking | undefined;
  #unwatch: (() => void) | undefined;
  /** The number of this claim's first record. */
  #from = 0;
  #stopReason: AbortReason | undefined;
  /** Why this program cannot continue the run. */
  #refusal: RunError | undefined;
  /** What the run waited for when it was to be released, unless a message has come since. */
  #rest: { readonly inbox: number; readonly until?: number } | undefined;
  /** Nothing more will be recorded. */
  isOver = false;
  #isClosed = false;
  /** The inbox is being read, and may have grown since. */
  #reading: Promise<void> | undefined;
  #readAgain = false;
  #resolve: (status: RunStatus) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  private constructor(store: RunStore, runId: string, options: ExecutionOptions) {
    this.runId = runId;
    this.#store = store;
    this.#options = options;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.ended.catch(() => undefined); // callers may ignore it
  }

  /** Takes the run and continues where its journal ends. One of the `slots` has been taken for it. */
  static async start(store: RunStore, runId: string, options: ExecutionOptions, slots?: Slots): Promise<Execution> {
    const execution = new Execution(store, runId, options);
    await execution.#open(slots);
    await execution.#begin();
    return execution;
  }

  get state(): NonNullable<RunFold["state"]> {
    return this.#fold.state!;
  }

  async release(): Promise<void> {
    this.#stopWork("released", true);
    await this.ended.catch(() => undefined); // reported through `ended`
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent | StepNote> {
    const read = this.#store.tail(this.runId, this.#from);
    return this.#watchers.iterate(() => whenDone(read(), (entries) => entries.map(({ event }) => event)));
  }

  async #open(slots: Slots | undefined): Promise<void> {
    const { runId } = this;
    const { clock, durability } = this.#options;
    this.#log = await this.#store.open(runId, {
      durability,
      take: (entry) => this.#fold.take(entry),
      kept: () => this.#watchers.wake(),
      failed: (error) => this.#close({ error: lost(runId, error) }),
      status: () => this.state.status,
    });
    this.#fold.forgetSteps();
    this.#from = this.#fold.state?.records ?? 0;
    try {
      await this.#checkVersion();
    } catch (error) {
      await this.#log.close();
      throw error;
    }
    this.#parking = new Parking(
      slots,
      clock,
      () => (this.#run?.busy.working ?? 0) > 0 || this.state.status.kind === "running",
    );
    const options = { ...this.#options, parking: this.#parking };
    this.#run = new ClaimedRun(runId, this.#store, this.#log, this.#fold, options, {
      stop: (exceeded, abort) => this.#stopForBudget(exceeded, abort),
      fail: (error) => (isProgramsFault(error) || isNotReady(error) ? this.#refuse(error) : this.#close({ error })),
      note: (note) => {
        const bounded = boundedNote(note);
        this.#log?.tell(bounded);
        this.#watchers.tell(bounded);
      },
    });
  }

  /** Refuses a run of another version, unless it is to be cancelled: for that, nothing of it is interpreted. */
  async #checkVersion(): Promise<void> {
    const { runId } = this;
    const { state } = this.#fold;
    const { interpreter } = this.#options;
    if (state === undefined) throw new RunError("run-not-found", { message: `There is no run ${runId}` });
    if (interpreter === undefined || state.interpreter === interpreter || state.status.kind === "cancelling") return;
    const messages = await this.#store.inbox(runId, state.inbox);
    if (messages.some(({ n, message }) => message.type === "cancel" && n > state.retriedAt)) return;
    throw new RunError("other-version", {
      message: `The run ${runId} was started by version ${state.interpreter}, but this is version ${interpreter}`,
      hint: "Resume it with the version that started it.",
    });
  }

  /** Never throws: `ended` reports what goes wrong from here on. */
  async #begin(): Promise<void> {
    const run = this.#run!;
    const { kind } = this.state.status;
    if (kind === "done" || kind === "failed" || kind === "cancelled") {
      this.#close();
      return;
    }
    const reading = this.#readInbox();
    if (reading !== undefined) await reading;
    if (this.isOver || this.#stopReason !== undefined) return;
    const { status } = this.state;
    if (status.kind === "cancelling" || status.kind === "stopped") {
      if (status.kind === "cancelling") this.#stopWork("cancelled", true);
      else void this.#finish([]);
      return;
    }
    const { durability } = this.#options;
    run.record({ type: "run-claimed", owner: { pid: process.pid, host: hostname() }, durability });
    if (status.kind === "paused") run.pauseUntil(status.until, remaining(run.clock, status.until, status.ms));
    this.#unwatch = this.#store.watch(this.runId, "inbox", () => void this.#readInbox());
    // Again, because the watch does not report what came since the inbox was read.
    const again = this.#readInbox();
    if (again !== undefined) await again;
    if (this.isOver || this.#stopReason !== undefined) return;
    void this.#interpret(run).then(
      (outcome) => {
        if (this.isOver || this.#stopReason !== undefined || outcome === undefined) return;
        this.#stopReason = "released";
        run.root.abort("abandoned");
        void this.#finish([{ type: "run-ended", outcome }]);
      },
      (error) => this.#close({ error }),
    );
  }

  async #interpret(run: ClaimedRun): Promise<RunOutcome | undefined> {
    try {
      // In its own turn of the event loop, so the caller who starts a run can watch it from its first event.
      await new Promise((resolve) => setImmediate(resolve));
      const { graph, input, name, workspace } = this.state;
      const value = await this.#options.interpret(new ScopedCtx(run, run.root), { graph, input, name, workspace });
      const { stored } = await run.storeAll(value);
      return { kind: "done", result: stored };
    } catch (thrown) {
      if (!isProgramsFault(thrown) && !isNotReady(thrown)) return { kind: "failed", error: recordError(thrown) };
      this.#refuse(thrown);
      return undefined;
    }
  }

  /** The run is fine, but this program cannot continue it: the one that started it can. */
  #refuse(refusal: RunError): void {
    this.#refusal ??= refusal;
    this.#stopWork("released", true);
  }

  /** Never fails. Undefined: it has been read. One reading at a time, or a message that comes meanwhile would be taken twice. */
  #readInbox(): Promise<void> | undefined {
    if (this.isOver) return undefined;
    if (this.#reading !== undefined) {
      this.#readAgain = true;
      return this.#reading;
    }
    try {
      const entries = this.#store.inbox(this.runId, this.state.inbox);
      if (isPromise(entries)) this.#reading = this.#readLate(entries);
      else this.#takeMessages(entries);
    } catch (error) {
      this.#close({ error });
    }
    return this.#reading;
  }

  async #readLate(first: Promise<InboxEntry[]>): Promise<void> {
    try {
      let entries: Awaitable<InboxEntry[]> = first;
      do {
        this.#readAgain = false;
        this.#takeMessages(await entries);
        if (this.#readAgain) entries = this.#store.inbox(this.runId, this.state.inbox);
      } while (this.#readAgain && !this.isOver);
    } catch (error) {
      this.#close({ error });
    } finally {
      this.#reading = undefined;
    }
  }

  #takeMessages(entries: readonly InboxEntry[]): void {
    const run = this.#run!;
    for (const entry of entries) {
      if (this.isOver) return;
      const { message } = entry;
      run.record(eventOf(entry));
      if (message.type === "signal") {
        run.signalWaiters.get(message.key)?.();
        run.signalWaiters.delete(message.key);
      } else if (message.type === "budget") run.watchTime();
      else if (this.state.status.kind === "cancelling") this.#stopWork("cancelled", true);
    }
  }

  #stopForBudget(exceeded: Exceeded, abort: boolean): void {
    const run = this.#run;
    if (this.isOver || run === undefined || this.#stopReason === "cancelled") return;
    if (this.#stopReason === undefined) {
      // Used-up time must also be used up in the journal, despite rounding.
      const counted = run.busy.count();
      const { limit, allowed } = exceeded;
      const busyMs = limit === "wallMs" ? Math.max(counted, allowed - this.state.spent.wallMs) : counted;
      run.record({ type: "budget-exceeded", exceeded, ...(busyMs > 0 && { busyMs }) });
    }
    run.root.freeze("budget");
    // A step that reports its cost and then returns keeps its result: it is paid for.
    if (abort) this.#options.clock.setTimeout(() => this.#stopWork("budget", true), 0);
    else this.#stopWork("budget", false);
  }

  /** Stops all calls and waits for running steps; if they are aborted, only for a while. */
  #stopWork(why: AbortReason, abort: boolean): void {
    const run = this.#run;
    if (this.isOver || run === undefined) return;
    const before = this.#stopReason;
    if (before === undefined && why === "released") this.#rest = restOf(this.state);
    if (before === undefined || stopReasons.indexOf(why) > stopReasons.indexOf(before)) this.#stopReason = why;
    if (abort) {
      run.root.abort(why);
      run.timer(this.#options.graceMs, () => this.#giveUp());
    } else {
      run.root.freeze(why);
      for (const step of [...run.waitingSteps]) step.abort(why);
    }
    run.onIdle(() => this.#giveUp());
  }

  /** No step runs any more, or the wait for it is over. */
  #giveUp(): void {
    if (this.isOver || this.#run === undefined) return;
    const busyMs = this.#run.busy.count();
    const isCancelled = this.#stopReason === "cancelled";
    const { inbox, ...rests } = this.#rest ?? {};
    const isResting = this.#stopReason === "released" && inbox === this.state.inbox;
    void this.#finish([
      isCancelled
        ? { type: "run-ended", outcome: { kind: "cancelled" } }
        : { type: "run-released", ...(busyMs > 0 && { busyMs }), ...(isResting && { rests }) },
    ]);
  }

  /** Makes the last records, and frees the journal once they are on disk. */
  async #finish(last: readonly RunEventBody[]): Promise<void> {
    const run = this.#run;
    if (run === undefined || this.isOver) return;
    this.isOver = true;
    for (const event of last) run.record(event);
    run.isSealed = true;
    await run.kept();
    this.#close();
  }

  /** Settles `ended` and frees the journal. */
  #close(failure?: { readonly error: unknown }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.isOver = true;
    this.#unwatch?.();
    this.#run?.close();
    this.#parking?.close();
    this.#watchers.close();
    if (failure !== undefined) {
      this.#run?.root.abort("lost");
      this.#reject(failure.error);
    }
    void this.#settle();
  }

  async #settle(): Promise<void> {
    try {
      const closing = this.#log?.close();
      if (closing !== undefined) await closing;
      const { status } = this.state;
      if (this.#refusal === undefined || status.kind === "cancelled") this.#resolve(status);
      else this.#reject(this.#refusal);
    } catch (error) {
      // The first failure is the one that `ended` reports; the lock is freed when this process ends.
      this.#reject(lost(this.runId, error));
    }
  }
}

/** Undefined if something can be done now. */
function restOf({ status, inbox }: RunState): { readonly inbox: number; readonly until?: number } | undefined {
  if (status.kind === "paused") return { inbox, until: status.until };
  if (status.kind !== "waiting") return undefined;
  const until = Math.min(...status.for.map((wait) => wait.until ?? Number.POSITIVE_INFINITY));
  return { inbox, ...(until !== Number.POSITIVE_INFINITY && { until }) };
}

function lost(runId: string, cause: unknown): RunError {
  if (cause instanceof RunError) return cause;
  const { message, hint } = cause as Error & { hint?: string };
  return new RunError("lost", {
    message: `The journal for the run ${runId} cannot be written: ${message}`,
    hint: hint ?? "The run has stopped. Resume it once the problem is fixed.",
    cause,
  });
}
