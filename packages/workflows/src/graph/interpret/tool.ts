import type { StepInfo } from "../../run/run-ctx.ts";
import { whenDone } from "../../run/when-done.ts";
import type { ToolJson } from "../graph-json.ts";
import type { NodeResult } from "./memory.ts";
import { resultOf } from "./result.ts";
import { call, madeOf, type Scope } from "./scope.ts";
import { attempting, stepOptions } from "./step-options.ts";

export async function runTool(scope: Scope, node: ToolJson, path: string): Promise<void> {
  const fn = attempting(scope, node, (info) =>
    whenDone(outputOf(scope, node, info), (output) => resultOf(scope, node, output)),
  );
  scope.memory.take(node.id, await scope.ctx.step<NodeResult>(path, fn, stepOptions(node)));
}

/** Perhaps a promise. */
function outputOf(scope: Scope, node: ToolJson, info: StepInfo): unknown {
  if ("run" in node) return call(scope, node.id, node.run, scope.memory.view(), info);
  const tool = scope.compiled.tools.get(node.tool);
  if (tool === undefined) throw new Error(`The tool "${node.tool}" was not compiled into the graph.`);
  if (node.args === undefined) return tool(null, info);
  return whenDone(madeOf(scope, node.id, node.args), (args) => tool(args, info));
}
