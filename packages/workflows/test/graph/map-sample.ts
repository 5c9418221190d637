// A map with two agents for each item, for the tests of maps.
import { agentNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { mapNode } from "../../src/graph/map-node.ts";
import { append } from "../../src/graph/state.ts";
import { noEntities } from "./run-graph.ts";

const state = () => ({ files: ["b.ts", "a.ts", "c.ts"] as readonly string[], findings: append<string>() });

export const review = graph({ name: "x", state: state() })
  .start(
    mapNode({
      id: "review",
      over: ({ files }) => files,
      as: "file",
      nodes: (each) =>
        each
          .then(agentNode({ id: "look", prompt: ({ file }) => `Look at ${file.toUpperCase()}.`, session: "one" }))
          .then(
            agentNode({ id: "sum", prompt: ({ file, outputs }) => `Sum up ${file}: ${outputs.look}`, session: "one" }),
          ),
      into: "findings",
    }),
  )
  .compile(noEntities);
