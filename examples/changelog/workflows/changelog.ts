import { agentNode, defineGraph, promptFile, waitNode } from "@atomic/workflows";

const prompts = {
  write: new URL("./changelog/write.md", import.meta.url),
  check: new URL("./changelog/check.md", import.meta.url),
};

export default defineGraph(
  {
    name: "changelog",
    description: "Writes the changelog of a release until it is right, then asks for your approval.",
    argumentHint: "<since> | --max-iterations <n>",
    arguments: {
      since: { type: "rest", required: true, description: "The tag or commit of the release before" },
      maxIterations: { type: "number", default: 3, min: 1, whole: true, description: "How often it may be rewritten" },
    },
    state: { remarks: "none" },
  },
  (graph) =>
    graph
      .loop(
        [
          agentNode({
            id: "write",
            agent: "changelog-writer",
            prompt: promptFile(prompts.write, ({ input, remarks }) => ({ since: input.since, remarks })),
          }),
          agentNode({
            id: "check",
            agent: "changelog-checker",
            prompt: promptFile(prompts.check, ({ input }) => ({ since: input.since })),
            into: "remarks",
          }),
        ],
        {
          id: "rewrite",
          until: ({ remarks }) => remarks.trim() === "RIGHT",
          maxIterations: ({ input }) => input.maxIterations,
        },
      )
      .then(
        waitNode({ id: "approve", prompt: ({ remarks }) => `Is CHANGELOG.md as you want it? Checked: ${remarks}` }),
      ),
);
