import type { Json } from "../../run/json.ts";
import type { StepInfo } from "../../run/run-ctx.ts";
import { type BaseState, defineNode, type NodeDefinition } from "../node-definition.ts";
import { present } from "../present.ts";
import { type ActingOptions, acting, idOf, type Made, type TryingOptions, trying } from "./options.ts";

/** A tool that graphs call by name. `info.idemKey` is the same for every attempt. */
export type ToolFunction = (args: Json, info: StepInfo) => unknown;

interface Inline<S> {
  readonly tool?: undefined;
  readonly args?: undefined;
  /** What it gives is the output: anything that JSON can hold, or nothing. */
  readonly run: (state: S, info: StepInfo) => unknown;
}

interface Named<S> {
  /** One of those that the graph is compiled with. */
  readonly tool: string;
  readonly args?: Made<S, Json> | undefined;
  readonly run?: undefined;
}

export type ToolNodeConfig<S> = ActingOptions<S> & TryingOptions & (Inline<S> | Named<S>);

/**
 * Runs a function: one given here, or a tool by its name. It happens at least once; `info.idemKey` helps to make its
 * effect happen once.
 *
 * @example
 * toolNode({ id: "tests", run: async (_state, { signal }) => runTests(signal), into: "report" });
 */
export function toolNode<S = BaseState>(config: ToolNodeConfig<S>): NodeDefinition<S> {
  const defaultId = config.tool === undefined ? "tool" : idOf("tool", config.tool);
  return defineNode(config.id, defaultId, (id, assembler) => {
    const common = { kind: "tool", ...acting(id, config, assembler), ...trying(id, config, assembler) } as const;
    if (config.tool === undefined) return { ...common, run: assembler.fn(id, "run", config.run) };
    const args = config.args === undefined ? undefined : assembler.given<Json>(id, "args", config.args);
    return { ...common, tool: config.tool, ...present({ args }) };
  });
}
