import type { DecisionJson } from "../graph-json.ts";
import { call, type Scope } from "./scope.ts";

export async function runDecision(scope: Scope, node: DecisionJson, path: string): Promise<void> {
  const taken = await scope.ctx.step(path, () => decide(scope, node), { local: true });
  const at = node.routes.findIndex(({ label }) => label === taken);
  const nodes = node.routes[at]?.nodes ?? node.otherwise;
  scope.memory.take(node.id, { output: taken });
  await scope.runNodes({ ...scope, prefix: `${path}.${at < 0 ? node.routes.length : at}/` }, nodes);
}

async function decide(scope: Scope, { id, routes }: DecisionJson): Promise<string> {
  for (const { label, when } of routes) if (await call(scope, id, when, scope.memory.view())) return label;
  return "otherwise";
}
