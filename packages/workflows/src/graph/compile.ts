// A graph and a registry become something that can run: every name is found, or all that are not are reported at once.
import { formatNotFound } from "@atomic/terminal/suggest";
import type { Entity, EntityType } from "../entities/entity.ts";
import { EntityNotFoundError } from "../entities/entity-not-found.ts";
import { lookupKey } from "../entities/qualified-name.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import type { ToolFunction } from "./action-nodes.ts";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import { allNodes, type GraphJson, isFunctionRef, mapNodes, type NodeJson, type SubgraphJson } from "./graph-json.ts";
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
  /** What is stored with the run. */
  readonly json: GraphJson;
  readonly functions: GraphFunctions;
  /** By `<type>:<name>`, the name as nodes write it. */
  readonly entities: ReadonlyMap<string, Entity>;
  readonly tools: ReadonlyMap<string, ToolFunction>;
}

export function compileGraph(graph: Graph, registry: EntityRegistry, options: CompileOptions = {}): CompiledGraph {
  const names = registry.all("workflow").map(({ name }) => name);
  const assembled = embedWorkflows(graph.assemble(), options.workflows ?? {}, names);
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
 * The graph that a run was started with, and what today's module and registry have for it. A function that is gone is a
 * problem, and so is an entity: a namesake from elsewhere is not what the run was started with.
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
 * Shapes are typed, but not everybody has a type checker. A duplicate id is reported where it was given. With holes,
 * workflows that nodes name are not in their places, which is no problem of the shape.
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

interface Resolved {
  readonly entities: Map<string, Entity>;
  readonly tools: Map<string, ToolFunction>;
  readonly problems: GraphProblem[];
}

function resolveNames(json: GraphJson, registry: EntityRegistry, { tools = {} }: CompileOptions): Resolved {
  const found: Resolved = { entities: new Map(), tools: new Map(), problems: [] };
  const resolveNode = (node: NodeJson, at: string): void => {
    const reference = referenceOf(node);
    if (reference !== undefined) resolveEntity(...reference, at);
    if (node.kind === "tool" && "tool" in node) resolveTool(node.tool, at);
    if (node.kind === "subgraph") resolveAll(node.graph, `${at}/`);
  };
  const resolveEntity = (type: EntityType, name: string, at: string): void => {
    const key = `${type}:${name}`;
    const result = findEntity(registry, type, json.entities?.[key] ?? name);
    if ("problem" in result) found.problems.push({ ...result.problem, at });
    else found.entities.set(key, result.entity);
  };
  const resolveTool = (name: string, at: string): void => {
    const known = Object.keys(tools);
    const key = known.find((each) => each === name) ?? known.find((each) => lookupKey(each) === lookupKey(name));
    const tool = key === undefined ? undefined : tools[key];
    if (tool !== undefined) found.tools.set(name, tool);
    else found.problems.push({ code: "unknown-name", at, message: `${formatNotFound("Tool", name, known)}.` });
  };
  const resolveAll = (graph: GraphJson | undefined, prefix: string): void => {
    for (const node of allNodes(graph?.nodes ?? [])) resolveNode(node, prefix + node.id);
  };
  resolveAll(json, "");
  return found;
}

function referenceOf(node: NodeJson): readonly [EntityType, string] | undefined {
  if (node.kind === "skill") return ["skill", node.skill];
  if (node.kind === "command") return ["command", node.command];
  return node.kind === "agent" && node.agent !== undefined ? ["agent", node.agent] : undefined;
}

function findEntity(
  registry: EntityRegistry,
  type: EntityType,
  name: string,
): { readonly entity: Entity } | { readonly problem: GraphProblem } {
  try {
    const entity = registry.require(type, name);
    if (entity.disabledBecause === undefined) return { entity };
    const message = `The ${type} "${name}" must not run: ${entity.disabledBecause}`;
    return { problem: { code: "entity-disabled", message } };
  } catch (error) {
    if (!(error instanceof EntityNotFoundError)) throw error;
    return { problem: { code: "unknown-name", message: `${error.message}.` } };
  }
}

// Workflows that a graph runs by name become a part of it, so that a run carries all that it is made of.
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

const roles = "output system prompt args run auto question input until select tasksPath maxIterations merge".split(" ");

/** The roles that functions play for a node. */
function rolesOf(node: NodeJson): string[] {
  const fields = node as { readonly [key: string]: unknown };
  const refs = roles.map((role) => fields[role]);
  if ("retry" in node) refs.push(node.retry?.retryOn);
  if (node.kind === "decision") refs.push(...node.routes.map(({ when }) => when));
  return refs.filter(isFunctionRef).map(({ fn }) => fn);
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
