// What Copilot drops, and where OpenCode looks, without the real programs; the oracle tests ask those.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { loadVerdicts } from "../src/entities/tools/load-verdicts.ts";

const head = (keys: string): string => `---\n${keys}\n---\nBody\n`;

test.each([
  [".github/agents/a.md", "description: A", true],
  [".github/agents/a.md", "description: A\nmcp-servers:\n  s: { command: x, args: [], tools: ['*'] }", true],
  [".github/agents/a.md", "description: A\nmcp-servers:\n  s: { command: x, args: [] }", false],
  [".github/agents/a.md", "description: A\nmcp-servers:\n  s: { type: remote, url: x, tools: ['*'] }", false],
  [".github/agents/general-purpose.md", "description: A", false],
  [".github/agents/a.md", "name: general-purpose\ndescription: A", false],
  [".claude/commands/größe.md", "name: size\ndescription: A", false],
] as const)("Copilot loads %s with %j: %p", async (path, keys, expected) => {
  await using project = await tmpProject({ git: false, files: { [path]: head(keys) } });
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
  const [entity] = registry.entries().filter(({ source }) => source.location === "project");
  if (entity === undefined) throw new Error("The file gave no entity.");
  const verdict = loadVerdicts(entity).find(({ tool }) => tool === "copilot");
  expect(verdict?.loads).toBe(expected);
});

test("of more than a hundred agent files in a folder, Copilot loads a hundred", async () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`.github/agents/a${i}.md`, head("description: A")]));
  for (const [count, because] of [
    [100, undefined],
    [101, "if it is one of the 100 that Copilot happens to load of the 101 agent files in this folder"],
  ] as const) {
    await using project = await tmpProject({ git: false, files: files(count) });
    const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
    const verdicts = loadVerdicts(registry.require("agent", "a0"), registry.entries());
    expect(verdicts.find(({ tool }) => tool === "copilot")?.because).toBe(because);
  }
});

test("OPENCODE_CONFIG_DIR and OPENCODE_CONFIG add a folder and a file", async () => {
  await using project = await tmpProject({
    git: false,
    files: {
      "~/further/agents/further.md": head("description: F"),
      "~/custom.json": { agent: { custom: { description: "C", prompt: "x" } } },
    },
  });
  const env = { OPENCODE_CONFIG_DIR: `${project.home}/further`, OPENCODE_CONFIG: `${project.home}/custom.json` };
  const load = async (variables: Record<string, string>) => {
    const sources = { projectPath: project.dir, userPath: project.home, env: variables };
    const registry = await initializeWorkflowsSDK(sources);
    return registry.allAgents().map(({ name }) => name);
  };
  expect(await load({})).toEqual([]);
  expect(await load(env)).toEqual(["custom", "further"]);
});
