import { checkGraph } from "./check-graph.ts";
import { GraphError, type GraphProblem } from "./graph-error.ts";
import { type GraphJson, graphVersion } from "./graph-json.ts";
import { graphShape } from "./read/graph-shape.ts";
import { isObject } from "./read/shape.ts";

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
