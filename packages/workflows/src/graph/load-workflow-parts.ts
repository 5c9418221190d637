import type { Entity } from "../entities/entity.ts";
import { lookupKey } from "../entities/lookup-key.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import type { Graph } from "./graph.ts";
import type { GraphJson } from "./graph-json.ts";
import { loadWorkflow } from "./load-workflow.ts";
import { allNodes } from "./walk.ts";

/** A workflow, and what it takes to compile it. */
export interface LoadedWorkflow {
  readonly entity: Entity;
  readonly graph: Graph;
  /** All that it runs by name, for `CompileOptions`. */
  readonly workflows: Readonly<Record<string, Graph>>;
}

/**
 * Loads a workflow by its name, and those that its graph runs by theirs. A name in a graph that nobody has is reported
 * when it is compiled, with all the others.
 *
 * @example
 * const { graph, workflows } = await loadWorkflowWithParts(registry, "ralph");
 * const compiled = compileGraph(graph, registry, { workflows });
 */
export async function loadWorkflowWithParts(registry: EntityRegistry, name: string): Promise<LoadedWorkflow> {
  const entity = registry.require("workflow", name);
  const graph = await loadWorkflow(entity);
  const workflows: Record<string, Graph> = {};
  const seen = new Set<string>();
  const open = namedIn(graph.assemble().json);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const part = registry.getWorkflow(next);
    if (part === undefined || seen.has(lookupKey(next))) continue;
    seen.add(lookupKey(next));
    const inner = part === entity ? graph : await loadWorkflow(part);
    workflows[next] = inner;
    open.push(...namedIn(inner.assemble().json));
  }
  return { entity, graph, workflows };
}

/** Names of workflows that nodes run, at any depth. */
function namedIn({ nodes }: GraphJson): string[] {
  return [...allNodes(nodes)].flatMap((node) => {
    if (node.kind !== "subgraph") return [];
    if (node.graph !== undefined) return namedIn(node.graph);
    return node.workflow === undefined ? [] : [node.workflow];
  });
}
