import type { Entity } from "../entities/entity.ts";
import { lookupKey } from "../entities/qualified-name.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import { importWorkflowModule } from "../modules/workflow-module.ts";
import { WorkflowModuleError } from "../modules/workflow-module-error.ts";
import { shapeProblems } from "./compile.ts";
import { GraphError } from "./graph-error.ts";
import { allNodes, type GraphJson } from "./graph-json.ts";
import { type Graph, isGraph } from "./node-definition.ts";

/**
 * The graph of a workflow that the registry found. This runs the workflow's module, which is code of whoever wrote it.
 *
 * @example
 * const graph = await loadWorkflow(registry.require("workflow", "ralph"));
 * graph.argumentHint; // "--yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>"
 */
export async function loadWorkflow(entity: Entity): Promise<Graph> {
  const path = fileOf(entity);
  const module = await importWorkflowModule(path);
  const graph = graphOf(module, path);
  checkName(graph, entity, path);
  checkShape(graph, path);
  return graph;
}

function fileOf({ type, name, source, disabledBecause }: Entity): string {
  const { path } = source;
  if (type !== "workflow" || path === undefined) {
    const problem = type === "workflow" ? "It has no file." : `It is a ${type}, not a workflow.`;
    throw new WorkflowModuleError("not-a-workflow", { problem, at: path ?? name });
  }
  if (disabledBecause === undefined) return path;
  throw new WorkflowModuleError("workflow-disabled", {
    problem: `This workflow is disabled: ${inSentence(disabledBecause)}`,
    at: path,
  });
}

function inSentence(text: string): string {
  return text.replace(/^(?:The|Its|It|A)\b/, (word) => word.toLowerCase());
}

const howTo = 'Write `export default defineGraph({ name: "…" }, (graph) => graph.start(…))`.';

function graphOf(module: Readonly<Record<string, unknown>>, path: string): Graph {
  const exported = module.default;
  if (isGraph(exported)) return exported;
  if (isBuilder(exported)) return builtBy(exported, path);
  const problem = Object.hasOwn(module, "default")
    ? `Its default export is ${named(exported)}, and not a graph.`
    : `It has no default export${alsoNamed(module)}.`;
  throw new WorkflowModuleError("no-graph", { problem, at: path, hint: howTo });
}

interface Builder {
  toGraph(): unknown;
}

/** Of any copy of this package. */
function isBuilder(value: unknown): value is Builder {
  return typeof value === "object" && value !== null && "toGraph" in value && typeof value.toGraph === "function";
}

function builtBy(builder: Builder, path: string): Graph {
  const graph = withFile(path, () => builder.toGraph());
  if (isGraph(graph)) return graph;
  throw new WorkflowModuleError("no-graph", { problem: "Its builder builds no graph.", at: path, hint: howTo });
}

function alsoNamed(module: Readonly<Record<string, unknown>>): string {
  const [graph] = Object.keys(module).filter((key) => isGraph(module[key]) || isBuilder(module[key]));
  return graph === undefined ? "" : `, but a graph is exported as "${graph}"`;
}

function named(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** It is run by the name of its file, so a graph that calls itself something else would go by two names. */
function checkName({ name }: Graph, entity: Entity, path: string): void {
  if (lookupKey(name) === lookupKey(entity.name)) return;
  throw new WorkflowModuleError("other-name", {
    problem: `The graph is called "${name}", and the file "${entity.displayName}".`,
    at: path,
    hint: `Call the graph "${entity.displayName}", or rename the file.`,
  });
}

/** Which entities it names is checked when it is compiled. */
function checkShape(graph: Graph, path: string): void {
  withFile(path, () => {
    const { json, problems } = graph.assemble();
    const all = [...problems, ...shapeProblems(json, { hasHoles: true })];
    if (all.length > 0) throw new GraphError(json.name, all);
  });
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
