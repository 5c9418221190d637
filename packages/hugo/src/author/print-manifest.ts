import type { WorkflowContent } from "../manifest/content.ts";

const WIDTH = 120;

/** The text of workflow.json: the same content always gives the same bytes. */
export function printManifest({ agents, commands, skills }: WorkflowContent): string {
  const lists = Object.entries({ agents, commands, skills }).map(([key, list]) => {
    const names = list.map(({ name }) => JSON.stringify(name)).sort();
    const line = `  "${key}": [${names.join(", ")}]`;
    return line.length < WIDTH ? line : `  "${key}": [\n${names.map((name) => `    ${name}`).join(",\n")}\n  ]`;
  });
  return `{\n${lists.join(",\n")}\n}\n`;
}
