import type { Ending, ForkEnding, Join } from "../events.ts";
import type { Json } from "../json.ts";
import type { Branch, ForkOptions, RunCtx } from "../run-ctx.ts";
import { RunError } from "../run-error.ts";
import type { ForkState } from "../run-state.ts";
import { type ErrorRecord, recordError, StepFailedError } from "../step-errors.ts";
import { checkForkOptions } from "./check-numbers.ts";
import { decide, decideNext } from "./join.ts";
import type { LiveRun } from "./live-run.ts";
import { never } from "./never.ts";
import { Scope } from "./scope.ts";

/** Makes the context of a branch. */
type NewCtx = (scope: Scope) => RunCtx;

export interface ForkCall {
  readonly key: string;
  readonly branches: readonly Branch[];
  readonly join: Join;
  readonly options: ForkOptions;
}

export async function callFork(live: LiveRun, scope: Scope, fork: ForkCall, newCtx: NewCtx): Promise<Json[]> {
  if (scope.frozen !== undefined) return await never();
  checkForkOptions(fork.key, fork.options);
  const call = live.claim(fork.key, "fork");
  if (call === "refused") return await never();
  const problem = call && differenceFrom(call, fork);
  if (problem !== undefined) {
    const hint = "Resume it with the version of the program that began it.";
    live.fail(new RunError("diverged", { message: `The run ${live.runId}: ${problem}`, hint, at: fork.key }));
    return await never();
  }
  if (call?.phase === "ended" && call.ending !== undefined) {
    live.forget(fork.key);
    return await valuesOf(live, fork, call.ending, call.branches);
  }
  scope.opened(fork.key);
  if (call === undefined) {
    live.record({ type: "fork-started", key: fork.key, branches: fork.branches.length, join: fork.join });
  }
  return await new OpenFork(live, scope, fork, newCtx).run();
}

/** A fork until its end. What its branches came to is in the state of the run. */
class OpenFork {
  readonly #live: LiveRun;
  readonly #scope: Scope;
  readonly #fork: ForkCall;
  readonly #newCtx: NewCtx;
  readonly #scopes = new Map<number, Scope>();
  readonly #left: string[] = [];
  #next = 0;
  /** Branches that have not ended. */
  #missing = 0;
  #outcome: readonly (Ending | undefined)[] = [];
  #decided: ((ending: ForkEnding) => void) | undefined;

  constructor(live: LiveRun, scope: Scope, fork: ForkCall, newCtx: NewCtx) {
    this.#live = live;
    this.#scope = scope;
    this.#fork = fork;
    this.#newCtx = newCtx;
  }

  async run(): Promise<Json[]> {
    const { branches, options, join } = this.#fork;
    const decided = new Promise<ForkEnding>((resolve) => {
      this.#decided = resolve;
    });
    this.#missing = this.#endings().filter((ending) => ending === undefined).length;
    const known = decide(join, this.#endings());
    const places = Math.min(options.limit ?? branches.length, branches.length);
    if (known !== undefined) this.#conclude(known);
    else for (let running = 0; running < places; running++) this.#startNext();
    const ending = await decided;
    return await valuesOf(this.#live, this.#fork, ending, this.#outcome);
  }

  #endings(): readonly (Ending | undefined)[] {
    return (this.#live.state.calls.get(this.#fork.key) as ForkState).branches;
  }

  #conclude(ending: ForkEnding): void {
    const { key } = this.#fork;
    this.#outcome = this.#endings();
    const abandoned = [...this.#left, ...[...this.#scopes.values()].flatMap((branch) => branch.openKeys())];
    for (const branch of this.#scopes.values()) {
      branch.abort("abandoned");
      branch.leave();
    }
    this.#live.record({ type: "fork-ended", key, ending, ...(abandoned.length > 0 && { abandoned }) });
    this.#scope.closed(key);
    for (const each of [key, ...abandoned]) this.#live.forget(each);
    this.#decided?.(ending);
  }

  #startNext(): void {
    const { branches } = this.#fork;
    while (this.#next < branches.length && this.#endings()[this.#next] !== undefined) this.#next += 1;
    const index = this.#next++;
    const branch = branches[index];
    if (branch === undefined) return;
    const scope = new Scope(this.#scope);
    this.#scopes.set(index, scope);
    // Whatever a branch throws is how it ended, and how a branch ended never throws.
    void this.#runBranch(branch, scope).then((ending) => this.#ended(index, scope, ending));
  }

  async #runBranch(branch: Branch, scope: Scope): Promise<Ending> {
    try {
      const { stored } = await this.#live.store(await branch(this.#newCtx(scope)));
      return { ok: true, result: stored };
    } catch (thrown) {
      return { ok: false, error: recordError(thrown) };
    }
  }

  #ended(index: number, scope: Scope, ending: Ending): void {
    // What a branch throws once nobody wants it is nobody's business; and an interpreter that stands still has no end.
    if (scope.frozen !== undefined) return;
    const { key, join } = this.#fork;
    this.#scopes.delete(index);
    // Calls that a branch did not wait for end with it.
    this.#left.push(...scope.openKeys());
    scope.abort("abandoned");
    scope.leave();
    this.#live.record({ type: "branch-ended", key, index, ending });
    this.#missing -= 1;
    const decision = decideNext(join, this.#endings(), index, this.#missing);
    if (decision !== undefined) this.#conclude(decision);
    else this.#startNext();
  }
}

function differenceFrom(known: ForkState, { key, branches, join }: ForkCall): string | undefined {
  if (known.branches.length === branches.length && known.join === join) return undefined;
  const then = `${known.branches.length} branches joined by "${known.join}"`;
  return `the fork "${key}" has ${branches.length} branches joined by "${join}", but its journal tells of ${then}`;
}

async function valuesOf(
  live: LiveRun,
  { key, join }: ForkCall,
  ending: ForkEnding,
  endings: readonly (Ending | undefined)[],
): Promise<Json[]> {
  if (!ending.ok) throw new StepFailedError(key, ending.error, 1);
  const values: Json[] = [];
  for (const [index, each] of endings.entries()) {
    if (ending.winner !== undefined && index !== ending.winner) continue;
    const value = branchValue(live, join, each);
    if (value === undefined) return await never();
    values.push(value.value);
  }
  return ending.winner === undefined ? values : [...values, ending.winner];
}

function branchValue(live: LiveRun, join: Join, ending: Ending | undefined): { readonly value: Json } | undefined {
  if (ending?.ok === false) return { value: { ok: false, error: asJson(ending.error) } };
  const loaded = ending && live.load(ending.result);
  return join === "settled" && loaded !== undefined ? { value: { ok: true, value: loaded.value } } : loaded;
}

function asJson({ name, message, hint, code, details, key }: ErrorRecord): Json {
  return { name, message, hint, code, details, key };
}
