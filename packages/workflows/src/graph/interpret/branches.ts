// Where branches meet: what each of them did becomes one change of the state, in the order in which they are written, not
// in the order in which they happened to end.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../run/json.ts";
import type { Branch } from "../../run/run-ctx.ts";
import type { BranchResult } from "../control-nodes.ts";
import type { FunctionRef, ParallelJson } from "../graph-json.ts";
import { type JsonObject, present } from "../json-value.ts";
import type { BranchJson } from "./memory.ts";
import { checkedUpdate, reduceCustom, reducedBy } from "./result.ts";
import { call, failure, type Scope } from "./scope.ts";

export interface Joined {
  readonly label: string;
  readonly did: BranchJson;
}

export interface JoinOptions {
  readonly id: string;
  /** Decides in place of the reducers. */
  readonly merge?: FunctionRef;
  /** What several values for one key that has no reducer mean. Default: a failure. */
  readonly conflicts?: "last";
}

export async function joinBranches(
  scope: Scope,
  path: string,
  joined: readonly Joined[],
  options: JoinOptions,
): Promise<void> {
  if (options.merge !== undefined) return await mergeBy(scope, path, joined, options.id, options.merge);
  if (options.conflicts === undefined) refuseConflicts(scope, path, joined);
  const reduced = await reducedByAll(scope, path, joined);
  for (const { did } of joined) scope.memory.join(did, reduced);
}

type Merged = { readonly update: JsonObject; readonly reduced?: JsonObject };

async function mergeBy(
  scope: Scope,
  path: string,
  joined: readonly Joined[],
  id: string,
  merge: FunctionRef,
): Promise<void> {
  const results = joined.map(({ label, did }): BranchResult => {
    return { label, outputs: did.outputs, update: { ...did.delta, ...did.custom } };
  });
  const step = async (): Promise<Merged> => {
    const update = checkedUpdate(scope, id, await call(scope, id, merge, results, scope.memory.view()));
    return { update, ...(await reducedBy(scope, update)) };
  };
  const { update, reduced } = await scope.ctx.step(`${path}:merge`, step, { local: true });
  for (const { did } of joined) scope.memory.join({ ...did, delta: {}, custom: {} }, {});
  scope.memory.update(update, reduced);
}

/** Keys whose reducer is a function, after all updates of all branches. */
async function reducedByAll(scope: Scope, path: string, joined: readonly Joined[]): Promise<JsonObject> {
  const keys = [...new Set(joined.flatMap(({ did }) => Object.keys(did.custom)))];
  if (keys.length === 0) return {};
  const step = async (): Promise<JsonObject> => {
    const reduced: Record<string, Json> = {};
    for (const key of keys) {
      const updates = joined.flatMap(({ did }) => did.custom[key] ?? []);
      reduced[key] = await reduceCustom(scope, key, scope.memory.values[key] ?? null, updates);
    }
    return reduced;
  };
  return await scope.ctx.step(`${path}:merge`, step, { local: true });
}

function refuseConflicts(scope: Scope, path: string, joined: readonly Joined[]): void {
  for (const [key, { reducer }] of Object.entries(scope.graph.state)) {
    if (reducer !== "last") continue;
    const writers = joined.filter(({ did }) => Object.hasOwn(did.delta, key));
    const [first, other] = [
      writers[0],
      writers.find(({ did }) => !isDeepStrictEqual(did.delta[key], writers[0]?.did.delta[key])),
    ];
    if (first === undefined || other === undefined) continue;
    const message = `the branches "${first.label}" and "${other.label}" both wrote "${key}", and one value would be lost; give the state's "${key}" a reducer, as append(), or the parallel node a merge`;
    throw failure(path, "StateConflictError", message);
  }
}

export async function runParallel(scope: Scope, node: ParallelJson, path: string): Promise<void> {
  const branches = node.branches.map(({ nodes }, at) =>
    branchOf(scope, `${path}.${at}/`, (inner) => inner.runNodes(inner, nodes)),
  );
  const values = await scope.ctx.fork(path, branches, node.strategy, present({ limit: node.limit }));
  const winners = winnersOf(node, values);
  await joinBranches(scope, path, winners, node);
  scope.memory.take(node.id, { output: winners.map(({ label }) => label) });
}

/** A branch with a memory of its own; what it did is its value. */
export function branchOf(scope: Scope, prefix: string, run: (inner: Scope) => Promise<void>): Branch {
  return async (ctx) => {
    // Made when the branch runs: one that ended before a crash does not run again.
    const memory = scope.memory.fork();
    await run({ ...scope, ctx, prefix, memory });
    return memory.branch;
  };
}

function winnersOf({ strategy, branches }: ParallelJson, values: readonly Json[]): Joined[] {
  if (strategy === "all") return branches.map(({ label }, at) => ({ label, did: values[at] as BranchJson }));
  const [did, at] = values as readonly [BranchJson, number];
  return [{ label: branches[at]?.label ?? String(at), did }];
}
