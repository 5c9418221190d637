// A graph and a registry become something that can run: every name is found, or all that are not are reported at once.

import { formatNotFound } from "@atomic/terminal/suggest";
import type { Entity, EntityType } from "../entities/entity.ts";
import { EntityNotFoundError } from "../entities/entity-not-found.ts";
import { lookupKey } from "../entities/lookup-key.ts";
import type { EntityRegistry } from "../entities/registry.ts";
import { embedWorkflows } from "./embed-workflows.ts";
import { missingFunctions } from "./function-refs.ts";
import type { Graph } from "./graph.ts";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import type { GraphJson, NodeJson } from "./graph-json.ts";
import type { GraphFunctions } from "./node-definition.ts";
import type { ToolFunction } from "./nodes/tool.ts";
import { readGraph } from "./read-graph.ts";
import { allNodes } from "./walk.ts";

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
