import type { Entity } from "../entities/entity.ts";
import { lookupKey } from "../entities/qualified-name.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import { importWorkflowModule } from "../modules/workflow-module.ts";
import { WorkflowModuleError } from "../modules/workflow-module-error.ts";
import { shapeProblems } from "./compile.ts";
import { GraphError } from "./graph-error.ts";
import { nodesWithPaths } from "./graph-json.ts";
import { type Graph, isGraph } from "./node-definition.ts";

const howTo = 'Write `export default defineGraph({ name: "…" }, (graph) => graph.start(…))`.';

/** The graph of a workflow that the registry found. This runs the workflow's module, which is its author's code. */
export async function loadWorkflow({ type, name, displayName, source, disabledBecause }: Entity): Promise<Graph> {
  const { path } = source;
  if (type !== "workflow" || path === undefined) {
    const problem =
      type === "workflow" ? "This workflow has no file." : `This is not a workflow; its type is "${type}".`;
    throw new WorkflowModuleError("not-a-workflow", { problem, at: path ?? name });
  }
  if (disabledBecause !== undefined) {
    const reason = disabledBecause.replace(/^(?:The|Its|It|A)\b/, (word) => word.toLowerCase());
    throw new WorkflowModuleError("workflow-disabled", { problem: `This workflow is disabled: ${reason}`, at: path });
  }

  const module = await importWorkflowModule(path);
  const exported = module.default;
  const graph = !isGraph(exported) && isBuilder(exported) ? withFile(path, () => exported.toGraph()) : exported;
  if (!isGraph(graph)) {
    let what = typeof exported === "object" ? "an object" : `a ${typeof exported}`;
    if (exported === null || exported === undefined) what = String(exported);
    if (exported instanceof Promise) what = "a promise";
    let problem = `Its default export is ${what}, not a graph.`;
    if (isBuilder(exported)) problem = "The builder it exports does not return a graph.";
    if (!Object.hasOwn(module, "default")) {
      const other = Object.keys(module).find((key) => isGraph(module[key]) || isBuilder(module[key]));
      problem = `The module has no default export${other === undefined ? "" : `, but it exports a graph as "${other}"`}.`;
    }
    throw new WorkflowModuleError("no-graph", { problem, at: path, hint: howTo });
  }
  // It runs under its file's name, so a graph with another name would have two names.
  if (lookupKey(graph.name) !== lookupKey(name)) {
    throw new WorkflowModuleError("other-name", {
      problem: `The graph is named "${graph.name}", but the file is named "${displayName}".`,
      at: path,
      hint: `Rename the graph to "${displayName}", or rename the file.`,
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

/** A builder from any copy of this package. */
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
  /** The workflows it runs by name, for `CompileOptions`. */
  readonly workflows: Readonly<Record<string, Graph>>;
  /** The modules of all of them, its own first. */
  readonly modules: readonly string[];
}

/**
 * Loads a workflow by name, and the workflows that its graph runs by name. Unknown names in a graph are reported when it is
 * compiled, all at once.
 *
 * @example
 * const { graph, workflows } = await loadWorkflowWithParts(registry, "ralph");
 * const compiled = compileGraph(graph, registry, { workflows });
 */
export async function loadWorkflowWithParts(registry: EntityRegistry, name: string): Promise<LoadedWorkflow> {
  const entity = registry.require("workflow", name);
  const graph = await loadWorkflow(entity);
  const workflows: Record<string, Graph> = {};
  const modules = [entity.source.path ?? ""];
  const seen = new Set<string>();
  const open = [graph];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { node } of nodesWithPaths(next.assemble().json)) {
      const named = node.kind === "subgraph" && node.graph === undefined ? node.workflow : undefined;
      const part = named === undefined ? undefined : registry.getWorkflow(named);
      if (named === undefined || part === undefined || seen.has(lookupKey(named))) continue;
      seen.add(lookupKey(named));
      const inner = part === entity ? graph : await loadWorkflow(part);
      workflows[named] = inner;
      if (part.source.path !== undefined) modules.push(part.source.path);
      open.push(inner);
    }
  }
  return { entity, graph, workflows, modules };
}
