import type { StepInfo } from "../../run/run-ctx.ts";
import type { ToolJson } from "../graph-json.ts";
import type { NodeResult } from "./memory.ts";
import { resultOf } from "./result.ts";
import { call, madeOf, type Scope } from "./scope.ts";
import { attempting, stepOptions } from "./step-options.ts";

export async function runTool(scope: Scope, node: ToolJson, path: string): Promise<void> {
  const fn = attempting(scope, node, async (info) => resultOf(scope, node, await outputOf(scope, node, info)));
  scope.memory.take(node.id, await scope.ctx.step<NodeResult>(path, fn, stepOptions(node)));
}

async function outputOf(scope: Scope, node: ToolJson, info: StepInfo): Promise<unknown> {
  if ("run" in node) return await call(scope, node.id, node.run, scope.memory.view(), info);
  const tool = scope.compiled.tools.get(node.tool);
  if (tool === undefined) throw new Error(`The tool "${node.tool}" was not compiled into the graph.`);
  return await tool(node.args === undefined ? null : await madeOf(scope, node.id, node.args), info);
}
