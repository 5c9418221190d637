import type { LoopJson } from "../graph-json.ts";
import { repeat } from "./repeat.ts";
import { call, type Scope } from "./scope.ts";

/** After an iteration: whether it was enough, and when that was. */
type Turn = { readonly done: boolean; readonly at: number };

export async function runLoop(scope: Scope, node: LoopJson, path: string): Promise<void> {
  const { ctx, memory } = scope;
  const { nodes, maxIterations, maxDurationMs } = node;
  const began = maxDurationMs === undefined ? 0 : await ctx.step(`${path}:began`, () => Date.now(), { local: true });
  await repeat(scope, node, path, async (iterations, at) => {
    await scope.runNodes({ ...scope, prefix: `${at}/` }, nodes);
    const turn = async (): Promise<Turn> => ({
      done: (await call(scope, node.id, node.until, memory.view())) === true,
      at: Date.now(),
    });
    const { done, at: now } = await ctx.step(at, turn, { local: true });
    if (done) return { iterations, stopped: "done", complete: true };
    if (iterations === maxIterations) return { iterations, stopped: "max-iterations", complete: false };
    if (maxDurationMs === undefined || now - began < maxDurationMs) return undefined;
    return { iterations, stopped: "max-duration", complete: false };
  });
}
