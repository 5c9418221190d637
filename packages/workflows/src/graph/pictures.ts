// Pictures of a graph: a tree for the terminal, and a Mermaid flowchart.
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import type { FunctionRef, GraphJson, NodeJson, NodesJson, ValueOrFunctionRef } from "./graph-json.ts";

/** A node's kind, and what it works with: `skill commit`. */
function labelOf(node: NodeJson, mayFail = "onError" in node && node.onError === "continue"): string {
  if (mayFail) return `${labelOf(node, false)}, may fail`;
  switch (node.kind) {
    case "agent":
      return node.agent === undefined ? "agent" : `agent ${node.agent}`;
    case "skill":
      return `skill ${node.skill}`;
    case "command":
      return `command ${node.command}`;
    case "tool":
      return "tool" in node ? `tool ${node.tool}` : "tool";
    case "wait":
      return quote("wait", node.prompt);
    case "ask-user":
      return quote("ask", node.question);
    case "clear-context":
      return node.session === undefined ? "forget all sessions" : `forget session ${node.session}`;
    case "subgraph":
      return `graph ${node.graph?.name ?? node.workflow}`;
    case "decision":
      return "if";
    case "parallel":
      return joined("parallel", node.strategy, node.limit !== undefined && `${node.limit} at a time`);
    case "map":
      return joined(`for each ${node.as}`, node.limit !== undefined && `${node.limit} at a time`);
    case "loop":
      return joined("loop", ...limits(node.maxIterations, node.maxDurationMs));
    case "task-loop":
      return joined("task loop", ...limits(node.maxIterations), node.limit > 1 && `${node.limit} at a time`);
    case "criteria-loop":
      return joined(`loop until ${node.signal}`, ...limits(node.maxIterations, node.maxDurationMs));
    case "try":
      return "failures are handled below";
  }
}

/** In columns. */
const longestText = 60;

function quote(kind: string, text: ValueOrFunctionRef<string>): string {
  return "value" in text ? `${kind}: ${truncate(text.value.trim().replace(/\s+/g, " "), longestText)}` : kind;
}

function limits(maxIterations: number | FunctionRef, maxDurationMs?: number): (string | false)[] {
  return [
    typeof maxIterations === "number" && maxIterations > 0 && `at most ${maxIterations} times`,
    maxDurationMs !== undefined && `at most ${Math.ceil(maxDurationMs / 60_000)} min`,
  ];
}

function joined(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false).join(", ");
}

/** A labelled path below a node, such as a branch. */
interface LabelledNodes {
  readonly label: string;
  readonly nodes: NodesJson;
}

/** Deeper nodes are shown at this depth. */
const widestRails = 30;

/**
 * A graph as a tree for the terminal: nodes from top to bottom, with what they contain indented below.
 *
 * @example
 * console.log(drawGraph(graph, { columns: process.stdout.columns }));
 */
export function drawGraph(graph: GraphJson, { columns = 80 }: { readonly columns?: number } = {}): string {
  const lines = linesOf(graph.nodes, "");
  const widest = Math.max(0, ...lines.map(({ rails, name }) => displayWidth(rails + name)));
  const nameColumn = Math.min(widest, Math.floor(columns * 0.6));
  const head = graph.description === undefined ? graph.name : `${graph.name}: ${graph.description}`;
  const body = lines.map(({ rails, name, label }) => {
    const left = truncate(rails + name, nameColumn);
    return truncate(label === "" ? left : `${padEnd(left, nameColumn)}  ${label}`, columns);
  });
  return `${[truncate(safeLine(head), columns), ...body].join("\n")}\n`;
}

/** `rails` are the tree's lines up to the name. */
function linesOf(
  items: readonly (NodeJson | LabelledNodes)[],
  before: string,
): { rails: string; name: string; label: string }[] {
  return items.flatMap((item, at) => {
    const isLast = at === items.length - 1;
    const rails = `${before}${isLast ? "└─" : "├─"} `;
    const further = before.length < widestRails ? `${before}${isLast ? "  " : "│ "} ` : before;
    if (!("kind" in item)) {
      return [{ rails, name: `${safeLine(item.label)}:`, label: "" }, ...linesOf(item.nodes, further)];
    }
    const inner: (NodeJson | LabelledNodes)[] = [];
    if (item.kind === "decision") {
      inner.push(...item.routes);
      if (item.otherwise.length > 0) inner.push({ label: "otherwise", nodes: item.otherwise });
    } else if (item.kind === "parallel") inner.push(...item.branches);
    else if (item.kind === "subgraph") inner.push(...(item.graph?.nodes ?? []));
    else if ("nodes" in item) inner.push(...item.nodes);
    const handler = item.kind === "try" ? item.handler : "onError" in item ? item.onError : undefined;
    if (handler !== undefined && handler !== "continue") inner.push({ label: "if that fails", nodes: handler });
    return [{ rails, name: safeLine(item.id), label: safeLine(labelOf(item)) }, ...linesOf(inner, further)];
  });
}

