// A run in the process that has claimed it: what its interpreter's calls share.
import { checkUsage, type Exceeded, overspent, type Usage, usedUp } from "../budget.ts";
import { after, type Clock } from "../clock.ts";
import type { BlobRef, RunEvent, RunEventBody, StepNote, Stored } from "../events.ts";
import type { Json } from "../json.ts";
import { LargePart, partKey, RecentParts } from "../large-part.ts";
import { checkParts, loadStored, loadWithout, replaceParts, savePiece } from "../large-value.ts";
import { type Awaitable, isPromise, never } from "../promises.ts";
import type { RunFold } from "../replay.ts";
import { RunError } from "../run-error.ts";
import type { CallState, RunState } from "../run-state.ts";
import type { RunLog, RunStore } from "../run-store.ts";
import { type Abortable, AbortScope } from "./abort-scope.ts";
import { BusyTime } from "./busy-time.ts";
import { encode, plainCopy, type ResultLimits } from "./encode.ts";
import { KeySet } from "./key-set.ts";
import type { Parking, Slots } from "./slots.ts";

export interface ClaimOptions {
  /** What steps are told to work in. */
  readonly folder: string;
  readonly clock: Clock;
  readonly durability: "step" | "turn";
  readonly limits: ResultLimits;
  /** How many times in a row a step may kill its process before the step fails. */
  readonly maxCrashes: number;
  /** By name. A queue without a size is not limited. */
  readonly queues: ReadonlyMap<string, Slots>;
  readonly parking: Parking;
}

/** What the run needs from its execution. */
export interface ClaimHooks {
  /** No further step starts; with `abort`, running ones end too. */
  readonly stop: (exceeded: Exceeded, abort: boolean) => void;
  /** Ends the execution without another record: nothing can be trusted any more. */
  readonly fail: (error: unknown) => void;
  readonly note: (note: StepNote) => void;
}

export interface KeptValue {
  readonly value: Json;
  readonly stored: Stored;
}

/** Steps before a pause: an endless series of quick steps would block everything else, even a cancellation. */
const stepsPerTurn = 1000;

export class ClaimedRun {
  readonly runId: string;
  readonly options: ClaimOptions;
  readonly root: AbortScope = new AbortScope();
  readonly busy: BusyTime;
  /** Every key of a call or a question. */
  readonly keys: KeySet = new KeySet();
  /** Called once a signal with their key has arrived. */
  readonly signalWaiters: Map<string, () => void> = new Map();
  /** Running steps that wait for an answer, perhaps forever. */
  readonly waitingSteps: Set<Abortable> = new Set();
  readonly fail: ClaimHooks["fail"];
  readonly note: ClaimHooks["note"];
  /** The last record has been made. */
  isSealed = false;
  readonly fold: RunFold;
  readonly #log: RunLog;
  readonly #store: RunStore;
  readonly #hooks: ClaimHooks;
  readonly #timers = new Set<() => void>();
  readonly #whenIdle: (() => void)[] = [];
  /** Made once: a fork may have many branches. */
  readonly #limitsOfAll: ResultLimits;
  readonly #recent: RecentParts;
  /** Parts that this process has written or checked. */
  readonly #whole = new Set<string>();
  #pause: { readonly until: number; readonly over: Promise<void> } | undefined;
  #steps = 0;

  constructor(runId: string, store: RunStore, log: RunLog, fold: RunFold, options: ClaimOptions, hooks: ClaimHooks) {
    this.runId = runId;
    this.options = options;
    this.busy = new BusyTime(options.clock);
    this.#limitsOfAll = { ...options.limits, maxBytes: Number.POSITIVE_INFINITY };
    this.#recent = new RecentParts(options.limits.recentBytes);
    this.fail = hooks.fail;
    this.note = hooks.note;
    this.#store = store;
    this.#log = log;
    this.fold = fold;
    this.#hooks = hooks;
  }

  get state(): RunState {
    return this.fold.state!;
  }

  get clock(): Clock {
    return this.options.clock;
  }

  get pauseOver(): Promise<void> | undefined {
    return this.#pause?.over;
  }

