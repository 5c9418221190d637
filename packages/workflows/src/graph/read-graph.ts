import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { didYouMean } from "@atomic/terminal/suggest";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import { allNodes, type GraphJson, graphVersion, type NodesJson } from "./graph-json.ts";
import { graphShape, isObject } from "./graph-shape.ts";
import { present } from "./json-value.ts";

/** Deeper data is a mistake, or an attempt to overflow the stack. */
const deepest = 400;

/**
 * Reads a graph from outside: a file, or a run's journal. Reports all problems at once, in a `GraphError` that says where
 * they are.
 *
 * @example
 * readGraph(JSON.parse(await readFile("graph.json", "utf8")));
 */
export function readGraph(value: unknown): GraphJson {
  const name = isObject(value) && typeof value.name === "string" ? value.name : "?";
  if (isObject(value) && typeof value.version === "number" && value.version > graphVersion) {
    const message = `The graph has version ${value.version}, but this program only supports version ${graphVersion}.`;
    throw new GraphError(name, [{ code: "other-version", message, hint: "Update Atomic to read this graph." }]);
  }
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) {
      throw new GraphError(name, [
        { code: "bad-shape", message: `The graph is nested more than ${deepest} levels deep.` },
      ]);
    }
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  const problems: GraphProblem[] = [];
  graphShape(value, "", (at, message) =>
    problems.push({ code: "bad-shape", at: at === "" ? "the graph" : at, message }),
  );
  // Only a graph with the right shape can be checked further.
  if (problems.length === 0) problems.push(...checkGraph(value as GraphJson));
  if (problems.length > 0) throw new GraphError(name, problems);
  return value as GraphJson;
}

/** Keys that the interpreter fills in. */
const reserved: ReadonlySet<string> = new Set(["input", "outputs", "error", "iteration", "currentTask"]);

