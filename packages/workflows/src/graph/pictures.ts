// What pictures of a graph say about a node.

import { safeLine } from "@atomic/terminal/safe-text";
import { displayWidth, padEnd, truncate } from "@atomic/terminal/width";
import type {
  DecisionJson,
  FunctionRef,
  GraphJson,
  NodeJson,
  NodesJson,
  ParallelJson,
  RepeatingJson,
  TryJson,
} from "./graph-json.ts";

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
      return textOf("wait", node.prompt);
    case "ask-user":
      return textOf("ask", node.question);
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

function textOf(kind: string, given: { readonly value: string } | { readonly fn: string }): string {
  return "value" in given ? `${kind}: ${truncate(given.value.trim().replace(/\s+/g, " "), longestText)}` : kind;
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

/** An arrow that waits for what it leads to. */
interface Loose {
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
    this.#line(`${id}${open}"${escaped(label)}"${close}`);
    return id;
  }

  arrows(loose: readonly Loose[], to: string): void {
    for (const { from, label, isDotted } of loose) {
      const line = isDotted ? "-.->" : "-->";
      this.links.push(label === undefined ? `${from} ${line} ${to}` : `${from} ${line}|"${escaped(label)}"| ${to}`);
    }
  }

  /** Draws nodes after what is loose, and gives what is loose after them. */
  sequence(nodes: NodesJson, before: readonly Loose[]): readonly Loose[] {
    return nodes.reduce((loose, node) => this.#any(node, loose), before);
  }

  #any(node: NodeJson, before: readonly Loose[]): readonly Loose[] {
    switch (node.kind) {
      case "decision":
        return this.#decision(node, before);
      case "parallel":
        return this.#parallel(node, before);
      case "loop":
      case "task-loop":
      case "criteria-loop":
        return this.#loop(node, labelOf(node), before);
      case "try":
        return this.#try(node, before);
      case "subgraph": {
        const { id, ends } = this.#subgraph(`${node.id}\n${labelOf(node)}`, node.graph?.nodes ?? [], before);
        return this.#handled(node, id, ends);
      }
      default: {
        const id = this.#box(node);
        this.arrows(before, id);
        return this.#handled(node, id, [{ from: id }]);
      }
    }
  }

  #box(node: NodeJson): string {
    const label = `${node.id}\n${labelOf(node)}`;
    return node.kind === "wait" || node.kind === "ask-user" ? this.node("[/", label, "/]") : this.node("[", label, "]");
  }

  #decision({ id, routes, otherwise }: DecisionJson, before: readonly Loose[]): readonly Loose[] {
    const from = this.node("{", id, "}");
    this.arrows(before, from);
    const ways = routes.map(({ label, nodes }) => this.sequence(nodes, [{ from, label }]));
    return [...ways.flat(), ...this.sequence(otherwise, [{ from, label: "otherwise" }])];
  }

  #parallel(node: ParallelJson, before: readonly Loose[]): readonly Loose[] {
    const from = this.node("[[", `${node.id}\n${labelOf(node)}`, "]]");
    this.arrows(before, from);
    const ends = node.branches.flatMap(({ label, nodes }) => this.sequence(nodes, [{ from, label }]));
    const join = this.node("((", "join", "))");
    this.arrows(ends, join);
    return [{ from: join }];
  }

  #loop({ id, nodes }: RepeatingJson, label: string, before: readonly Loose[]): readonly Loose[] {
    const from = this.node("{{", `${id}\n${label}`, "}}");
    this.arrows(before, from);
    this.arrows(this.sequence(nodes, [{ from, label: "next" }]), from);
    return [{ from, label: "done" }];
  }

  #try(node: TryJson, before: readonly Loose[]): readonly Loose[] {
    const { id, ends } = this.#subgraph(node.id, node.nodes, before);
    return [...ends, ...this.sequence(node.handler, [{ from: id, label: "fails", isDotted: true }])];
  }

  #handled(node: NodeJson, from: string, ends: readonly Loose[]): readonly Loose[] {
    if (!("onError" in node) || node.onError === undefined || node.onError === "continue") return ends;
    return [...ends, ...this.sequence(node.onError, [{ from, label: "fails", isDotted: true }])];
  }

  #subgraph(label: string, nodes: NodesJson, before: readonly Loose[]): { id: string; ends: readonly Loose[] } {
    // Not the node's own id, which may be a word of Mermaid's language, or stand in two graphs.
    const id = `g${this.#count++}`;
    this.#line(`subgraph ${id}["${escaped(label)}"]`);
    this.#indent += "  ";
    const entry = this.node("((", " ", "))");
    this.arrows(before, entry);
    const ends = this.sequence(nodes, [{ from: entry }]);
    this.#indent = this.#indent.slice(2);
    this.#line("end");
    return { id, ends };
  }

  #line(text: string): void {
    this.nodes.push(this.#indent + text);
  }
}

/** Mermaid knows characters by their number, and reads some as its own language even inside quotes. */
function escaped(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/[^\p{L}\p{N} .,:;!?_/@()'+*=-]/gu, (character) => `#${character.codePointAt(0)};`))
    .join("<br/>");
}
