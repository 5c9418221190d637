// The whole life of a workflow that is a plugin, as OpenCode sees it.
import { beforeAll, expect, test } from "bun:test";
import { gitRepo } from "@atomic/testing/git";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { type WatchedOpencode, watchedOpencode } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { bundleHugo, hugo, tryHugo } from "./hugo.ts";

beforeAll(bundleHugo);

const config = `{
  "$schema": "https://opencode.ai/config.json",
  // what I like
  "username": "me", // and not you
}
`;

/** An agent, a command and a skill; each shows the version that registered it. */
function review(version: string): PackageToPublish & { files: Record<string, string> } {
  return {
    name: "@org/code-review",
    version,
    manifest: { main: "index.js", type: "module" },
    files: {
      "workflow.json": JSON.stringify({ agents: ["reviewer"], commands: ["check"], skills: ["risks"] }),
      "agents/reviewer.md": "---\ndescription: Reviews\nmode: subagent\n---\n\nReview it.\n",
      "commands/check.md": "Check it.\n",
      "skills/risks/SKILL.md": "---\nname: risks\ndescription: Lists risks\n---\n\nList them.\n",
      "index.js": `import { fileURLToPath } from "node:url";
export default async () => ({
  config: async (config) => {
    config.agent = { reviewer: { description: "Reviews", mode: "subagent", prompt: "Review as ${version}." }, ...config.agent };
    config.command = { check: { template: "Check as ${version}." }, ...config.command };
    config.skills = { ...config.skills, paths: [...(config.skills?.paths ?? []), fileURLToPath(new URL("skills", import.meta.url))] };
  },
});
`,
    },
  };
}

interface Seen {
  readonly agent: string | undefined;
  readonly command: string | undefined;
  readonly hasSkill: boolean;
}

async function seen(opencode: WatchedOpencode): Promise<Seen> {
  const { config, skills } = await opencode.resolved();
  const { agent = {}, command = {} } = config;
  return {
    agent: agent.reviewer?.prompt,
    command: command.check?.template,
    hasSkill: skills.some(({ name }) => name === "risks"),
  };
}

const as = (version: string): Seen => ({
  agent: `Review as ${version}.`,
  command: `Check as ${version}.`,
  hasSkill: true,
});
const nothing: Seen = { agent: undefined, command: undefined, hasSkill: false };

test("install, disable, enable, update, remove: OpenCode follows, and the config ends as it began", async () => {
  await using registry = await npmRegistry();
  registry.publish(review("1.0.0"));
  await using project = await tmpProject({ registry, files: { "opencode.json": config } });
  await using opencode = watchedOpencode(project);

  const refused = await tryHugo(project, ["install", "@org/code-review"]);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain("--yes");
  expect(await project.read("opencode.json")).toBe(config);

  expect(await hugo(project, "install", "@org/code-review", "--yes")).toStartWith(
    'Installed workflow "code-review" v1.0.0 (1 agent, 1 skill, 1 command)\n',
  );
  const enabled = await project.read("opencode.json");
  expect(enabled).toMatch(/"\S+\/\.hugo\/store\/code-review-[0-9a-f]{16}\/node_modules\/@org\/code-review"/);
  expect(await seen(opencode)).toEqual(as("1.0.0"));

  await hugo(project, "disable", "code-review");
  expect(await seen(opencode)).toEqual(nothing);

  await hugo(project, "enable", "code-review");
  expect(await project.read("opencode.json")).toBe(enabled);
  expect(await seen(opencode)).toEqual(as("1.0.0"));

  registry.publish(review("1.1.0"));
  expect(await hugo(project, "update")).toStartWith("Updated code-review: v1.0.0 → v1.1.0\n");
  expect(await seen(opencode)).toEqual(as("1.1.0"));

  await hugo(project, "remove", "code-review");
  expect(await project.read("opencode.json")).toBe(config);
  expect(await seen(opencode)).toEqual(nothing);
}, 180_000);

test("a plugin from git loads from Hugo's store, follows its branch, and comes back after a clone", async () => {
  const files = (version: string): Record<string, string> => ({
    ...review(version).files,
    "package.json": JSON.stringify({ name: "@org/code-review", version, main: "index.js", type: "module" }),
  });
  await using repo = await gitRepo({ name: "code-review", files: files("1.0.0") });
  await using project = await tmpProject({ files: { "opencode.json": config } });
  await using opencode = watchedOpencode(project);

  await hugo(project, "install", `${repo.packageUrl}#main`, "--yes");
  expect(await seen(opencode)).toEqual(as("1.0.0"));

  await repo.commit({ files: files("1.1.0"), message: "1.1.0" });
  await hugo(project, "update");
  expect(await seen(opencode)).toEqual(as("1.1.0"));

  await project.remove(".opencode/.hugo");
  await using anew = watchedOpencode(project);
  expect(await seen(anew)).toEqual(nothing);
  await hugo(project, "ci");
  expect(await seen(anew)).toEqual(as("1.1.0"));

  await hugo(project, "remove", "code-review");
  expect(await project.read("opencode.json")).toBe(config);
}, 180_000);
