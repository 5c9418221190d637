// One graph with every kind of node in it.

import {
  agentNode,
  askUserNode,
  clearContextNode,
  commandNode,
  skillNode,
  toolNode,
  waitNode,
} from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import type { CompiledGraph } from "../../src/graph/compile.ts";
import { criteriaLoopNode, decisionNode, taskLoopNode } from "../../src/graph/control-nodes.ts";
import { append, last } from "../../src/graph/state.ts";
import { subgraphNode } from "../../src/graph/subgraph-node.ts";
import { registryWith } from "./run-graph.ts";

export const sampleRegistry = registryWith({
  agent: ["researcher", "reviewer"],
  skill: ["implement", "commit"],
  command: ["test"],
});

export function sample(): CompiledGraph {
  const release = graph({ name: "release" })
    .start(askUserNode({ question: "Which version?", options: [{ label: "minor" }, { label: "major" }] }))
    .then(skillNode({ skill: "commit", args: "release" }))
    .toGraph();
  return graph({
    name: "ship",
    description: "From an idea to a release",
    state: { findings: append<string>(), verdict: last<string | boolean | null>(null) },
  })
    .start(agentNode({ agent: "researcher", prompt: (state) => `Look into ${state.input}.`, into: "findings" }))
    .parallel({
      id: "reviews",
      limit: 2,
      branches: {
        security: agentNode({ id: "security", agent: "reviewer", prompt: "Is it safe?", into: "findings" }),
        tests: commandNode({ command: "test", into: "findings", onError: "continue" }),
      },
    })
    .if(({ findings }) => findings.length > 1, { id: "found" })
    .then(waitNode({ id: "approval", prompt: "Go on?", into: "verdict" }))
    .else()
    .then(toolNode({ id: "note", run: () => "nothing found", into: "verdict" }))
    .endif()
    .then(taskLoopNode({ taskNodes: [clearContextNode(), skillNode({ skill: "implement", session: "main" })] }))
    .then(criteriaLoopNode({ taskNodes: agentNode({ id: "polish", prompt: "Polish it." }), maxIterations: 5 }))
    .loop(toolNode({ id: "check", tool: "lint", args: { fix: true } }), { until: () => true, maxIterations: 3 })
    .then(
      decisionNode({
        id: "verdict",
        routes: [{ label: "good", when: (state) => state.verdict === "yes", nodes: subgraphNode({ graph: release }) }],
        otherwise: subgraphNode({ id: "by-name", graph: "other" }),
      }),
    )
    .catch(agentNode({ id: "explain", prompt: ({ error }) => `Explain: ${error?.message}` }))
    .end()
    .compile(sampleRegistry, {
      tools: { lint: () => "clean" },
      workflows: {
        other: graph({ name: "other" })
          .start(toolNode({ id: "sorry", run: () => null }))
          .toGraph(),
      },
    });
}
