import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { didYouMean } from "@atomic/terminal/suggest";
import type { ArgumentsJson } from "./graph-arguments.ts";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import {
  allNodes,
  type GraphJson,
  graphVersion,
  type NodeJson,
  type NodesJson,
  type ParallelJson,
  type TaskLoopJson,
} from "./graph-json.ts";
import { graphShape, isObject } from "./graph-shape.ts";

/**
 * A graph from outside: a file, or the journal of a run. Everything that is wrong with it comes at once, in a
 * `GraphError` that names the places.
 *
 * @example
 * readGraph(JSON.parse(await readFile("graph.json", "utf8")));
 */
export function readGraph(value: unknown): GraphJson {
  const problems = problemsOf(value);
  if (problems.length > 0) throw new GraphError(nameOf(value), problems);
  return value as GraphJson;
}

function problemsOf(value: unknown): readonly GraphProblem[] {
  if (isObject(value) && typeof value.version === "number" && value.version > graphVersion) {
    const message = `It is of version ${value.version}, and this program knows ${graphVersion}.`;
    return [{ code: "other-version", message, hint: "Update Atomic to read it." }];
  }
  if (isDeeper(value)) return [{ code: "bad-shape", message: `It has more than ${deepest} levels.` }];
  const problems: GraphProblem[] = [];
  graphShape(value, "", (at, message) =>
    problems.push({ code: "bad-shape", at: at === "" ? "the graph" : at, message }),
  );
  // Only a graph of the right shape can be looked at any closer.
  return problems.length > 0 ? problems : checkGraph(value as GraphJson);
}

/** Deeper data is a mistake, or meant to overflow somebody's stack. */
const deepest = 400;

function isDeeper(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

function nameOf(value: unknown): string {
  return isObject(value) && typeof value.name === "string" ? value.name : "?";
}

// What can be wrong with a graph whose data has the right shape.
/** Keys that the interpreter itself fills in. */
const reserved: ReadonlySet<string> = new Set(["input", "outputs", "error", "iteration", "currentTask"]);
const goodId = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;

function checkGraph(graph: GraphJson, prefix = ""): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const add = (problem: GraphProblem): unknown =>
    problems.push({ ...problem, ...(problem.at !== undefined && { at: prefix + problem.at }) });
  if (!isGoodName(graph.name)) {
    const message = "A name has no hidden characters, spaces around it, backslashes, or parts like .. between slashes.";
    add({ code: "bad-id", at: "name", message, hint: "It is printed, and files are named by it." });
  }
  if (graph.nodes.length === 0)
    add({ code: "empty", message: "There are no nodes.", hint: "Begin with .start(node)." });
  for (const key of Object.keys(graph.state)) {
    if (reserved.has(key)) add({ code: "misplaced", message: `The state has "${key}" already; take another name.` });
  }
  for (const problem of checkArguments(graph.arguments ?? {})) add(problem);
  const ids = new Set<string>();
  for (const node of allNodes(graph.nodes)) {
    for (const problem of [...checkId(node, ids), ...checkNode(node, graph)]) add(problem);
    if (node.kind === "subgraph" && node.graph) problems.push(...checkGraph(node.graph, `${prefix}${node.id}/`));
  }
  return problems;
}

const longestName = 200;

