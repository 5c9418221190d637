import type { RepeatingJson } from "../graph-json.ts";
import { failure, type Scope } from "./scope.ts";

/** The output of any loop. `complete` only if it ended for being done. */
type LoopEnd = { readonly iterations: number; readonly stopped: string; readonly complete: boolean };

/** One turn of a loop; says so if it was the last one. `path` is that of the turn. */
type Turn = (iteration: number, path: string) => Promise<LoopEnd | undefined>;

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
