import type { GraphProblem } from "./graph-error.ts";
import type { FunctionRef, GraphJson, NodeJson } from "./graph-json.ts";
import type { GraphFunctions } from "./node-definition.ts";
import { allNodes } from "./walk.ts";

const roles = "output system prompt args run auto question input until select tasksPath maxIterations merge".split(" ");

/** The roles that functions play for a node. */
function rolesOf(node: NodeJson): string[] {
  const fields = node as { readonly [key: string]: unknown };
  const refs = roles.map((role) => fields[role]);
  if ("retry" in node) refs.push(node.retry?.retryOn);
  if (node.kind === "decision") refs.push(...node.routes.map(({ when }) => when));
  return refs.filter(isFunctionRef).map(({ fn }) => fn);
}

export function isFunctionRef(value: unknown): value is FunctionRef {
  return typeof value === "object" && value !== null && "fn" in value;
}

/** Functions that a stored graph names and its module does not have any more. */
export function missingFunctions(graph: GraphJson, functions: GraphFunctions, prefix = ""): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const need = (id: string, role: string): void => {
    if (functions.has(`${prefix}${id}:${role}`)) return;
    const message = `The module has no function "${role}" for it any more.`;
    const hint = "Go back to the version of the workflow that the run was started with.";
    problems.push({ code: "missing-function", at: prefix + id, message, hint });
  };
  for (const [key, { reducer }] of Object.entries(graph.state))
    if (reducer === "custom") need(`state.${key}`, "reduce");
  for (const node of allNodes(graph.nodes)) {
    for (const role of rolesOf(node)) need(node.id, role);
    if (node.kind === "subgraph" && node.graph) {
      problems.push(...missingFunctions(node.graph, functions, `${prefix}${node.id}/`));
    }
  }
  return problems;
}
