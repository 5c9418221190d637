// Turns a graph and a registry into something that can run. Reports all names that cannot be found at once.
import { formatNotFound } from "@atomic/terminal/suggest";
import type { Entity, EntityType } from "../entities/entity.ts";
import { EntityNotFoundError } from "../entities/entity-not-found.ts";
import { lookupKey } from "../entities/qualified-name.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import type { ToolFunction } from "./action-nodes.ts";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import { allNodes, type GraphJson, isFunctionRef, mapNodes, nodesWithPaths } from "./graph-json.ts";
import type { Assembled, Graph, GraphFunction, GraphFunctions } from "./node-definition.ts";
import { readGraph } from "./read-graph.ts";

export interface CompileOptions {
  /** Tools that nodes call by name. */
  readonly tools?: Readonly<Record<string, ToolFunction>>;
  /** Workflows that nodes run by name. */
  readonly workflows?: Readonly<Record<string, Graph>>;
}

/** A graph that can run. */
export interface CompiledGraph {
  /** Stored with the run. */
  readonly json: GraphJson;
  readonly functions: GraphFunctions;
  /** By `<type>:<name>`, with the name as nodes write it. */
  readonly entities: ReadonlyMap<string, Entity>;
  readonly tools: ReadonlyMap<string, ToolFunction>;
}

export function compileGraph(graph: Graph, registry: EntityRegistry, options: CompileOptions = {}): CompiledGraph {
  const assembled = embedWorkflows(graph.assemble(), {
    workflows: options.workflows ?? {},
    others: registry.all("workflow").map(({ name }) => name),
    within: [lookupKey(graph.name)],
    prefix: "",
  });
  const { json, functions } = assembled;
  const resolved = resolveNames(json, registry, options);
  const hasHoles = assembled.problems.some(({ code }) => code === "unknown-name" || code === "recursion");
  const problems = [...assembled.problems, ...shapeProblems(json, { hasHoles }), ...resolved.problems];
  if (problems.length > 0) throw new GraphError(json.name, problems);
  const { entities, tools } = resolved;
  const origins = [...entities].map(([reference, entity]) => [reference, registry.qualifiedName(entity)] as const);
  return { json: { ...json, entities: Object.fromEntries(origins.sort()) }, functions, entities, tools };
}

/**
 * The graph that a run was started with, with the functions and entities of today's module and registry. A missing function
 * or entity is a problem: an entity of the same name from elsewhere is not what the run was started with.
 */
export function bindGraph(
  stored: unknown,
  current: { readonly functions: GraphFunctions },
  registry: EntityRegistry,
  options: CompileOptions = {},
): CompiledGraph {
  const json = readGraph(stored);
  const { entities, tools, problems } = resolveNames(json, registry, options);
  const all = [...problems, ...missingFunctions(json, current.functions)];
  if (all.length > 0) throw new GraphError(json.name, all);
  return { json, functions: current.functions, entities, tools };
}

/**
 * Shapes are typed, but not everyone uses a type checker. With holes, the workflows that nodes name are not yet in place,
 * which is not a problem with the shape.
 */
export function shapeProblems(json: GraphJson, { hasHoles }: { readonly hasHoles: boolean }): readonly GraphProblem[] {
  try {
    readGraph(json);
    return [];
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return hasHoles
      ? error.problems.filter(({ message, at }) => !(message === "is missing." && at?.endsWith("graph")))
      : error.problems;
  }
}

interface ResolvedNames {
  readonly entities: Map<string, Entity>;
  readonly tools: Map<string, ToolFunction>;
  readonly problems: GraphProblem[];
}

