import type {
  DecisionJson,
  GraphJson,
  NodeJson,
  NodesJson,
  ParallelJson,
  RepeatingJson,
  TryJson,
} from "./graph-json.ts";
import { labelOf } from "./node-label.ts";

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
