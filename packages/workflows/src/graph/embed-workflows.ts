// Workflows that a graph runs by name become a part of it, so that a run carries all that it is made of.

import { formatNotFound } from "@atomic/terminal/suggest";
import { lookupKey } from "../entities/lookup-key.ts";
import type { Graph } from "./graph.ts";
import type { GraphProblem } from "./graph-error.ts";
import type { NodeJson, SubgraphJson } from "./graph-json.ts";
import type { Assembled, GraphFunction } from "./node-definition.ts";
import { mapNodes } from "./walk.ts";

/** `others` are names that somebody may have meant, too. */
export function embedWorkflows(
  assembled: Assembled,
  workflows: Readonly<Record<string, Graph>>,
  others: readonly string[] = [],
): Assembled {
  return new Embedding(workflows, others).embed(assembled, [lookupKey(assembled.json.name)], "");
}

class Embedding {
  readonly #workflows: Readonly<Record<string, Graph>>;
  readonly #others: readonly string[];

  constructor(workflows: Readonly<Record<string, Graph>>, others: readonly string[]) {
    this.#workflows = workflows;
    this.#others = others;
  }

  /** `within` are the workflows around, which must not come again. */
  embed({ json, functions, problems }: Assembled, within: readonly string[], at: string): Assembled {
    const all = new Map<string, GraphFunction>(functions);
    const found: GraphProblem[] = [...problems];
    const change = (node: NodeJson): NodeJson => {
      if (node.kind !== "subgraph") return node;
      const inner = this.#inner(node, within, `${at}${node.id}`);
      if ("code" in inner) {
        found.push(inner);
        return node;
      }
      for (const [key, fn] of inner.functions) all.set(`${node.id}/${key}`, fn);
      found.push(...inner.problems);
      return { ...node, graph: inner.json };
    };
    return { json: { ...json, nodes: mapNodes(json.nodes, change) }, functions: all, problems: found };
  }

  #inner({ workflow, graph }: SubgraphJson, within: readonly string[], at: string): Assembled | GraphProblem {
    // A graph that was given is in place, but may name workflows itself.
    if (graph !== undefined) return this.embed({ json: graph, functions: new Map(), problems: [] }, within, `${at}/`);
    const name = workflow ?? "";
    const known = Object.keys(this.#workflows);
    const key = known.find((each) => lookupKey(each) === lookupKey(name));
    const found = key === undefined ? undefined : this.#workflows[key];
    if (found === undefined)
      return { code: "unknown-name", at, message: `${formatNotFound("Workflow", name, [...known, ...this.#others])}.` };
    if (within.includes(lookupKey(name))) {
      return { code: "recursion", at, message: `The workflow "${name}" would contain itself.`, hint: "Use a loop." };
    }
    return this.embed(found.assemble(), [...within, lookupKey(name)], `${at}/`);
  }
}
