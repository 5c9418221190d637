// Small workflows, and how the tests of `atomic run` start them.
import { readdirSync } from "node:fs";
import type { Project } from "@atomic/testing/project";
import { atomic } from "../atomic.ts";

export const shipping = `{ name: "ship", description: "Ships it", arguments: {
    version: { type: "rest", required: true, description: "Which one" },
    times: { type: "number", default: 2, min: 1 },
  } as const },
  (graph) => graph
    .start(toolNode({ id: "build", run: ({ input }) => \`built \${input.version} \${input.times} times\` }))
    .wait(waitNode({ id: "approval", prompt: "Ship it?", timeoutMs: 600_000 }))
    .then(toolNode({ id: "publish", run: ({ outputs }) => \`\${outputs.build}, \${outputs.approval}\` }))`;

export const plain = `{ name: "plain" }, (graph) => graph.start(toolNode({ id: "say", run: ({ input }) => \`got \${JSON.stringify(input)}\` }))`;

export const failing = `{ name: "failing" }, (graph) => graph.start(toolNode({ id: "boom", run: () => { throw new Error("no \\u001b[31mdisk"); } }))`;

export const talking = `{ name: "talking" }, (graph) => graph
  .start(agentNode({ id: "look", prompt: "Look around.", permissions: { bash: "ask" } }))
  .then(agentNode({ id: "sum", prompt: "Sum up.", permissions: "allow" }))`;

export function runIds(project: Project): string[] {
  return readdirSync(project.path(".atomic/runs")).filter((name) => !name.startsWith("."));
}

export async function run(project: Project, ...argv: readonly string[]) {
  return await atomic(project, ["run", ...argv]);
}
