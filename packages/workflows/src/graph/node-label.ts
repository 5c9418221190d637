// What pictures of a graph say about a node.
import { truncate } from "@atomic/terminal/width";
import type { FunctionRef, NodeJson } from "./graph-json.ts";

/** What kind of node it is, and what it is about: `skill commit`. */
export function labelOf(node: NodeJson): string {
  return joined(aboutOf(node), "onError" in node && node.onError === "continue" && "may fail");
}

function aboutOf(node: NodeJson): string {
  switch (node.kind) {
    case "agent":
      return node.agent === undefined ? "agent" : `agent ${node.agent}`;
    case "skill":
      return `skill ${node.skill}`;
    case "command":
      return `command ${node.command}`;
    case "tool":
      return "tool" in node ? `tool ${node.tool}` : "tool";
    case "wait":
      return textOf("wait", node.prompt);
    case "ask-user":
      return textOf("ask", node.question);
    case "clear-context":
      return node.session === undefined ? "forget all sessions" : `forget session ${node.session}`;
    case "subgraph":
      return `graph ${node.graph?.name ?? node.workflow}`;
    case "decision":
      return "if";
    case "parallel":
      return joined("parallel", node.strategy, node.limit !== undefined && `${node.limit} at a time`);
    case "loop":
      return joined("loop", ...limits(node.maxIterations, node.maxDurationMs));
    case "task-loop":
      return joined("task loop", ...limits(node.maxIterations), node.limit > 1 && `${node.limit} at a time`);
    case "criteria-loop":
      return joined(`loop until ${node.signal}`, ...limits(node.maxIterations, node.maxDurationMs));
    case "try":
      return "what fails is handled below";
  }
}

/** In columns. */
const longestText = 60;

function textOf(kind: string, given: { readonly value: string } | { readonly fn: string }): string {
  return "value" in given ? `${kind}: ${truncate(given.value.trim().replace(/\s+/g, " "), longestText)}` : kind;
}

function limits(maxIterations: number | FunctionRef, maxDurationMs?: number): (string | false)[] {
  return [
    typeof maxIterations === "number" && maxIterations > 0 && `at most ${maxIterations} times`,
    maxDurationMs !== undefined && `at most ${Math.ceil(maxDurationMs / 60_000)} min`,
  ];
}

function joined(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(", ");
}
