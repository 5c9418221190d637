// Run it with `atomic run release 1.4.0`. With `--host scripted`, no agent is needed: each prompt is its own answer.
import { agentNode, defineGraph, last, toolNode, waitNode } from "@atomic/workflows";

export default defineGraph(
  {
    name: "release",
    description: "Drafts release notes, asks you, and publishes them",
    arguments: { version: { type: "rest", required: true, description: "The version, such as 1.4.0" } },
    state: { notes: last(""), approved: last(false) },
  },
  (graph) =>
    graph
      .start(
        agentNode({
          id: "draft",
          prompt: ({ input }) =>
            `Write release notes for ${input.version} from the commits since the last tag: at most five lines.`,
          into: "notes",
        }),
      )
      .wait(
        waitNode({
          id: "approval",
          prompt: ({ input, notes }) => `${notes}\n\nPublish ${input.version} with these notes?`,
          into: "approved",
        }),
      )
      .if(({ approved }) => approved, { id: "answer" })
      .then(
        agentNode({
          id: "publish",
          prompt: ({ input, notes }) => `Add the notes for ${input.version} to the top of NEWS.md:\n\n${notes}`,
        }),
      )
      .else()
      .then(toolNode({ id: "stop", run: () => "Nothing was published." }))
      .endif(),
);
