// Branches, and where they join: what each of them did becomes one change of the state, in the order in which they are
// written, not in the order in which they happened to end.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../run/json.ts";
import { holding, readable } from "../../run/large-part.ts";
import type { Branch } from "../../run/run-ctx.ts";
import type { BranchResult } from "../control-nodes.ts";
import type { FunctionRef, ParallelJson } from "../graph-json.ts";
import { type JsonObject, present } from "../json-value.ts";
import { type BranchJson, openBranch } from "./memory.ts";
import { checkedUpdate, reduceCustom, reducedBy } from "./result.ts";
import { callFunction, failure, type GraphScope } from "./scope.ts";

export async function runParallel(scope: GraphScope, node: ParallelJson, path: string): Promise<void> {
  const { strategy, limit } = node;
  const branches = node.branches.map(({ nodes }, at) =>
    branchOf(scope, `${path}.${at}/`, (inner) => inner.runNodes(inner, nodes)),
  );
  const values = await scope.ctx.fork(path, branches, strategy, { large: true, ...present({ limit }) });
  const winner = strategy === "all" ? undefined : Number(values[1]);
  const winners = winner === undefined ? node.branches : node.branches.slice(winner, winner + 1);
  const labels = winners.map(({ label }) => label);
  const did = (values.slice(0, labels.length) as BranchJson[]).map(openBranch);
  await joinBranches(scope, path, did, {
    ...node,
    names: (first, other) => `the branches "${labels[first]}" and "${labels[other]}"`,
    results: () =>
      did.map(({ outputs = {}, delta, custom }, at): BranchResult => {
        const update = readable(holding({ ...delta, ...custom }));
        return { label: labels[at] ?? "", outputs: readable(holding(outputs)), update };
      }),
  });
  scope.memory.take(node.id, { output: labels });
}

/** A branch with its own memory. Its value is what it did. */
export function branchOf(scope: GraphScope, prefix: string, run: (inner: GraphScope) => Promise<void>): Branch {
  return async (ctx) => {
    // Created when the branch runs: one that ended before a crash does not run again.
    const memory = scope.memory.fork();
    await run({ ...scope, ctx, prefix, memory });
    return memory.branch;
  };
}

interface JoinOptions {
  readonly id: string;
  readonly kind: string;
  /** Of two branches, by their numbers. */
  readonly names: (first: number, other: number) => string;
  /** Replaces the reducers. It gets the results. */
  readonly merge?: FunctionRef;
  readonly results?: () => readonly unknown[];
  /** What several values for one key without a reducer mean. Default: a failure. */
  readonly conflicts?: "last";
}

export async function joinBranches(
  scope: GraphScope,
  path: string,
  branches: readonly BranchJson[],
  { id, kind, names, merge, results, conflicts }: JoinOptions,
): Promise<void> {
  const { ctx, memory } = scope;
  if (merge !== undefined) {
    const { update, reduced } = await ctx.step<{ readonly update: JsonObject; readonly reduced?: JsonObject }>(
      `${path}:merge`,
      async () => {
        const made = checkedUpdate(scope, id, await callFunction(scope, id, merge, results?.(), memory.view()));
        return { update: made, ...(await reducedBy(scope, made)) };
      },
      { local: true },
    );
    for (const { delta: _delta, custom: _custom, ...did } of branches) memory.join(did, {});
    memory.update(update, reduced);
    return;
  }

  for (const [key, { reducer }] of Object.entries(scope.graph.state)) {
    if (conflicts !== undefined || reducer !== "last") continue;
    const first = branches.findIndex(({ delta }) => delta !== undefined && Object.hasOwn(delta, key));
    const value = branches[first]?.delta?.[key];
    const other = branches.findIndex(
      ({ delta }, at) =>
        at > first && delta !== undefined && Object.hasOwn(delta, key) && !isDeepStrictEqual(delta[key], value),
    );
    if (first < 0 || other < 0) continue;
    const message = `${names(first, other)} both wrote "${key}", so one value would be lost; give "${key}" a reducer, such as append(), or give the ${kind} node a merge function`;
    throw failure(path, "StateConflictError", message);
  }

  // Keys whose reducer is a function get all updates of all branches.
  const keys = [...new Set(branches.flatMap(({ custom }) => (custom === undefined ? [] : Object.keys(custom))))];
  let reduced: JsonObject = {};
  if (keys.length > 0) {
    reduced = await ctx.step<JsonObject>(
      `${path}:merge`,
      async () => {
        const values: Record<string, Json> = {};
        for (const key of keys) {
          const updates = branches.flatMap(({ custom }) => custom?.[key] ?? []);
          values[key] = await reduceCustom(scope, key, memory.values[key] ?? null, updates);
        }
        return values;
      },
      { local: true },
    );
  }
  for (const did of branches) memory.join(did, reduced);
}
