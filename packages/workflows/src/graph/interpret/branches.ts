// Branches, and where they join: what each of them did becomes one change of the state, in the order in which they are
// written, not in the order in which they happened to end.
import { isDeepStrictEqual } from "node:util";
import type { Json } from "../../run/json.ts";
import type { Branch } from "../../run/run-ctx.ts";
import type { BranchResult } from "../control-nodes.ts";
import type { FunctionRef, ParallelJson } from "../graph-json.ts";
import { type JsonObject, present } from "../json-value.ts";
import type { BranchJson } from "./memory.ts";
import { checkedUpdate, reduceCustom, reducedBy } from "./result.ts";
import { callFunction, failure, type GraphScope } from "./scope.ts";

export async function runParallel(scope: GraphScope, node: ParallelJson, path: string): Promise<void> {
  const { strategy, limit } = node;
  const branches = node.branches.map(({ nodes }, at) =>
    branchOf(scope, `${path}.${at}/`, (inner) => inner.runNodes(inner, nodes)),
  );
  const values = await scope.ctx.fork(path, branches, strategy, present({ limit }));
  let winners: BranchToJoin[];
  if (strategy === "all") {
    winners = node.branches.map(({ label }, at) => ({ label, did: values[at] as BranchJson }));
  } else {
    const at = Number(values[1]);
    winners = [{ label: node.branches[at]?.label ?? String(at), did: values[0] as BranchJson }];
  }
  await joinBranches(scope, path, winners, node);
  scope.memory.take(node.id, { output: winners.map(({ label }) => label) });
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

interface BranchToJoin {
  readonly label: string;
  readonly did: BranchJson;
}

interface JoinOptions {
  readonly id: string;
  /** Replaces the reducers. */
  readonly merge?: FunctionRef;
  /** What several values for one key without a reducer mean. Default: a failure. */
  readonly conflicts?: "last";
}

export async function joinBranches(
  scope: GraphScope,
  path: string,
  branches: readonly BranchToJoin[],
  { id, merge, conflicts }: JoinOptions,
): Promise<void> {
  const { ctx, memory } = scope;
  if (merge !== undefined) {
    const results = branches.map(({ label, did }): BranchResult => {
      return { label, outputs: did.outputs, update: { ...did.delta, ...did.custom } };
    });
    const { update, reduced } = await ctx.step<{ readonly update: JsonObject; readonly reduced?: JsonObject }>(
      `${path}:merge`,
      async () => {
        const made = checkedUpdate(scope, id, await callFunction(scope, id, merge, results, memory.view()));
        return { update: made, ...(await reducedBy(scope, made)) };
      },
      { local: true },
    );
    for (const { did } of branches) memory.join({ ...did, delta: {}, custom: {} }, {});
    memory.update(update, reduced);
    return;
  }

  for (const [key, { reducer }] of Object.entries(scope.graph.state)) {
    if (conflicts !== undefined || reducer !== "last") continue;
    const [first, ...others] = branches.filter(({ did }) => Object.hasOwn(did.delta, key));
    const other = others.find(({ did }) => !isDeepStrictEqual(did.delta[key], first?.did.delta[key]));
    if (first === undefined || other === undefined) continue;
    const message = `the branches "${first.label}" and "${other.label}" both wrote "${key}", so one value would be lost; give "${key}" a reducer, such as append(), or give the parallel node a merge function`;
    throw failure(path, "StateConflictError", message);
  }

  // Keys whose reducer is a function get all updates of all branches.
  const keys = [...new Set(branches.flatMap(({ did }) => Object.keys(did.custom)))];
  let reduced: JsonObject = {};
  if (keys.length > 0) {
    reduced = await ctx.step<JsonObject>(
      `${path}:merge`,
      async () => {
        const values: Record<string, Json> = {};
        for (const key of keys) {
          const updates = branches.flatMap(({ did }) => did.custom[key] ?? []);
          values[key] = await reduceCustom(scope, key, memory.values[key] ?? null, updates);
        }
        return values;
      },
      { local: true },
    );
  }
  for (const { did } of branches) memory.join(did, reduced);
}
