import { escapeForTerminal } from "@atomic/terminal/hidden-characters";
import { drawGraph, toMermaid } from "@atomic/workflows/internal/graph/pictures";
import { type AtomicCommand, commandOf } from "../command.ts";
import { documentOf } from "../report/path.ts";
import { loadGraph } from "../runtime/load-graph.ts";

export const graph: AtomicCommand = commandOf({
  name: "graph",
  summary: "Draw a workflow's graph",
  arguments: { workflow: { count: "one", summary: "Its name" } },
  options: { mermaid: { kind: "flag", summary: "Print a Mermaid flowchart, for GitHub and editors" } },
  details: ["This loads the workflow's module, which runs its author's code."],
  examples: [
    { command: "atomic graph ralph", shows: "Show the workflow's nodes as a tree." },
    { command: "atomic graph ralph --mermaid", shows: "Print the graph as Mermaid, for a README." },
  ],
  run: async (context, { workflow, mermaid }) => {
    const { where, qualifiedName, compiled } = await loadGraph(context, workflow, { isSilent: true });
    return { where, workflow: qualifiedName, graph: compiled.json, mermaid };
  },
  report: {
    text: ({ graph: json, mermaid }, { columns }) =>
      mermaid ? escapeForTerminal(toMermaid(json)) : drawGraph(json, { columns: columns ?? Number.MAX_SAFE_INTEGER }),
    notes: () => "",
    json: ({ where, workflow, graph: json }) => documentOf(where, { workflow, graph: json }),
    exitCode: () => 0,
  },
});