/** Problems with a graph whose data has the right shape. */
function checkGraph(graph: GraphJson, prefix = ""): GraphProblem[] {
  const problems: GraphProblem[] = [];
  const add = (code: GraphProblem["code"], at: string | undefined, message: string, hint?: string): void => {
    problems.push({ code, ...present({ at: at === undefined ? undefined : prefix + at, message, hint }) });
  };

  const { name } = graph;
  const isGoodName =
    name.length <= 200 &&
    name === name.trim() &&
    !name.includes("\\") &&
    escapeForTerminal(name, { singleLine: true }) === name &&
    name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isGoodName) {
    const message =
      "A name cannot contain hidden characters, leading or trailing spaces, backslashes, or a path segment such as `..`.";
    add("bad-id", "name", message, "The name is printed and used in file names.");
  }
  if (graph.nodes.length === 0) add("empty", undefined, "The graph has no nodes.", "Begin with .start(node).");
  for (const key of Object.keys(graph.state)) {
    if (reserved.has(key))
      add("misplaced", undefined, `The name "${key}" is reserved in the state; choose another one.`);
  }

  const declared = Object.entries(graph.arguments ?? {});
  for (const [key] of declared) {
    if (/^[a-z][A-Za-z0-9]*$/.test(key)) continue;
    const hint = "Use a key like `maxIterations`, which is typed as `--max-iterations`.";
    add("bad-id", `arguments.${key}`, "This is not a valid key for an argument.", hint);
  }
  for (const [key] of declared.filter(([, { type }]) => type === "rest").slice(1)) {
    add("misplaced", `arguments.${key}`, "Another argument already takes all remaining values.");
  }

  const ids = new Set<string>();
  for (const node of allNodes(graph.nodes)) {
    const { id } = node;
    if (!/^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(id)) {
      add("bad-id", id, "An id may contain only letters, digits, - and _.", "Ids are used in paths.");
    }
    if (ids.has(id)) add("duplicate-id", id, `The id "${id}" is already taken.`);
    ids.add(id);
    if ("into" in node && node.into !== undefined && !Object.hasOwn(graph.state, node.into)) {
      const [best] = didYouMean(node.into, Object.keys(graph.state));
      const hint = best === undefined ? "Declare it in the graph's state." : `Did you mean "${best}"?`;
      add("unknown-name", id, `The state has no "${node.into}" to hold the output.`, hint);
    }

    const unbounded = "This loop may never end: maxIterations 0 means no limit.";
    const shared = (sessions: Iterable<string>, who: string): void => {
      for (const session of sessions) {
        const message = `Several ${who} would use the session "${session}" at the same time.`;
        add("shared-session", id, message, "Give each one its own session.");
      }
    };
    const labels: string[] = [];
    if (node.kind === "decision") labels.push(...node.routes.map(({ label }) => label), "otherwise");
    if (node.kind === "parallel") labels.push(...node.branches.map(({ label }) => label));
    for (const label of repeated([labels])) add("duplicate-id", id, `Two branches are named "${label}".`);
    switch (node.kind) {
      case "loop":
        if (node.maxIterations === 0 && node.maxDurationMs === undefined) {
          add("unbounded", id, unbounded, "Add maxDurationMs.");
        }
        break;
      case "criteria-loop":
        if (node.maxIterations === 0 && node.maxDurationMs === undefined && node.maxCostUsd === undefined) {
          add("unbounded", id, unbounded, "Add maxDurationMs or maxCostUsd.");
        }
        break;
      case "task-loop":
        if (node.maxIterations === 0 && node.maxAttempts === undefined) {
          const message =
            "maxIterations 0 means no limit, so only maxAttempts can end a loop whose tasks keep failing.";
          add("unbounded", id, message, "Set maxAttempts to limit how many times each task is tried.");
        }
        if (node.limit > 1) shared(sessionsIn(node.nodes), "tasks");
        break;
      case "parallel": {
        // What must not happen at the same time. Functions may still do it, which is found when it happens.
        const { branches, strategy, limit, merge } = node;
        if (limit !== 1) shared(repeated(branches.map(({ nodes }) => sessionsIn(nodes))), "branches");
        if (strategy !== "all" || merge !== undefined) break;
        const written = branches.map(
          ({ nodes }) => new Set([...allNodes(nodes)].flatMap((each) => ("into" in each ? (each.into ?? []) : []))),
        );
        for (const key of repeated(written)) {
          if (graph.state[key]?.reducer !== "last") continue;
          const hint = `Give "${key}" a reducer in the state, such as append().`;
          add("write-conflict", id, `Several branches write "${key}", so all but one value would be lost.`, hint);
        }
        break;
      }
      case "map": {
        const { as, nodes, into, merge } = node;
        if (!/^[A-Za-z_$][\w$]*$/.test(as)) {
          add("bad-id", id, `"as" must be a name such as "file", not "${as}".`);
        } else if (reserved.has(as) || Object.hasOwn(graph.state, as)) {
          add(
            "misplaced",
            id,
            `The state already has "${as}", so an item cannot be called that.`,
            "Choose another `as`.",
          );
        }
        const inside = [...allNodes(nodes)];
        for (const each of inside) {
          if (each.kind !== "map" || each.as !== as) continue;
          add("misplaced", each.id, `The items of the map around it are called "${as}", too.`, "Choose another `as`.");
        }
        if (merge !== undefined) {
          if (into !== undefined) add("misplaced", id, "A map with a merge function cannot have `into`, too.");
          break;
        }
        for (const key of new Set(inside.flatMap((each) => ("into" in each ? (each.into ?? []) : [])))) {
          if (graph.state[key]?.reducer !== "last") continue;
          const hint = `Give "${key}" a reducer in the state, such as append(), or give "into" to the map itself.`;
          add("write-conflict", id, `Every item writes "${key}", so all but one value would be lost.`, hint);
        }
        break;
      }
      case "subgraph":
        if (node.graph) problems.push(...checkGraph(node.graph, `${prefix}${id}/`));
        break;
    }
  }
  return problems;
}

function sessionsIn(nodes: NodesJson): Set<string> {
  return new Set(
    [...allNodes(nodes)].flatMap((node) =>
      "session" in node && node.kind !== "clear-context" ? [node.session ?? ""] : [],
    ),
  );
}

function repeated(lists: readonly Iterable<string>[]): Set<string> {
  const all = lists.flatMap((list) => [...list]);
  return new Set(all.filter((each, at) => all.indexOf(each) < at));
}