function isGoodName(name: string): boolean {
  if (name.length > longestName || name !== name.trim() || name.includes("\\")) return false;
  if (escapeForTerminal(name, { singleLine: true }) !== name) return false;
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function* checkArguments(declared: ArgumentsJson): Iterable<GraphProblem> {
  for (const key of Object.keys(declared)) {
    if (/^[a-z][A-Za-z0-9]*$/.test(key)) continue;
    const hint = "A key like `maxIterations` is typed as `--max-iterations`.";
    yield { code: "bad-id", at: `arguments.${key}`, message: "It is not written as keys of arguments are.", hint };
  }
  const [, ...more] = Object.entries(declared).filter(([, { type }]) => type === "rest");
  for (const [key] of more) {
    yield { code: "misplaced", at: `arguments.${key}`, message: "Another argument takes the rest already." };
  }
}

function* checkId({ id }: NodeJson, ids: Set<string>): Iterable<GraphProblem> {
  if (!goodId.test(id)) {
    yield {
      code: "bad-id",
      at: id,
      message: "An id has letters, digits, - and _ only.",
      hint: "Paths are made of it.",
    };
  }
  if (ids.has(id)) yield { code: "duplicate-id", at: id, message: `The id "${id}" is taken by another.` };
  ids.add(id);
}

function* checkNode(node: NodeJson, graph: GraphJson): Iterable<GraphProblem> {
  if ("into" in node && node.into !== undefined) yield* checkInto(node.id, node.into, graph);
  switch (node.kind) {
    case "loop":
      if (node.maxIterations === 0 && node.maxDurationMs === undefined) yield unbounded(node, "maxDurationMs");
      break;
    case "criteria-loop":
      if (node.maxIterations === 0 && node.maxDurationMs === undefined && node.maxCostUsd === undefined) {
        yield unbounded(node, "maxDurationMs or maxCostUsd");
      }
      break;
    case "decision":
      yield* checkLabels(node.id, [...node.routes.map(({ label }) => label), "otherwise"]);
      break;
    case "parallel":
      yield* checkLabels(
        node.id,
        node.branches.map(({ label }) => label),
      );
      yield* checkBranches(node, graph);
      break;
    case "task-loop":
      yield* checkTasks(node);
      break;
  }
}

function* checkInto(id: string, key: string, { state }: GraphJson): Iterable<GraphProblem> {
  if (Object.hasOwn(state, key)) return;
  const [best] = didYouMean(key, Object.keys(state));
  const hint = best === undefined ? "Declare it where the graph begins." : `Did you mean "${best}"?`;
  yield { code: "unknown-name", at: id, message: `The state has no "${key}" to take the output.`, hint };
}

function unbounded({ id }: NodeJson, other: string): GraphProblem {
  const message = "This loop may never end: maxIterations 0 means no limit.";
  return { code: "unbounded", at: id, message, hint: `Add ${other}.` };
}

function* checkLabels(id: string, labels: readonly string[]): Iterable<GraphProblem> {
  for (const label of new Set(labels.filter((each, at) => labels.indexOf(each) < at))) {
    yield { code: "duplicate-id", at: id, message: `Two ways are called "${label}".` };
  }
}

/** What cannot go well at the same time. Functions may still do it; that is found when it happens. */
function* checkBranches(
  { id, branches, strategy, limit, merge }: ParallelJson,
  graph: GraphJson,
): Iterable<GraphProblem> {
  if (limit !== 1) {
    for (const session of repeated(branches.map(({ nodes }) => sessionsIn(nodes)))) {
      yield shared(id, session, "branches");
    }
  }
  if (strategy !== "all" || merge !== undefined) return;
  for (const key of repeated(branches.map(({ nodes }) => writtenIn(nodes)))) {
    if (graph.state[key]?.reducer !== "last") continue;
    const message = `Several branches write "${key}", and one value would be lost.`;
    yield { code: "write-conflict", at: id, message, hint: `Give the state's "${key}" a reducer, as append().` };
  }
}

function* checkTasks({ id, limit, maxIterations, maxAttempts, nodes }: TaskLoopJson): Iterable<GraphProblem> {
  if (maxIterations === 0 && maxAttempts === undefined) {
    const message = "maxIterations 0 means no limit: then only attempts end a loop whose tasks go on failing.";
    yield { code: "unbounded", at: id, message, hint: "Say how often each task may be tried: add maxAttempts." };
  }
  if (limit > 1) for (const session of sessionsIn(nodes)) yield shared(id, session, "tasks");
}

function shared(id: string, session: string, who: string): GraphProblem {
  const message = `Several ${who} at a time would speak in the session "${session}".`;
  return { code: "shared-session", at: id, message, hint: "Give each its own." };
}

function sessionsIn(nodes: NodesJson): Set<string> {
  return new Set(
    [...allNodes(nodes)].flatMap((node) =>
      "session" in node && node.kind !== "clear-context" ? [node.session ?? ""] : [],
    ),
  );
}

function writtenIn(nodes: NodesJson): Set<string> {
  return new Set(
    [...allNodes(nodes)].flatMap((node) => ("into" in node && node.into !== undefined ? [node.into] : [])),
  );
}

function repeated(sets: readonly ReadonlySet<string>[]): Set<string> {
  const all = sets.flatMap((set) => [...set]);
  return new Set(all.filter((each, at) => all.indexOf(each) < at));
}
