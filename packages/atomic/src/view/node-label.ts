import type { NodeJson } from "@atomic/workflows/graph/graph-json";

/** What kind of node it is, in a few words; of a loop, where it is. */
export function labelOf(node: NodeJson, turn: number, tasks: readonly string[]): string {
  switch (node.kind) {
    case "agent":
      return node.agent === undefined ? "agent" : `agent ${node.agent}`;
    case "skill":
      return `skill ${node.skill}`;
    case "command":
      return `command ${node.command}`;
    case "subgraph":
      return node.graph === undefined ? "graph" : `graph ${node.graph.name}`;
    case "loop":
    case "criteria-loop":
      return turn === 0 ? "loop" : `turn ${turn}${limitOf(node.maxIterations)}`;
    case "task-loop":
      if (tasks.length > 0) return `task ${tasks.join(", ")}`;
      return "tasks";
    case "wait":
    case "ask-user":
      return "question";
    case "decision":
      return "if";
    case "clear-context":
      return "new context";
    default:
      return node.kind;
  }
}

/** A function may say it, when the loop begins. */
function limitOf(most: unknown): string {
  return typeof most === "number" && most > 0 ? ` of ${most}` : "";
}