/**
 * A graph as a Mermaid flowchart, which GitHub and many editors can draw.
 *
 * @example
 * await writeFile("graph.md", "```mermaid\n" + toMermaid(graph) + "```\n");
 */
export function toMermaid(graph: GraphJson): string {
  const chart = new Chart();
  const start = chart.node("([", "start", "])", []);
  chart.node("([", "end", "])", chart.sequence(graph.nodes, [{ from: start }]));
  return `flowchart TD\n${[...chart.nodes, ...chart.links].map((line) => `  ${line}\n`).join("")}`;
}

/** An arrow that still lacks its target. */
interface LooseArrow {
  readonly from: string;
  readonly label?: string;
  readonly isDotted?: true;
}

class Chart {
  readonly nodes: string[] = [];
  /** Printed below all nodes: an arrow inside a frame would draw both of its ends into the frame. */
  readonly links: string[] = [];
  #count = 0;
  #indent = "";

  /** Draws a node at the end of the loose arrows, and returns its id. */
  node(open: string, label: string, close: string, before: readonly LooseArrow[]): string {
    const id = `n${this.#count++}`;
    this.nodes.push(`${this.#indent}${id}${open}"${escaped(label)}"${close}`);
    this.arrows(before, id);
    return id;
  }

  arrows(loose: readonly LooseArrow[], to: string): void {
    for (const { from, label, isDotted } of loose) {
      const line = isDotted ? "-.->" : "-->";
      this.links.push(label === undefined ? `${from} ${line} ${to}` : `${from} ${line}|"${escaped(label)}"| ${to}`);
    }
  }

  /** Draws nodes after the loose arrows, and returns those that are loose after them. */
  sequence(nodes: NodesJson, before: readonly LooseArrow[]): readonly LooseArrow[] {
    return nodes.reduce((loose, node) => this.#draw(node, loose), before);
  }

  #draw(node: NodeJson, before: readonly LooseArrow[]): readonly LooseArrow[] {
    const label = `${node.id}\n${labelOf(node)}`;
    switch (node.kind) {
      case "decision": {
        const from = this.node("{", node.id, "}", before);
        const ways = [...node.routes, { label: "otherwise", nodes: node.otherwise }];
        return ways.flatMap((way) => this.sequence(way.nodes, [{ from, label: way.label }]));
      }
      case "parallel": {
        const from = this.node("[[", label, "]]", before);
        const ends = node.branches.flatMap((branch) => this.sequence(branch.nodes, [{ from, label: branch.label }]));
        return [{ from: this.node("((", "join", "))", ends) }];
      }
      case "map": {
        const from = this.node("[[", label, "]]", before);
        return [{ from: this.node("((", "join", "))", this.sequence(node.nodes, [{ from, label: "each" }])) }];
      }
      case "loop":
      case "task-loop":
      case "criteria-loop": {
        const from = this.node("{{", label, "}}", before);
        this.arrows(this.sequence(node.nodes, [{ from, label: "next" }]), from);
        return [{ from, label: "done" }];
      }
      case "try":
        return this.#handled(node.handler, this.#frame(node.id, node.nodes, before));
      case "subgraph":
        return this.#handled(node.onError, this.#frame(label, node.graph?.nodes ?? [], before));
      default: {
        const [open, close] = node.kind === "wait" || node.kind === "ask-user" ? ["[/", "/]"] : ["[", "]"];
        const id = this.node(open, label, close, before);
        return this.#handled("onError" in node ? node.onError : undefined, { id, ends: [{ from: id }] });
      }
    }
  }

  #handled(
    handler: NodesJson | "continue" | undefined,
    { id, ends }: { readonly id: string; readonly ends: readonly LooseArrow[] },
  ): readonly LooseArrow[] {
    if (handler === undefined || handler === "continue") return ends;
    return [...ends, ...this.sequence(handler, [{ from: id, label: "fails", isDotted: true }])];
  }

  #frame(label: string, nodes: NodesJson, before: readonly LooseArrow[]): { id: string; ends: readonly LooseArrow[] } {
    // Not the node's own id, which may be a Mermaid keyword, or occur in two graphs.
    const id = `g${this.#count++}`;
    this.nodes.push(`${this.#indent}subgraph ${id}["${escaped(label)}"]`);
    this.#indent += "  ";
    const entry = this.node("((", " ", "))", before);
    const ends = this.sequence(nodes, [{ from: entry }]);
    this.#indent = this.#indent.slice(2);
    this.nodes.push(`${this.#indent}end`);
    return { id, ends };
  }
}

/** Writes characters by their number where Mermaid would read them as syntax, even inside quotes. */
function escaped(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/[^\p{L}\p{N} .,:;!?_/@()'+*=-]/gu, (character) => `#${character.codePointAt(0)};`))
    .join("<br/>");
}
