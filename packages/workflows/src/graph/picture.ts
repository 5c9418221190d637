import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import type { GraphJson, NodeJson, NodesJson } from "./graph-json.ts";
import { labelOf } from "./node-label.ts";

/** One line of the tree. */
interface Line {
  /** The way of the tree up to here. */
  readonly rails: string;
  readonly name: string;
  readonly label: string;
}

/** Something that hangs in the tree. */
interface Twig {
  readonly name: string;
  readonly label: string;
  readonly twigs: readonly Twig[];
}

/** What is deeper is shown this deep. */
const widestRails = 30;

/**
 * A graph as a tree for the terminal: nodes from top to bottom, what they contain to the right of them.
 *
 * @example
 * console.log(drawGraph(graph, { columns: process.stdout.columns }));
 */
export function drawGraph(graph: GraphJson, { columns = 80 }: { readonly columns?: number } = {}): string {
  const lines = linesOf(twigsOf(graph.nodes), "");
  const widest = Math.max(0, ...lines.map(({ rails, name }) => displayWidth(rails + name)));
  const nameColumn = Math.min(widest, Math.floor(columns * 0.6));
  const head = graph.description === undefined ? graph.name : `${graph.name}: ${graph.description}`;
  const body = lines.map(({ rails, name, label }) => {
    const left = truncate(rails + name, nameColumn);
    return truncate(label === "" ? left : `${padEnd(left, nameColumn)}  ${label}`, columns);
  });
  return `${[truncate(safeLine(head), columns), ...body].join("\n")}\n`;
}

function linesOf(twigs: readonly Twig[], rails: string): Line[] {
  return twigs.flatMap(({ name, label, twigs: inner }, at) => {
    const isLast = at === twigs.length - 1;
    const own: Line = { rails: `${rails}${isLast ? "└─" : "├─"} `, name, label };
    const further = rails.length < widestRails ? `${rails}${isLast ? "  " : "│ "} ` : rails;
    return [own, ...linesOf(inner, further)];
  });
}

function twigsOf(nodes: NodesJson): readonly Twig[] {
  return nodes.map((node) => ({ name: safeLine(node.id), label: safeLine(labelOf(node)), twigs: insideOf(node) }));
}

function insideOf(node: NodeJson): readonly Twig[] {
  switch (node.kind) {
    case "decision":
      return [
        ...node.routes.map(({ label, nodes }) => twig(label, nodes)),
        ...(node.otherwise.length === 0 ? [] : [twig("otherwise", node.otherwise)]),
      ];
    case "parallel":
      return node.branches.map(({ label, nodes }) => twig(label, nodes));
    case "loop":
    case "task-loop":
    case "criteria-loop":
      return twigsOf(node.nodes);
    case "try":
      return [...twigsOf(node.nodes), twig("if that fails", node.handler)];
    case "clear-context":
      return [];
    default: {
      const inner = node.kind === "subgraph" && node.graph ? twigsOf(node.graph.nodes) : [];
      if (node.onError === undefined || node.onError === "continue") return inner;
      return [...inner, twig("if that fails", node.onError)];
    }
  }
}

/** A way that is not a node itself. */
function twig(label: string, nodes: NodesJson): Twig {
  return { name: `${safeLine(label)}:`, label: "", twigs: twigsOf(nodes) };
}
