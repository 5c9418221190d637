import { modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";

/** For each agent's frontmatter, the tools that OpenCode offers to the model. */
export async function offeredByOpenCode(agents: readonly object[]): Promise<string[][]> {
  const files = agents.map((frontmatter, i) => [
    `.opencode/agent/a${i}.md`,
    // Flow style: JSON is YAML.
    `---\n${Object.entries({ mode: "primary", description: "An agent", ...frontmatter })
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join("\n")}\n---\nBody`,
  ]);
  await using project = await tmpProject({ files: Object.fromEntries(files) });
  await using model = await modelServer({ allowUnused: true });
  await using server = await opencodeServe(project, { model });
  model.expect().always().reply("ok");

  const offered: string[][] = [];
  for (const i of agents.keys()) {
    await server.ask("hello", { agent: `a${i}`, title: "A title" });
    offered.push((model.prompts.at(-1)?.tools ?? []).map(({ name }) => name));
  }
  return offered;
}
