import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Config } from "../../../src/config/schema.ts";
import { configureAgents, skillTexts } from "../../../src/plugin/setup/configure-agents.ts";
import { packageStack } from "../../stacks/package-stack.ts";

const developer: AgentConfig = {
  description: "builds",
  mode: "subagent",
  prompt: "You build.\n",
  permission: { "*": "deny", edit: "allow" },
};
const reviewer: AgentConfig = { prompt: "You review.", temperature: 0.1 };
const skill = (name: string) => [name, { name, text: `All about ${name}.`, path: "" }] as const;
const skills = new Map([skill("sveltekit"), skill("shadcn-svelte"), skill("convex")]);
const agents = { developer, reviewer };

/** A stack that only gives its skills. */
const stack = { ...packageStack("sveltekit-convex"), folder: "/nowhere", text: "" };
const configured = (config: Config) => configureAgents(agents, config, skills, stack);

test("without settings an agent is what its file says, with each of its skills once; other agents get none of them", () => {
  const { agents: made, problems } = configured({});
  expect(problems).toEqual([]);
  expect(made.reviewer).toEqual(reviewer);
  expect(made.developer).toEqual({
    ...developer,
    prompt:
      'You build.\n\n<skill name="sveltekit">\nAll about sveltekit.\n</skill>\n\n<skill name="shadcn-svelte">\nAll about shadcn-svelte.\n</skill>',
  });
});

describe("every agent setting takes effect", () => {
  const rows: readonly [keyof NonNullable<Config["agents"]>[string], Config["agents"], Partial<AgentConfig>][] = [
    ["model", { reviewer: { model: "a/b" } }, { model: "a/b" }],
    ["variant", { reviewer: { variant: "high" } }, { variant: "high" }],
    ["temperature", { reviewer: { temperature: 0.7 } }, { temperature: 0.7 }],
    ["top_p", { reviewer: { top_p: 0.5 } }, { top_p: 0.5 }],
    ["prompt", { reviewer: { prompt: "Mine." } }, { prompt: "Mine." }],
    ["prompt_append", { reviewer: { prompt_append: "And this." } }, { prompt: "You review.\n\nAnd this." }],
    ["description", { reviewer: { description: "mine" } }, { description: "mine" }],
    ["mode", { reviewer: { mode: "all" } }, { mode: "all" }],
    ["color", { reviewer: { color: "#ffffff" } }, { color: "#ffffff" }],
    ["disable", { reviewer: { disable: true } }, { disable: true }],
    [
      "skills",
      { reviewer: { skills: ["convex", "convex"] } },
      { prompt: 'You review.\n\n<skill name="convex">\nAll about convex.\n</skill>' },
    ],
    [
      "permission",
      { reviewer: { permission: { bash: { "git *": "allow" } } } },
      { permission: { bash: { "git *": "allow" } } },
    ],
  ];
  test.each(rows)("%s", (_, settings, expected) => {
    expect(configured({ agents: settings! }).agents.reviewer).toEqual({ ...reviewer, ...expected });
  });

  test("a configured permission overrides the agent's own", () => {
    const { agents: made } = configured({ agents: { developer: { permission: { edit: "ask" } } } });
    expect(Object.entries(made.developer?.permission ?? {})).toEqual([
      ["*", "deny"],
      ["edit", "ask"],
    ]);
  });
});

test("a category fills in what the agent's own settings leave out", () => {
  const config: Config = {
    categories: {
      deep: {
        model: "a/deep",
        temperature: 1,
        thinking: { type: "enabled", budgetTokens: 1000 },
        reasoningEffort: "high",
        maxTokens: 10,
        prompt_append: "Think.",
      },
    },
    agents: { reviewer: { category: "deep", temperature: 0.2, prompt_append: "Then write." } },
  };
  expect(configured(config).agents.reviewer).toEqual({
    prompt: "You review.\n\nThink.\n\nThen write.",
    model: "a/deep",
    temperature: 0.2,
  });
  expect(configured(config).parameters.reviewer).toEqual({
    thinking: { type: "enabled", budgetTokens: 1000 },
    reasoningEffort: "high",
    maxTokens: 10,
  });
});

test("the agent's own token limit overrides its category's", () => {
  const categories = { deep: { model: "a/deep", maxTokens: 10 } };
  const { parameters } = configured({ categories, agents: { reviewer: { category: "deep", maxTokens: 100 } } });
  expect(parameters).toEqual({ reviewer: { maxTokens: 100 }, developer: {} });
});

test("disabled agents are switched off, and disabled skills reach no agent", () => {
  const { agents: made } = configured({ disabled_agents: ["reviewer"], disabled_skills: ["sveltekit"] });
  expect(made.reviewer?.disable).toBe(true);
  expect(made.developer?.prompt).not.toContain("All about sveltekit.");
  expect(made.developer?.prompt).toContain("All about shadcn-svelte.");
});

test("unknown names are reported with a suggestion", () => {
  const config: Config = {
    disabled_agents: ["reviwer"],
    agents: { nobody: {}, reviewer: { category: "deep", skills: ["convx"] } },
  };
  expect(configured(config).problems).toEqual([
    'There is no agent "reviwer" (did you mean reviewer?).',
    'There is no agent "nobody".',
    'There is no category of reviewer "deep".',
    'There is no skill of reviewer "convx" (did you mean convex?).',
  ]);
});

test("if skills share a name, the first folder wins; invalid skills are ignored", async () => {
  const text = (name: string, body: string) => `---\nname: ${name}\ndescription: x\n---\n\n${body}\n`;
  await using project = await tmpProject({
    git: false,
    files: {
      "project/convex/SKILL.md": text("convex", "the project's"),
      "user/convex/SKILL.md": text("convex", "the user's"),
      "user/deep/er/SKILL.md": text("sveltekit", "the user's"),
      "user/broken/SKILL.md": "no frontmatter",
      "builtin/convex/SKILL.md": text("convex", "the package's"),
      "builtin/quality-gates/SKILL.md": text("quality-gates", "the package's"),
    },
  });
  const found = skillTexts(["project", "user", "builtin", "none"].map((folder) => project.path(folder)));
  expect(Object.fromEntries([...found].map(([name, { text }]) => [name, text]))).toEqual({
    convex: "the project's",
    sveltekit: "the user's",
    "quality-gates": "the package's",
  });
});
