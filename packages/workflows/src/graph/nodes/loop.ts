import type { RepeatingJson } from "../graph-json.ts";
import {
  type Assembler,
  type BaseState,
  defineNode,
  type InnerNodes,
  type NodeDefinition,
  type Nodes,
} from "../node-definition.ts";
import { present } from "../present.ts";
import type { Condition } from "./decision.ts";
import type { Made, NodeOptions } from "./options.ts";

export interface RepeatingOptions<S> extends NodeOptions {
  /** Default 100. 0: no limit, which takes another one. What a function says, at the beginning, is at least 1. */
  readonly maxIterations?: Made<S, number> | undefined;
  /** Whether a loop that stops for another reason than being done fails. Default: `continue`; its output says why. */
  readonly onIncomplete?: "continue" | "fail" | undefined;
}

export interface LoopOptions<S> extends RepeatingOptions<S> {
  /** Asked after each iteration. */
  readonly until: Condition<S>;
  /** Asked after each iteration: no further one begins after this time. */
  readonly maxDurationMs?: number | undefined;
}

/** Repeats nodes until a condition holds. The output is `{ iterations, stopped }`. */
export function loopNode<S = BaseState>(body: InnerNodes<S>, options: LoopOptions<S>): NodeDefinition<S> {
  const { until, maxDurationMs } = options;
  return defineNode(options.id, "loop", (id, assembler) => ({
    kind: "loop",
    ...repeating(id, body, options, assembler),
    until: assembler.fn(id, "until", until),
    ...present({ maxDurationMs }),
  }));
}

export function repeating<S>(
  id: string,
  body: Nodes<never>,
  { description, maxIterations = 100, onIncomplete = "continue" }: RepeatingOptions<S>,
  assembler: Assembler,
): RepeatingJson {
  return {
    id,
    ...present({ description }),
    nodes: assembler.nodes(body),
    maxIterations: typeof maxIterations === "number" ? maxIterations : assembler.fn(id, "maxIterations", maxIterations),
    onIncomplete,
  };
}
