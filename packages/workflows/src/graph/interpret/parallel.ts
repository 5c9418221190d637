import type { Json } from "../../run/json.ts";
import type { Branch } from "../../run/run-ctx.ts";
import type { ParallelJson } from "../graph-json.ts";
import { present } from "../present.ts";
import { type Joined, joinBranches } from "./join-branches.ts";
import type { BranchJson } from "./memory.ts";
import type { Scope } from "./scope.ts";

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
