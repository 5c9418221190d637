import { whenDone } from "../../run/when-done.ts";
import type { LoopJson } from "../graph-json.ts";
import { bounded, repeat } from "./repeat.ts";
import { call, type Scope } from "./scope.ts";

/** After an iteration: whether it was enough, and when that was. */
type Turn = { readonly done: boolean; readonly at: number };

const local = { local: true };

export async function runLoop(scope: Scope, loop: LoopJson, path: string): Promise<void> {
  const { ctx } = scope;
  const node = await bounded(scope, loop, path);
  const { nodes, maxIterations, maxDurationMs } = node;
  const began = maxDurationMs === undefined ? 0 : await ctx.step(`${path}:began`, () => Date.now(), local);
  await repeat(scope, node, path, async (iterations, at) => {
    await scope.runNodes({ ...scope, prefix: `${at}/` }, nodes);
    const { done, at: now } = await ctx.step(at, () => turnOf(scope, node), local);
    if (done) return { iterations, stopped: "done", complete: true };
    if (iterations === maxIterations) return { iterations, stopped: "max-iterations", complete: false };
    if (maxDurationMs === undefined || now - began < maxDurationMs) return undefined;
    return { iterations, stopped: "max-duration", complete: false };
  });
}

function turnOf(scope: Scope, { id, until }: LoopJson): Turn | Promise<Turn> {
  return whenDone(call(scope, id, until, scope.memory.view()), (done) => ({ done: done === true, at: Date.now() }));
}
