// What a workflow says at its end: the output of its last node, wherever that node is.
import type { Json } from "../run/json.ts";
import type { NodeJson, NodesJson } from "./graph-json.ts";

/** `branches`: the value has one answer for each branch, by its label. */
export interface FinalAnswer {
  readonly value: Json;
  readonly branches?: true;
}

type OutputOf = (id: string, of?: "outputs" | "answers" | "handled") => Promise<Json | undefined>;

/**
 * A node's own output, or that of the last node inside it which ran: in the way that a decision took, in the last iteration of
 * a loop, in each branch, in the graph inside a subgraph. Undefined if nothing has an output.
 *
 * @param outputOf A node's output, the answer of the graph inside it, or whether its handler ran in its last iteration; undefined
 *   if it did not run.
 */
export async function answerOf(nodes: NodesJson, outputOf: OutputOf): Promise<FinalAnswer | undefined> {
  for (const node of nodes.toReversed()) {
    const answer = await nodeAnswer(node, outputOf);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

async function nodeAnswer(node: NodeJson, outputOf: OutputOf): Promise<FinalAnswer | undefined> {
  const handler = node.kind === "try" ? node.handler : "onError" in node ? node.onError : undefined;
  // In a loop, both the nodes and their handler may have an output, from different iterations.
  if (handler !== undefined && (await outputOf(node.id, "handled")) === true) {
    const answer = handler === "continue" ? undefined : await answerOf(handler, outputOf);
    if (answer !== undefined || node.kind !== "try") return answer;
  }
  switch (node.kind) {
    case "clear-context":
      return undefined;
    case "decision": {
      const taken = await outputOf(node.id);
      if (taken === undefined) return undefined;
      const route = node.routes.find(({ label }) => label === taken);
      return await answerOf(route?.nodes ?? node.otherwise, outputOf);
    }
    case "try":
      return await answerOf(node.nodes, outputOf);
    case "parallel": {
      const labels = (await outputOf(node.id)) as readonly string[] | undefined;
      if (labels === undefined) return undefined;
      const answers: Record<string, Json> = {};
      for (const { label, nodes } of node.branches) {
        const answer = labels.includes(label) ? await answerOf(nodes, outputOf) : undefined;
        if (answer !== undefined) answers[label] = answer.value;
      }
      const [only, ...others] = Object.values(answers);
      if (only === undefined) return undefined;
      return others.length === 0 ? { value: only } : { value: answers, branches: true };
    }
    case "subgraph": {
      const inner = await outputOf(node.id, "answers");
      if (inner !== undefined) return { value: inner };
      break;
    }
    case "loop":
    case "task-loop":
    case "criteria-loop": {
      const inner = await answerOf(node.nodes, outputOf);
      if (inner !== undefined) return inner;
      break;
    }
  }
  const value = await outputOf(node.id);
  return value === undefined ? undefined : { value };
}
