/** Workflows for OpenCode's terminal: each kind of question, and agents with sessions. */
const ship = `import { agentNode, defineGraph, toolNode, waitNode } from "@atomic/workflows";
export default defineGraph(
  {
    name: "ship",
    description: "Ships a version",
    arguments: {
      version: { type: "rest", required: true, description: "Which one" },
      times: { type: "number", default: 1, min: 1 },
    } as const,
  },
  (graph) =>
    graph
      .start(agentNode({ id: "look", prompt: "Look around.", permissions: "allow" }))
      .wait(waitNode({ id: "approval", prompt: "Ship it?" }))
      .then(toolNode({ id: "publish", run: ({ input, outputs }) => \`\${input.version}: \${outputs.approval}\` })),
);
`;

const interview = `import { agentNode, askUserNode, defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "interview", description: "Asks in every way" }, (graph) =>
  graph
    .start(askUserNode({ id: "database", header: "Storage", question: "Which database?", options: [{ label: "SQLite", description: "one file" }, { label: "Postgres" }] }))
    .then(askUserNode({ id: "parts", question: "Which parts?", multiple: true, options: [{ label: "api" }, { label: "page" }, { label: "docs" }] }))
    .then(askUserNode({ id: "name", question: "What should it be called?" }))
    .then(agentNode({ id: "try", prompt: "Try it.", permissions: { bash: "ask" } }))
    .then(toolNode({ id: "say", run: ({ outputs }) => JSON.stringify([outputs.database, outputs.parts, outputs.name, outputs.try]) })));
`;

const confirm = `import { defineGraph, toolNode, waitNode } from "@atomic/workflows";
export default defineGraph({ name: "confirm", description: "Asks once" }, (graph) =>
  graph
    .start(waitNode({ id: "sure", prompt: "Are you sure?" }))
    .then(toolNode({ id: "say", run: ({ outputs }) => \`sure: \${outputs.sure}\` })));
`;

export const workflows: Readonly<Record<string, string>> = {
  ".atomic/workflows/ship.ts": ship,
  ".atomic/workflows/interview.ts": interview,
  ".atomic/workflows/confirm.ts": confirm,
  ".claude/commands/fix.md": "---\ndescription: Fixes an issue\nargument-hint: <issue>\n---\nFix $ARGUMENTS\n",
};
