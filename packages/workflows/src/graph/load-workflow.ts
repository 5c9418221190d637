import type { Entity } from "../entities/entity.ts";
import { lookupKey } from "../entities/qualified-name.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import { importWorkflowModule } from "../modules/workflow-module.ts";
import { WorkflowModuleError } from "../modules/workflow-module-error.ts";
import { shapeProblems } from "./compile.ts";
import { GraphError } from "./graph-error.ts";
import { allNodes, type GraphJson } from "./graph-json.ts";
import { type Graph, isGraph } from "./node-definition.ts";

const howTo = 'Write `export default defineGraph({ name: "…" }, (graph) => graph.start(…))`.';

/**
 * The graph of a workflow that the registry found. This runs the workflow's module, which is its author's code.
 *
 * @example
 * const graph = await loadWorkflow(registry.require("workflow", "ralph"));
 * graph.argumentHint; // "--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>"
 */
export async function loadWorkflow({ type, name, displayName, source, disabledBecause }: Entity): Promise<Graph> {
  const { path } = source;
  if (type !== "workflow" || path === undefined) {
    const problem = type === "workflow" ? "It has no file." : `It is a ${type}, not a workflow.`;
    throw new WorkflowModuleError("not-a-workflow", { problem, at: path ?? name });
  }
  if (disabledBecause !== undefined) {
    const reason = disabledBecause.replace(/^(?:The|Its|It|A)\b/, (word) => word.toLowerCase());
    throw new WorkflowModuleError("workflow-disabled", { problem: `This workflow is disabled: ${reason}`, at: path });
  }

  const module = await importWorkflowModule(path);
  const graph = graphIn(module, path);
  // It is run by the name of its file, so a graph with another name would have two.
  if (lookupKey(graph.name) !== lookupKey(name)) {
    throw new WorkflowModuleError("other-name", {
      problem: `The graph is called "${graph.name}", but the file is called "${displayName}".`,
      at: path,
      hint: `Call the graph "${displayName}", or rename the file.`,
    });
  }
  // Which entities it names is checked when it is compiled.
  withFile(path, () => {
    const { json, problems } = graph.assemble();
    const all = [...problems, ...shapeProblems(json, { hasHoles: true })];
    if (all.length > 0) throw new GraphError(json.name, all);
  });
  return graph;
}

function graphIn(module: Readonly<Record<string, unknown>>, path: string): Graph {
  const exported = module.default;
  if (isGraph(exported)) return exported;
  let problem: string;
  if (isBuilder(exported)) {
    const graph = withFile(path, () => exported.toGraph());
    if (isGraph(graph)) return graph;
    problem = "Its builder does not build a graph.";
  } else if (Object.hasOwn(module, "default")) {
    let what = typeof exported === "object" ? "an object" : `a ${typeof exported}`;
    if (exported === null || exported === undefined) what = String(exported);
    if (exported instanceof Promise) what = "a promise";
    problem = `Its default export is ${what}, not a graph.`;
  } else {
    const other = Object.keys(module).find((key) => isGraph(module[key]) || isBuilder(module[key]));
    problem = `It has no default export${other === undefined ? "" : `, but a graph is exported as "${other}"`}.`;
  }
  throw new WorkflowModuleError("no-graph", { problem, at: path, hint: howTo });
}

/** From any copy of this package. */
function isBuilder(value: unknown): value is { toGraph(): unknown } {
  return typeof value === "object" && value !== null && "toGraph" in value && typeof value.toGraph === "function";
}

function withFile<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new WorkflowModuleError("graph-invalid", { problem: error.message, at: path, cause: error });
  }
}

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