function resolveNames(json: GraphJson, registry: EntityRegistry, { tools = {} }: CompileOptions): ResolvedNames {
  const found: ResolvedNames = { entities: new Map(), tools: new Map(), problems: [] };
  const resolveEntity = (type: EntityType, name: string, at: string): void => {
    const key = `${type}:${name}`;
    const wanted = json.entities?.[key] ?? name;
    try {
      const entity = registry.require(type, wanted);
      if (entity.disabledBecause === undefined) found.entities.set(key, entity);
      else {
        const message = `The ${type} "${wanted}" cannot run: ${entity.disabledBecause}`;
        found.problems.push({ code: "entity-disabled", message, at });
      }
    } catch (error) {
      if (!(error instanceof EntityNotFoundError)) throw error;
      found.problems.push({ code: "unknown-name", message: `${error.message}.`, at });
    }
  };
  for (const { node, at } of nodesWithPaths(json)) {
    if (node.kind === "agent" && node.agent !== undefined) resolveEntity("agent", node.agent, at);
    else if (node.kind === "skill") resolveEntity("skill", node.skill, at);
    else if (node.kind === "command") resolveEntity("command", node.command, at);
    else if (node.kind === "tool" && "tool" in node) {
      const name = node.tool;
      const known = Object.keys(tools);
      const key = known.find((each) => each === name) ?? known.find((each) => lookupKey(each) === lookupKey(name));
      const tool = key === undefined ? undefined : tools[key];
      if (tool !== undefined) found.tools.set(name, tool);
      else found.problems.push({ code: "unknown-name", at, message: `${formatNotFound("Tool", name, known)}.` });
    }
  }
  return found;
}

interface EmbedOptions {
  readonly workflows: Readonly<Record<string, Graph>>;
  /** Names to suggest besides those of `workflows`. */
  readonly others: readonly string[];
  /** The enclosing workflows, which must not be repeated. */
  readonly within: readonly string[];
  readonly prefix: string;
}

/** Makes the workflows that a graph runs by name a part of it, so a run carries everything it is made of. */
function embedWorkflows({ json, functions, problems }: Assembled, options: EmbedOptions): Assembled {
  const { workflows, others, within } = options;
  const known = Object.keys(workflows);
  const all = new Map<string, GraphFunction>(functions);
  const found: GraphProblem[] = [...problems];
  const nodes = mapNodes(json.nodes, (node) => {
    if (node.kind !== "subgraph") return node;
    const at = `${options.prefix}${node.id}`;
    const prefix = `${at}/`;
    const name = node.workflow ?? "";
    const key = known.find((each) => lookupKey(each) === lookupKey(name));
    let inner: Assembled;
    // A graph that was given is in place, but may name workflows itself.
    if (node.graph !== undefined) {
      inner = embedWorkflows({ json: node.graph, functions: new Map(), problems: [] }, { ...options, prefix });
    } else if (key === undefined || workflows[key] === undefined) {
      const message = `${formatNotFound("Workflow", name, [...known, ...others])}.`;
      found.push({ code: "unknown-name", at, message });
      return node;
    } else if (within.includes(lookupKey(name))) {
      const message = `The workflow "${name}" would contain itself.`;
      found.push({ code: "recursion", at, message, hint: "Use a loop instead." });
      return node;
    } else {
      inner = embedWorkflows(workflows[key].assemble(), { ...options, within: [...within, lookupKey(name)], prefix });
    }
    for (const [role, fn] of inner.functions) all.set(`${node.id}/${role}`, fn);
    found.push(...inner.problems);
    return { ...node, graph: inner.json };
  });
  return { json: { ...json, nodes }, functions: all, problems: found };
}

const roles = "output system prompt args run auto question input until select tasksPath maxIterations over merge".split(
  " ",
);

/** Functions that a stored graph names but its module no longer has. */
function missingFunctions(graph: GraphJson, functions: GraphFunctions, prefix = ""): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const need = (id: string, role: string): void => {
    if (functions.has(`${prefix}${id}:${role}`)) return;
    const message = `The module no longer has the function "${role}" for this node.`;
    const hint = "Use the version of the workflow that started the run.";
    problems.push({ code: "missing-function", at: prefix + id, message, hint });
  };
  for (const [key, { reducer }] of Object.entries(graph.state))
    if (reducer === "custom") need(`state.${key}`, "reduce");
  for (const node of allNodes(graph.nodes)) {
    const fields = node as { readonly [key: string]: unknown };
    const values = roles.map((role) => fields[role]);
    if ("retry" in node) values.push(node.retry?.retryOn);
    if (node.kind === "decision") values.push(...node.routes.map(({ when }) => when));
    for (const { fn } of values.filter(isFunctionRef)) need(node.id, fn);
    if (node.kind === "subgraph" && node.graph) {
      problems.push(...missingFunctions(node.graph, functions, `${prefix}${node.id}/`));
    }
  }
  return problems;
}
