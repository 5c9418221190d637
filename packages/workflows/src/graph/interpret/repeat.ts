import type { RepeatingJson } from "../graph-json.ts";
import { call, failure, type Scope } from "./scope.ts";

/** The output of any loop. `complete` only if it ended for being done. */
type LoopEnd = { readonly iterations: number; readonly stopped: string; readonly complete: boolean };

/** One turn of a loop; says so if it was the last one. `path` is that of the turn. */
type Turn = (iteration: number, path: string) => Promise<LoopEnd | undefined>;

/** A loop whose limit is known. */
export type Bounded<N extends RepeatingJson> = N & { readonly maxIterations: number };

/** Asks for the limit once, where a function says it. */
export async function bounded<N extends RepeatingJson>(scope: Scope, node: N, path: string): Promise<Bounded<N>> {
  const { id, maxIterations } = node;
  if (typeof maxIterations === "number") return { ...node, maxIterations };
  const ask = async (): Promise<number> => limitOf(id, await call(scope, id, maxIterations, scope.memory.view()));
  return { ...node, maxIterations: await scope.ctx.step(`${path}:max`, ask, { local: true }) };
}

/** That there is none must be said in the graph, where another one is asked for. */
function limitOf(id: string, value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) > 0) return Number(value);
  throw new TypeError(`"maxIterations" of the node "${id}" gave ${String(value)} instead of a whole number from 1.`);
}

/** Turns, one after the other; what runs in them sees their number. */
export async function repeat(scope: Scope, node: RepeatingJson, path: string, turn: Turn): Promise<void> {
  const { memory } = scope;
  const outer = memory.iteration;
  let end: LoopEnd | undefined;
  try {
    for (let iteration = 1; end === undefined; iteration++) {
      memory.iteration = iteration;
      end = await turn(iteration, `${path}#${iteration}`);
    }
  } finally {
    memory.iteration = outer;
  }
  memory.take(node.id, { output: end });
  if (end.complete || node.onIncomplete === "continue") return;
  const times = end.iterations === 1 ? "1 iteration" : `${end.iterations} iterations`;
  throw failure(path, "LoopIncompleteError", `the loop stopped after ${times}, before it was done: ${end.stopped}`);
}
