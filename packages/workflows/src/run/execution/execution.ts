import { hostname } from "node:os";
import type { Exceeded } from "../budget.ts";
import type { Interpret, Run } from "../engine.ts";
import type { RunEvent, RunEventBody, RunOutcome, StepNote } from "../events.ts";
import { type RunFold, runFold } from "../replay.ts";
import { isProgramsFault, RunError } from "../run-error.ts";
import type { RunStatus } from "../run-state.ts";
import type { Letter, RunLog, RunStore } from "../run-store.ts";
import { type AbortReason, recordError } from "../step-errors.ts";
import { type LiveOptions, LiveRun } from "./live-run.ts";
import { newCtx } from "./new-ctx.ts";
import { Parking } from "./parking.ts";
import type { Places } from "./queues.ts";
import { Watchers } from "./watchers.ts";

export interface ExecutionOptions extends Omit<LiveOptions, "parking"> {
  readonly interpret: Interpret;
  /** Whose order of calls the program follows; undefined if it will make none. */
  readonly interpreter: string | undefined;
  /** How long a step that was aborted is waited for. */
  readonly graceMs: number;
}

/** Ways to give up a run, the stronger ones last. */
const windings: readonly AbortReason[] = ["released", "budget", "cancelled"];

/** A run from the moment this process takes it until it has ended, stopped, or been given back. */
export class Execution implements Run {
  readonly runId: string;
  readonly ended: Promise<RunStatus>;
  readonly #store: RunStore;
  readonly #options: ExecutionOptions;
  readonly #fold: RunFold = runFold();
  readonly #watchers = new Watchers();
  #log: RunLog | undefined;
  #live: LiveRun | undefined;
  #parking: Parking | undefined;
  #unwatch: (() => void) | undefined;
  /** Number of the first record of this claim. */
  #from = 0;
  #winding: AbortReason | undefined;
  /** Why this program cannot go on with the run. */
  #refusal: RunError | undefined;
  /** Nothing more will be recorded. */
  #isOver = false;
  #isClosed = false;
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
    this.ended.catch(() => undefined); // whoever is interested asks; nobody has to
  }

  /** Takes the run and goes on where its journal ends. `places`: one of them has been taken for it. */
  static async start(store: RunStore, runId: string, options: ExecutionOptions, places?: Places): Promise<Execution> {
    const execution = new Execution(store, runId, options);
    await execution.#open(places);
    execution.#begin();
    return execution;
  }

  get state(): NonNullable<RunFold["state"]> {
    return this.#fold.state!;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async release(): Promise<void> {
    this.#windDown("released", true);
    await this.ended.catch(() => undefined); // its owner is told through `ended`
  }

  [Symbol.asyncIterator](): AsyncIterator<RunEvent | StepNote> {
    const read = this.#store.tail(this.runId, this.#from);
    return this.#watchers.iterate(() => read().map(({ event }) => event));
  }

  async #open(places: Places | undefined): Promise<void> {
    const { clock, durability } = this.#options;
    this.#log = await this.#store.open(this.runId, {
      durability,
      take: (entry) => this.#fold.take(entry),
      kept: () => this.#watchers.wake(),
      failed: (error) => this.#fail(lost(this.runId, error)),
    });
    this.#fold.forgetSteps();
    this.#from = this.#fold.state?.records ?? 0;
    const problem = this.#problem();
    if (problem !== undefined) {
      this.#log.close();
      throw problem;
    }
    const isBusy = (): boolean => (this.#live?.busy.working ?? 0) > 0 || this.state.status.kind === "running";
    this.#parking = new Parking(places, clock, isBusy);
    const options = { ...this.#options, parking: this.#parking };
    this.#live = new LiveRun(this.runId, this.#store, this.#log, this.#fold, options, {
      stop: (exceeded, abort) => this.#stop(exceeded, abort),
      fail: (error) => (isProgramsFault(error) ? this.#giveBack(error) : this.#fail(error)),
      note: (note) => this.#watchers.tell(note),
    });
  }

  #problem(): RunError | undefined {
    const { runId } = this;
    const state = this.#fold.state;
    if (state === undefined) return new RunError("run-not-found", { message: `There is no run ${runId}` });
    const { interpreter } = this.#options;
    if (interpreter === undefined || state.interpreter === interpreter) return undefined;
    return new RunError("other-version", {
      message: `The run ${runId} was begun by version ${state.interpreter}, and this is ${interpreter}`,
      hint: "Resume it with the version that began it.",
    });
  }

  /** Never throws: what goes wrong from here on is told through `ended`. */
  #begin(): void {
    const live = this.#live!;
    const { kind } = this.state.status;
    if (kind === "done" || kind === "failed" || kind === "cancelled") {
      this.#close();
      return;
    }
    this.#readLetters();
    if (this.#isOver || this.#winding !== undefined) return;
    const { status } = this.state;
    if (status.kind === "cancelling") this.#windDown("cancelled", true);
    else if (status.kind === "stopped") void this.#finish([]);
    else this.#claim(live, status);
  }

  #claim(live: LiveRun, status: RunStatus): void {
    const { durability } = this.#options;
    live.record({ type: "run-claimed", owner: { pid: process.pid, host: hostname() }, durability });
    if (status.kind === "paused") live.continuePause(status.until, status.ms);
    this.#unwatch = this.#store.watch(this.runId, "inbox", () => this.#readLetters());
    // Once more: what has come since they were read is not news to whoever watches from now on.
    this.#readLetters();
    if (this.#isOver || this.#winding !== undefined) return;
    void this.#interpret(live).then(
      (outcome) => this.#complete(outcome),
      (error) => this.#fail(error),
    );
  }

  async #interpret(live: LiveRun): Promise<RunOutcome | undefined> {
    try {
      // On a turn of its own, so that whoever starts a run can watch it from its first event.
      await new Promise((resolve) => setImmediate(resolve));
      const { graph, input } = this.state;
      const value = await this.#options.interpret(newCtx(live, live.root), { graph, input });
      const { stored } = await live.store(value);
      return { kind: "done", result: stored };
    } catch (thrown) {
      if (!isProgramsFault(thrown)) return { kind: "failed", error: recordError(thrown) };
      this.#giveBack(thrown);
      return undefined;
    }
  }

  /** Nothing is wrong with the run: another program, the one that began it, can go on with it. */
  #giveBack(refusal: RunError): void {
    this.#refusal ??= refusal;
    this.#windDown("released", true);
  }

  #complete(outcome: RunOutcome | undefined): void {
    if (this.#isOver || this.#winding !== undefined || outcome === undefined) return;
    this.#winding = "released";
    this.#live?.root.abort("abandoned");
    void this.#finish([{ type: "run-ended", outcome }]);
  }

  #readLetters(): void {
    if (this.#isOver) return;
    try {
      for (const letter of this.#store.letters(this.runId, this.state.inbox)) this.#take(letter);
    } catch (error) {
      this.#fail(error);
    }
  }

  #take({ n, message }: Letter): void {
    const live = this.#live!;
    switch (message.type) {
      case "signal":
        live.record({ type: "signal-received", key: message.key, value: message.value, inbox: n });
        live.signalled(message.key);
        break;
      case "budget":
        live.record({ type: "budget-set", budget: message.budget, inbox: n });
        live.watchTime();
        break;
      case "cancel":
        live.record({ type: "run-cancel-requested", inbox: n });
        this.#windDown("cancelled", true);
        break;
    }
  }

  #stop(exceeded: Exceeded, abort: boolean): void {
    if (this.#isOver || this.#winding === "cancelled") return;
    const isFirst = this.#winding === undefined;
    if (isFirst) this.#live?.record({ type: "budget-exceeded", exceeded, ...this.#busyMs(exceeded) });
    this.#live?.root.freeze("budget");
    // A step that tells what it cost and then returns has its result kept: it has been paid for.
    if (abort) this.#options.clock.setTimeout(() => this.#windDown("budget", true), 0);
    else this.#windDown("budget", false);
  }

  /** Time that is used up has to be so in the journal too, whatever is lost to rounding. */
  #busyMs({ limit, allowed }: Exceeded): { busyMs?: number } {
    const counted = this.#live?.busy.count() ?? 0;
    const busyMs = limit === "wallMs" ? Math.max(counted, allowed - this.state.spent.wallMs) : counted;
    return busyMs > 0 ? { busyMs } : {};
  }

  /** No call goes on; running steps are waited for, once they are aborted only for a while. */
  #windDown(why: AbortReason, abort: boolean): void {
    const live = this.#live;
    if (this.#isOver || live === undefined) return;
    const isFirst = this.#winding === undefined;
    if (isFirst || windings.indexOf(why) > windings.indexOf(this.#winding!)) this.#winding = why;
    if (abort) live.root.abort(why);
    else {
      live.root.freeze(why);
      live.abortStill(why);
    }
    if (abort) live.timer(this.#options.graceMs, () => this.#wound());
    live.onIdle(() => this.#wound());
  }

  #wound(): void {
    if (this.#isOver || this.#live === undefined) return;
    const busyMs = this.#live.busy.count();
    const isCancelled = this.#winding === "cancelled";
    void this.#finish([
      isCancelled
        ? { type: "run-ended", outcome: { kind: "cancelled" } }
        : { type: "run-released", ...(busyMs > 0 && { busyMs }) },
    ]);
  }

  /** The last records, and once they are kept the journal is free. */
  async #finish(last: readonly RunEventBody[]): Promise<void> {
    const live = this.#live;
    if (live === undefined || this.#isOver) return;
    this.#isOver = true;
    for (const event of last) live.record(event);
    live.seal();
    await live.kept();
    this.#close();
  }

  #close(): void {
    if (!this.#cleanUp()) return;
    try {
      this.#log?.close();
      const { status } = this.state;
      if (this.#refusal === undefined || status.kind === "cancelled") this.#resolve(status);
      else this.#reject(this.#refusal);
    } catch (error) {
      this.#reject(lost(this.runId, error));
    }
  }

  #fail(error: unknown): void {
    if (!this.#cleanUp()) return;
    this.#live?.root.abort("lost");
    this.#reject(error);
    try {
      this.#log?.close();
    } catch (second) {
      // The first failure is the one to tell; the lock is free when this process ends.
      if (!(second instanceof Error)) throw second;
    }
  }

  /** False if it has been done before. */
  #cleanUp(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.#isOver = true;
    this.#unwatch?.();
    this.#live?.close();
    this.#parking?.close();
    this.#watchers.close();
    return true;
  }
}

function lost(runId: string, cause: unknown): RunError {
  if (cause instanceof RunError) return cause;
  const { message, hint } = cause as Error & { hint?: string };
  return new RunError("lost", {
    message: `The journal of the run ${runId} cannot be written: ${message}`,
    hint: hint ?? "Nothing more is done. Resume the run when the cause is gone.",
    cause,
  });
}
