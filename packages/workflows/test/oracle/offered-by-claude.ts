import { claudeQuery } from "@atomic/testing/claude";
import { modelServer } from "@atomic/testing/model-server";
import { tmpProject } from "@atomic/testing/project";

/** For each agent's frontmatter, the tools that Claude Code offers to the model. */
export async function offeredByClaude(agents: readonly string[]): Promise<string[][]> {
  const files = agents.map((frontmatter, i) => [
    `.claude/agents/a${i}.md`,
    `---\nname: a${i}\ndescription: An agent\n${frontmatter}\n---\nBody`,
  ]);
  await using project = await tmpProject({ git: false, files: Object.fromEntries(files) });
  await using model = await modelServer({ allowUnused: true });
  model.expect().always().reply("ok");

  const offered: string[][] = [];
  for (const i of agents.keys()) {
    await using claude = await claudeQuery(project, model, "hello", { sdk: { agent: `a${i}` } });
    await claude.answer();
    offered.push((model.prompts.at(-1)?.tools ?? []).map(({ name }) => name));
  }
  return offered;
}
