import type { WorkflowContent } from "../../packages/manifest/content.ts";

const WIDTH = 120;

/** The text of workflow.json: the same content always gives the same bytes. */
export function printManifest({ agents, commands, skills, workflows = [] }: WorkflowContent): string {
  const all = { agents, commands, skills, ...(workflows.length > 0 && { workflows }) };
  const lists = Object.entries(all).map(([key, list]) => {
    const names = list.map(({ name }) => JSON.stringify(name)).sort();
    const line = `  "${key}": [${names.join(", ")}]`;
    return line.length < WIDTH ? line : `  "${key}": [\n${names.map((name) => `    ${name}`).join(",\n")}\n  ]`;
  });
  return `{\n${lists.join(",\n")}\n}\n`;
}
