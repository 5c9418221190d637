import type { BranchEnding, ForkEnding, Join } from "../events.ts";
import type { Json } from "../json.ts";
import { isPromise, never } from "../promises.ts";
import type { Branch, ForkOptions, RunCtx, StepInfo, StepOptions, WaitOptions, WaitResult } from "../run-ctx.ts";
import { RunError } from "../run-error.ts";
import type { ForkState } from "../run-state.ts";
import { type ErrorRecord, recordError, StepFailedError } from "../step-errors.ts";
import { AbortScope } from "./abort-scope.ts";
import { callStep } from "./call-step.ts";
import { callSleep, callWait } from "./call-wait.ts";
import { checkFrom } from "./check-options.ts";
import type { ClaimedRun } from "./claimed-run.ts";

/** The context of a run, or of one of its branches. Forks create further ones. */
export class ScopedCtx implements RunCtx {
  readonly #run: ClaimedRun;
  readonly #scope: AbortScope;

  constructor(run: ClaimedRun, scope: AbortScope) {
    this.#run = run;
    this.#scope = scope;
  }

  get runId(): string {
    return this.#run.runId;
  }

  step<T extends Json>(key: string, fn: (info: StepInfo) => Promise<T> | T, options: StepOptions = {}): Promise<T> {
    return callStep(this.#run, this.#scope, key, fn, options) as Promise<T>;
  }

  sleep(key: string, ms: number): Promise<void> {
    return callSleep(this.#run, this.#scope, key, ms);
  }

  wait<T extends Json>(key: string, options: WaitOptions = {}): Promise<WaitResult<T>> {
    return callWait(this.#run, this.#scope, key, options) as Promise<WaitResult<T>>;
  }

  fork(key: string, branches: readonly Branch[], join: Join, options: ForkOptions = {}): Promise<Json[]> {
    return callFork(this.#run, this.#scope, { key, branches, join, options });
  }
}

interface ForkCall {
  readonly key: string;
  readonly branches: readonly Branch[];
  readonly join: Join;
  readonly options: ForkOptions;
}

type Endings = readonly (BranchEnding | undefined)[];

async function callFork(run: ClaimedRun, scope: AbortScope, fork: ForkCall): Promise<Json[]> {
  const { key, branches, join } = fork;
  if (scope.frozen !== undefined) return await never();
  checkFrom(1, key, "limit", fork.options.limit);
  const call = run.beginCall(key, "fork");
  if (call === "refused") return await never();
  if (call !== undefined && (call.branches.length !== branches.length || call.join !== join)) {
    const then = `${call.branches.length} branches joined by "${call.join}"`;
    const now = `${branches.length} branches joined by "${join}"`;
    const message = `The run ${run.runId}: the fork "${key}" has ${now}, but its journal has ${then}`;
    const hint = "Resume it with the version of the program that started it.";
    run.fail(new RunError("diverged", { message, hint, at: key }));
    return await never();
  }
  if (call?.phase === "ended" && call.ending !== undefined) {
    run.fold.forget(key);
    return await valuesOf(run, fork, call.ending, call.branches);
  }
  scope.opened(key);
  if (call === undefined) run.record({ type: "fork-started", key, branches: branches.length, join });
  return await new OpenFork(run, scope, fork).wait();
}

/** A fork until it ends. The run's state has its branches' endings. */
class OpenFork {
  readonly #run: ClaimedRun;
  readonly #scope: AbortScope;
  readonly #fork: ForkCall;
  readonly #scopes = new Map<number, AbortScope>();
  readonly #left: string[] = [];
  #next = 0;
  /** Branches that have not ended. */
  #missing = 0;
  #outcome: Endings = [];
  #decided: ((ending: ForkEnding) => void) | undefined;

  constructor(run: ClaimedRun, scope: AbortScope, fork: ForkCall) {
    this.#run = run;
    this.#scope = scope;
    this.#fork = fork;
  }

  get #endings(): Endings {
    return (this.#run.state.calls.get(this.#fork.key) as ForkState).branches;
  }

  async wait(): Promise<Json[]> {
    const { branches, options, join } = this.#fork;
    const decided = new Promise<ForkEnding>((resolve) => {
      this.#decided = resolve;
    });
    this.#missing = this.#endings.filter((ending) => ending === undefined).length;
    const known = decide(join, this.#endings);
    const atATime = Math.min(options.limit ?? branches.length, branches.length);
    if (known !== undefined) this.#conclude(known);
    else for (let running = 0; running < atATime; running++) this.#startNext();
    const ending = await decided;
    return await valuesOf(this.#run, this.#fork, ending, this.#outcome);
  }

  #conclude(ending: ForkEnding): void {
    const { key } = this.#fork;
    this.#outcome = this.#endings;
    const abandoned = this.#left;
    for (const branch of this.#scopes.values()) branch.leave(abandoned);
    this.#run.record({ type: "fork-ended", key, ending, ...(abandoned.length > 0 && { abandoned }) });
    this.#scope.closed(key);
    for (const each of [key, ...abandoned]) this.#run.fold.forget(each);
    this.#decided?.(ending);
  }

  #startNext(): void {
    const { branches } = this.#fork;
    while (this.#next < branches.length && this.#endings[this.#next] !== undefined) this.#next += 1;
    const index = this.#next++;
    const branch = branches[index];
    if (branch === undefined) return;
    const scope = new AbortScope(this.#scope);
    this.#scopes.set(index, scope);
    void this.#work(branch, index, scope);
  }

  async #work(branch: Branch, index: number, scope: AbortScope): Promise<void> {
    let ending: BranchEnding;
    try {
      const value = await branch(new ScopedCtx(this.#run, scope));
      const kept = this.#run.storeAll(value);
      const { stored: result } = kept instanceof Promise ? await kept : kept;
      ending = { ok: true, result };
    } catch (thrown) {
      // Whatever a branch throws is how it ended.
      ending = { ok: false, error: recordError(thrown) };
    }
    // Once a branch is not needed, its ending does not matter.
    if (scope.frozen !== undefined) return;
    const { key, join } = this.#fork;
    this.#scopes.delete(index);
    // Calls that the branch did not wait for end with it.
    scope.leave(this.#left);
    this.#run.record({ type: "branch-ended", key, index, ending });
    this.#missing -= 1;
    const decision = decideNext(join, this.#endings, index, this.#missing);
    if (decision !== undefined) this.#conclude(decision);
    else this.#startNext();
  }
}

async function valuesOf(run: ClaimedRun, fork: ForkCall, ending: ForkEnding, endings: Endings): Promise<Json[]> {
  const { key, join } = fork;
  if (!ending.ok) throw new StepFailedError(key, ending.error, 1);
  const values: Json[] = [];
  for (const [index, each] of endings.entries()) {
    if (ending.winner !== undefined && index !== ending.winner) continue;
    if (each?.ok === false) {
      const { name, message, hint, code, details, key: step } = each.error;
      values.push({ ok: false, error: { name, message, hint, code, details, key: step } });
    } else {
      const loading = each && run.load(each.result, fork.options.large);
      const loaded = isPromise(loading) ? await loading : loading;
      if (loaded === undefined) return await never();
      values.push(join === "settled" ? { ok: true, value: loaded.value } : loaded.value);
    }
  }
  return ending.winner === undefined ? values : [...values, ending.winner];
}

const noBranches: ErrorRecord = { name: "Error", message: "there are no branches", code: "no-branches" };

/** How the fork ends, from the branches that have ended; undefined if it has to wait for more. */
export function decide(join: Join, endings: Endings): ForkEnding | undefined {
  const isComplete = endings.every((ending) => ending !== undefined);
  switch (join) {
    case "all": {
      const failed = endings.find((ending) => ending?.ok === false);
      if (failed?.ok === false) return { ok: false, error: failed.error };
      return isComplete ? { ok: true } : undefined;
    }
    case "settled":
      return isComplete ? { ok: true } : undefined;
    case "race": {
      if (endings.length === 0) return { ok: false, error: noBranches };
      const first = endings.findIndex((ending) => ending !== undefined);
      return first < 0 ? undefined : decideNext("race", endings, first, 0);
    }
    case "any": {
      const winner = endings.findIndex((ending) => ending?.ok === true);
      if (winner >= 0) return { ok: true, winner };
      if (!isComplete) return undefined;
      const errors = endings.flatMap((ending) => (ending?.ok === false ? [ending.error] : []));
      const [first] = errors;
      if (first === undefined) return { ok: false, error: noBranches };
      const message = `every branch failed: ${errors.map((error) => error.message).join("; ")}`;
      const key = first.key !== undefined && { key: first.key };
      return { ok: false, error: { name: "Error", message, code: "all-failed", ...key } };
    }
  }
}

/** The same after one more branch has ended, without looking at the others: a fork may have many. `missing` have not ended. */
export function decideNext(join: Join, endings: Endings, last: number, missing: number): ForkEnding | undefined {
  const ended = endings[last]!;
  if (ended.ok && (join === "race" || join === "any")) return { ok: true, winner: last };
  if (!ended.ok && (join === "race" || join === "all")) return { ok: false, error: ended.error };
  return missing > 0 ? undefined : decide(join, endings);
}
