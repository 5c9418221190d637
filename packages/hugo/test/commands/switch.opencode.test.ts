// Workflows of both deliveries on the real OpenCode: what Hugo says is hidden, OpenCode does not see.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Resolved, type WatchedOpencode, watchedOpencode } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { disable } from "../../src/commands/disable.ts";
import { enable } from "../../src/commands/enable.ts";
import { remove } from "../../src/commands/remove.ts";
import { switchTo } from "../../src/commands/switch.ts";
import { contextOf, copiedWorkflow, input, install, pluginWorkflow, store } from "./workspace.ts";

setDefaultTimeout(120_000);

const config = '{\n  // mine\n  "$schema": "https://opencode.ai/config.json"\n}\n';

const plugin = {
  "package.json": '{ "name": "@org/review", "version": "1.0.0", "type": "module", "main": "index.js" }\n',
  "index.js": `export default {
  id: "@org/review",
  server: async (_context, options) => ({
    config: async (config) => {
      const description = "Reviews " + (options?.strict ? "strictly" : "kindly");
      config.agent = { reviewer: { description, mode: "subagent", prompt: "Review." }, ...config.agent };
      config.command = { "review-all": { description: "Reviews all", template: "Review." }, ...config.command };
    },
  }),
};
`,
};

const files = {
  "agents/linter.md": "---\ndescription: Lints\nmode: subagent\n---\nLint.\n",
  "commands/lint.md": "---\ndescription: Lints all\n---\nLint all.\n",
  "skills/tidy-up/SKILL.md": "---\nname: tidy-up\ndescription: Tidies up\n---\nTidy.\n",
};

/** The agents and commands that OpenCode knows, of those that the two workflows bring. */
async function seen(opencode: WatchedOpencode): Promise<string[]> {
  return namesIn((await opencode.resolved()).config);
}

function namesIn({ agent = {}, command = {} }: Resolved["config"]): string[] {
  const ours = ["reviewer", "linter", "review-all", "lint"];
  return [...Object.keys(agent), ...Object.keys(command)].filter((name) => ours.includes(name)).sort();
}

/** The same, and whether it has the skill. */
async function seenWithSkill(opencode: WatchedOpencode): Promise<{ names: string[]; hasSkill: boolean }> {
  const { config, skills } = await opencode.resolved();
  return { names: namesIn(config), hasSkill: skills.some(({ name }) => name === "tidy-up") };
}

test("OpenCode sees what is enabled, and nothing of what is disabled or removed", async () => {
  await using project = await tmpProject({ files: { "opencode.json": config } });
  await using opencode = watchedOpencode(project);
  const tree = await store(project, "review", "@org/review", plugin);
  const review = pluginWorkflow("review", { source: "github:org/review", version: "a".repeat(40), tree });
  await install(project, { lint: copiedWorkflow("lint", files), review }, files);
  await project.write(".opencode/agents/linter.md", files["agents/linter.md"].replace("Lint.", "Lint my way."));
  const context = contextOf(project);
  const [ofLint, ofReview] = [
    ["lint", "linter"],
    ["review-all", "reviewer"],
  ];

  await enable.run(context, { ...input, name: ["review"], all: false });
  expect(await seenWithSkill(opencode)).toEqual({ names: [...ofLint, ...ofReview].sort(), hasSkill: true });

  await switchTo.run(context, { ...input, name: ["review"] });
  expect(await seenWithSkill(opencode)).toEqual({ names: ofReview, hasSkill: false });

  await switchTo.run(context, { ...input, name: ["lint"] });
  const { config: ofOpencode, agents } = await opencode.resolved();
  expect(namesIn(ofOpencode)).toEqual(ofLint);
  expect(agents.find(({ name }) => name === "linter")?.prompt).toBe("Lint my way.");

  await disable.run(context, { ...input, name: [], all: true });
  expect(await seen(opencode)).toEqual([]);

  await enable.run(context, { ...input, name: [], all: true });
  await remove.run(context, { ...input, name: ["review", "lint"] });
  expect(await seen(opencode)).toEqual(["linter"]);
  expect(await project.read("opencode.json")).toBe(config);
});

test("options of a plugin are the same for OpenCode after it was disabled and enabled", async () => {
  await using project = await tmpProject();
  await using opencode = watchedOpencode(project);
  const tree = await store(project, "review", "@org/review", plugin);
  const review = pluginWorkflow("review", { source: "github:org/review", version: "a".repeat(40), tree });
  await install(project, { review });
  const context = contextOf(project);
  await enable.run(context, { ...input, name: ["review"], all: false });
  const text = await project.read("opencode.json");
  const strict = text.replace(/"(\.\/[^"]+)"/, '["$1", { "strict": true }]');
  expect(strict).not.toBe(text);
  await project.write("opencode.json", strict);
  await disable.run(context, { ...input, name: ["review"], all: false });
  expect(await seen(opencode)).toEqual([]);
  await enable.run(context, { ...input, name: ["review"], all: false });
  expect(await project.json("opencode.json")).toEqual(JSON.parse(strict));
  const { agents } = await opencode.resolved();
  expect(agents.find(({ name }) => name === "reviewer")?.description).toBe("Reviews strictly");
});
