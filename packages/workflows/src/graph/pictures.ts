// Pictures of a graph: a tree for the terminal, and a Mermaid flowchart.
import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import type { FunctionRef, GraphJson, NodeJson, NodesJson, ValueOrFunctionRef } from "./graph-json.ts";

/** What kind of node it is, and what it is about: `skill commit`. */
function labelOf(node: NodeJson): string {
  return joined(aboutOf(node), "onError" in node && node.onError === "continue" && "may fail");
}

function aboutOf(node: NodeJson): string {
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
    case "loop":
      return joined("loop", ...limits(node.maxIterations, node.maxDurationMs));
    case "task-loop":
      return joined("task loop", ...limits(node.maxIterations), node.limit > 1 && `${node.limit} at a time`);
    case "criteria-loop":
      return joined(`loop until ${node.signal}`, ...limits(node.maxIterations, node.maxDurationMs));
    case "try":
      return "what fails is handled below";
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

/** A node, or a labelled way that is not a node itself, with what hangs below it. */
interface TreeItem {
  readonly name: string;
  readonly label: string;
  readonly items: readonly TreeItem[];
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
  const lines = linesOf(treeOf(graph.nodes), "");
  const widest = Math.max(0, ...lines.map(({ rails, name }) => displayWidth(rails + name)));
  const nameColumn = Math.min(widest, Math.floor(columns * 0.6));
  const head = graph.description === undefined ? graph.name : `${graph.name}: ${graph.description}`;
  const body = lines.map(({ rails, name, label }) => {
    const left = truncate(rails + name, nameColumn);
    return truncate(label === "" ? left : `${padEnd(left, nameColumn)}  ${label}`, columns);
  });
  return `${[truncate(safeLine(head), columns), ...body].join("\n")}\n`;
}

/** `rails` are the lines of the tree up to the name. */
function linesOf(items: readonly TreeItem[], before: string): { rails: string; name: string; label: string }[] {
  return items.flatMap(({ name, label, items: inner }, at) => {
    const isLast = at === items.length - 1;
    const further = before.length < widestRails ? `${before}${isLast ? "  " : "│ "} ` : before;
    return [{ rails: `${before}${isLast ? "└─" : "├─"} `, name, label }, ...linesOf(inner, further)];
  });
}

function treeOf(nodes: NodesJson): readonly TreeItem[] {
  const way = (label: string, inner: NodesJson): TreeItem => {
    return { name: `${safeLine(label)}:`, label: "", items: treeOf(inner) };
  };
  return nodes.map((node) => {
    const items: TreeItem[] = [];
    if (node.kind === "decision") {
      items.push(...node.routes.map((route) => way(route.label, route.nodes)));
      if (node.otherwise.length > 0) items.push(way("otherwise", node.otherwise));
    } else if (node.kind === "parallel") items.push(...node.branches.map((branch) => way(branch.label, branch.nodes)));
    else if (node.kind === "subgraph") items.push(...treeOf(node.graph?.nodes ?? []));
    else if ("nodes" in node) items.push(...treeOf(node.nodes));
    const handler = node.kind === "try" ? node.handler : "onError" in node ? node.onError : undefined;
    if (handler !== undefined && handler !== "continue") items.push(way("if that fails", handler));
    return { name: safeLine(node.id), label: safeLine(labelOf(node)), items };
  });
}

/**
 * A graph as a Mermaid flowchart, as GitHub and many editors draw it.
 *
 * @example
 * await writeFile("graph.md", "```mermaid\n" + toMermaid(graph) + "```\n");
 */
export function toMermaid(graph: GraphJson): string {
  const chart = new Chart();
  const start = chart.node("([", "start", "])");
  const ends = chart.sequence(graph.nodes, [{ from: start }]);
  chart.arrows(ends, chart.node("([", "end", "])"));
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
  /** Below all nodes: an arrow inside a frame would draw both of its ends into it. */
  readonly links: string[] = [];
  #count = 0;
  #indent = "";

  node(open: string, label: string, close: string): string {
    const id = `n${this.#count++}`;
    this.nodes.push(`${this.#indent}${id}${open}"${escaped(label)}"${close}`);
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
        const from = this.node("{", node.id, "}");
        this.arrows(before, from);
        const ways = [...node.routes, { label: "otherwise", nodes: node.otherwise }];
        return ways.flatMap((way) => this.sequence(way.nodes, [{ from, label: way.label }]));
      }
      case "parallel": {
        const from = this.node("[[", label, "]]");
        this.arrows(before, from);
        const ends = node.branches.flatMap((branch) => this.sequence(branch.nodes, [{ from, label: branch.label }]));
        const join = this.node("((", "join", "))");
        this.arrows(ends, join);
        return [{ from: join }];
      }
      case "loop":
      case "task-loop":
      case "criteria-loop": {
        const from = this.node("{{", label, "}}");
        this.arrows(before, from);
        this.arrows(this.sequence(node.nodes, [{ from, label: "next" }]), from);
        return [{ from, label: "done" }];
      }
      case "try":
        return this.#handled(node.handler, this.#frame(node.id, node.nodes, before));
      case "subgraph":
        return this.#handled(node.onError, this.#frame(label, node.graph?.nodes ?? [], before));
      default: {
        const [open, close] = node.kind === "wait" || node.kind === "ask-user" ? ["[/", "/]"] : ["[", "]"];
        const id = this.node(open, label, close);
        this.arrows(before, id);
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
    // Not the node's own id, which may be a word of Mermaid's language, or occur in two graphs.
    const id = `g${this.#count++}`;
    this.nodes.push(`${this.#indent}subgraph ${id}["${escaped(label)}"]`);
    this.#indent += "  ";
    const entry = this.node("((", " ", "))");
    this.arrows(before, entry);
    const ends = this.sequence(nodes, [{ from: entry }]);
    this.#indent = this.#indent.slice(2);
    this.nodes.push(`${this.#indent}end`);
    return { id, ends };
  }
}

/** Mermaid knows characters by their number, and reads some as its own language even inside quotes. */
function escaped(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/[^\p{L}\p{N} .,:;!?_/@()'+*=-]/gu, (character) => `#${character.codePointAt(0)};`))
    .join("<br/>");
}
