import { ExplainedError } from "@atomic/durable-files/explained-error";
import { escapeForTerminal } from "@atomic/terminal/hidden-characters";

/** One problem with a graph. */
export interface GraphProblem {
  /** Stable, kebab-case. */
  readonly code: GraphProblemCode;
  readonly message: string;
  /** The node, by its id, or the place in the data, as `nodes[2].routes[0]`. */
  readonly at?: string;
  readonly hint?: string;
}

export type GraphProblemCode =
  | "unknown-name" // no such agent, skill, command, workflow, tool or state key
  | "entity-disabled" // the entity exists, but must not run
  | "duplicate-id"
  | "bad-id"
  | "bad-shape" // the data is not a graph
  | "other-version"
  | "not-closed" // an .if() without its .endif()
  | "misplaced" // .else() without .if(), .start() in the middle, …
  | "empty"
  | "unbounded" // a loop that may never end
  | "shared-session" // one conversation, two speakers at a time
  | "write-conflict" // two branches write one key that has no reducer
  | "recursion" // a workflow that contains itself
  | "missing-function"; // the data names a function that the module does not have, or no longer has

/** All problems with a graph at once. */
export class GraphError extends ExplainedError {
  override readonly name = "GraphError";
  declare readonly code: "graph-invalid";
  readonly problems: readonly GraphProblem[];

  /** @param graph Its name; undefined for a node that is not yet in one. */
  constructor(graph: string | undefined, problems: readonly GraphProblem[]) {
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    const lines = problems.map(({ message, at, hint }) => {
      return `  ${at === undefined ? "" : `${at}: `}${message}${hint === undefined ? "" : ` ${hint}`}`;
    });
    const message = [`${graph === undefined ? "A graph" : `The graph "${graph}"`} has ${count}:`, ...lines]
      .map((line) => escapeForTerminal(line, { singleLine: true }))
      .join("\n");
    super("graph-invalid", { message });
    this.problems = problems;
  }

  override get exitCode(): number {
    return 3;
  }
}