  /** Does nothing once the last record has been made: an aborted step may end later. */
  record(body: RunEventBody & { readonly at?: number }): void {
    if (this.isSealed) return;
    // Not a copy: the body was made for this call, and this is the hottest code of a run.
    const event = body as { at?: number };
    event.at ??= this.clock.now();
    this.fold.take(this.#log.append(event as RunEvent));
  }

  /** Resolves when all records are on disk; never if they cannot be. Undefined: they are. */
  kept(): Promise<void> | undefined {
    // The log itself reports the failure to the execution.
    return this.#log.flushed()?.catch(never);
  }

  /** A pause, if it is time to let other work happen. */
  letOthersIn(): Promise<void> | undefined {
    if (this.#log.isFull) return this.kept();
    this.#steps += 1;
    if (this.#steps % stepsPerTurn !== 0) return undefined;
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** What the journal knows about a call that this process makes for the first time. */
  beginCall<Kind extends CallState["kind"]>(
    key: string,
    kind: Kind,
  ): Extract<CallState, { kind: Kind }> | undefined | "refused" {
    if (typeof key !== "string" || key === "" || key.length > 1000) {
      const message = `${JSON.stringify(key)} is not a valid key for a ${kind}: a key must be a string of 1 to 1,000 characters`;
      this.fail(new RunError("bad-request", { message, at: `${this.runId}: ${key}` }));
      return "refused";
    }
    const isNew = this.keys.add(key);
    const call = this.state.calls.get(key);
    if (!isNew || (call?.kind === "wait" && call.step !== undefined)) {
      const message = `The run ${this.runId} makes two calls with the same key, "${key}"`;
      const hint = "Give every call in the graph its own key.";
      this.fail(new RunError("key-repeated", { message, at: `${this.runId}: ${key}`, hint }));
      return "refused";
    }
    if (call !== undefined && call.kind !== kind) {
      const message = `The run ${this.runId} asks for a ${kind} "${key}", but its journal has a ${call.kind} with this key`;
      const hint = "Resume it with the version of the program that started it.";
      this.fail(new RunError("diverged", { message, at: `${this.runId}: ${key}`, hint }));
      return "refused";
    }
    // The questions of its earlier attempts have keys too.
    if (call?.kind === "step" && call.questions !== undefined) for (const each of call.questions) this.keys.add(each);
    return call as Extract<CallState, { kind: Kind }> | undefined;
  }

  spend(key: string, usage: Usage): void {
    this.record({ type: "usage", key, usage: checkUsage(usage) });
    const exceeded = overspent(this.state.budget, this.state.spent);
    if (exceeded !== undefined) this.#hooks.stop(exceeded, true);
  }

  /** Whether the budget allows another step. If not, the run stops. */
  mayStart(): boolean {
    const exceeded = usedUp(this.state.budget, this.state.spent);
    if (exceeded !== undefined) this.#hooks.stop(exceeded, false);
    return exceeded === undefined;
  }

  beginStep(now: number): void {
    this.busy.begin(now);
    if (this.busy.working === 1) this.watchTime();
  }

  /** A running step starts to wait for an answer, or stops. */
  setStepWaiting(step: Abortable, isWaiting: boolean): void {
    if (isWaiting) {
      this.waitingSteps.add(step);
      this.busy.suspend();
      this.options.parking.idle();
      return;
    }
    this.waitingSteps.delete(step);
    this.busy.resume();
    if (this.busy.working === 1) this.watchTime();
  }

  /** Sets the alarm for the end of the time budget. */
  watchTime(): void {
    const { wallMs } = this.state.budget;
    if (wallMs === undefined || wallMs === Number.POSITIVE_INFINITY) return;
    this.busy.setAlarm(wallMs - this.state.spent.wallMs, () =>
      this.#hooks.stop({ limit: "wallMs", allowed: wallMs, spent: wallMs }, true),
    );
  }

  endStep(now: number): void {
    this.busy.end(now);
    if (this.busy.running > 0) return;
    this.options.parking.idle();
    if (this.#whenIdle.length > 0) for (const callback of this.#whenIdle.splice(0)) queueMicrotask(callback);
  }

  /** Calls back once no step runs and the last one's outcome is recorded. */
  onIdle(callback: () => void): void {
    if (this.busy.running > 0) this.#whenIdle.push(callback);
    else queueMicrotask(callback);
  }

  /**
   * The value and how it is kept: next to the journal if it is too long. With `large`, its large parts do not stay in memory.
   * Throws if it cannot be kept.
   */
  store(value: unknown, large = false, limits: ResultLimits = this.options.limits): KeptValue | Promise<KeptValue> {
    // Most results are small and plain.
    const copied = plainCopy(value, limits.inlineBytes);
    if (copied !== undefined) return { value: copied, stored: { value: copied } };
    const { value: whole, piece } = encode(value, limits);
    if (piece === undefined) return { value: whole, stored: { value: whole } };
    return savePiece(piece, limits.inlineBytes, (text) => this.#log.saveBlob(text)).then(
      ({ stored, parts }) => {
        for (const part of parts) this.#whole.add(partKey(part));
        if (!large || this.#store.readBlob === undefined) return { value: whole, stored };
        for (const [at, { at: _at, ...part }] of parts.entries()) {
          const { rest, kept, parts: inner } = piece.parts[at]!.piece;
          if (kept === undefined && inner.length === 0) this.#recent.add(part, rest);
        }
        return { value: replaceParts(whole, parts, this.#later), stored };
      },
      (error) => {
        // This is not the step's failure: nothing can be kept any more.
        this.fail(error);
        return never();
      },
    );
  }

  /** The same for what consists of other results, however many: a branch, or the whole run. */
  storeAll(value: unknown): KeptValue | Promise<KeptValue> {
    return this.store(value, false, this.#limitsOfAll);
  }

  /**
   * Loads a value of the journal; with `large`, without keeping its large parts in memory. Undefined, and the run fails, if a
   * value next to the journal is not what was written.
   */
  load(stored: Stored, large = false): Awaitable<{ readonly value: Json } | undefined> {
    if ("value" in stored) return stored;
    const failed = (error: unknown): undefined => this.fail(error) as undefined;
    try {
      if (large && this.#store.readBlob !== undefined) {
        checkParts(stored, this.#readBlob, this.#whole);
        return { value: loadWithout(stored, this.#readBlob, this.#later) };
      }
      const loaded = loadStored(stored, (ref) => this.#store.loadBlob(this.runId, ref));
      return isPromise(loaded) ? loaded.then((value) => ({ value }), failed) : { value: loaded };
    } catch (error) {
      return failed(error);
    }
  }

  readonly #later = (stored: LargePart["stored"]): LargePart => new LargePart(stored, this.#readPart);

  readonly #readBlob = (ref: BlobRef): Json => this.#store.readBlob!(this.runId, ref);

  readonly #readPart = (stored: LargePart["stored"]): Json => {
    try {
      return this.#recent.get(stored, () => loadWithout(stored, this.#readBlob, this.#later));
    } catch (error) {
      // Not a failure of the step that reads it: nothing can be trusted any more.
      this.fail(error);
      throw error;
    }
  };

  /** Never resolves if the run is released first. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.timer(milliseconds, resolve));
  }

  timer(milliseconds: number, callback: () => void): () => void {
    const cancel = after(this.clock, milliseconds, () => {
      this.#timers.delete(cancel);
      callback();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }

  /** No step starts until then. */
  pause(key: string, reason: string, ms: number): void {
    const at = this.clock.now();
    const until = at + ms;
    if (this.#pause !== undefined && this.#pause.until >= until) return;
    this.record({ type: "run-paused", key, reason, ms, until, at });
    this.pauseUntil(until, ms);
  }

  /** Continues a pause that is in the journal, with `ms` left. */
  pauseUntil(until: number, ms: number): void {
    const over = this.sleep(ms).then(() => {
      if (this.#pause?.until !== until) return this.#pause?.over;
      this.#pause = undefined;
      if (this.root.frozen === undefined) this.record({ type: "run-resumed" });
      return undefined;
    });
    this.#pause = { until, over };
  }

  close(): void {
    this.isSealed = true;
    this.busy.clear();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }
}
