// What Hugo installs is in Atomic's registry exactly while OpenCode has it, whichever way it is delivered.
import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { npmRegistry, type PackageToPublish } from "@atomic/testing/npm-registry";
import { type WatchedOpencode, watchedOpencode } from "@atomic/testing/opencode";
import { skipPluginInstall } from "@atomic/testing/opencode/plugin-install";
import { type Project, tmpProject } from "@atomic/testing/project";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { atomic, buildAtomic, registered } from "./atomic.ts";
import { bundleHugo, hugo } from "./hugo.ts";

beforeAll(async () => {
  await bundleHugo();
  await buildAtomic();
}, 120_000);

const contents = (version: string): Record<string, string> => ({
  "agents/reviewer.md": `---\ndescription: Reviews a change\nmode: subagent\npermission:\n  edit: deny\n---\n\nReview as ${version}.\n`,
  "commands/git/check.md": "---\ndescription: Checks a change\n---\n\nCheck $1.\n",
  "skills/risks/SKILL.md": "---\nname: risks\ndescription: Lists risks\n---\n\nList them.\n",
});

/** A plugin that registers by hand what its files say, since it has no dependencies. */
function plugin(version: string): PackageToPublish {
  return {
    name: "@org/code-review",
    version,
    manifest: { main: "index.js", type: "module" },
    files: {
      ...contents(version),
      "agents/README.md": "Not an agent.\n",
      "workflows/deep-review.ts": "export default {};\n",
      "workflows/not-listed.ts": "export default {};\n",
      "workflow.json": JSON.stringify({
        agents: ["reviewer"],
        commands: ["git/check"],
        skills: ["risks"],
        workflows: ["deep-review"],
      }),
      "index.js": `import { fileURLToPath } from "node:url";
export default async () => ({
  config: async (config) => {
    config.agent = { reviewer: { description: "Reviews a change", mode: "subagent", prompt: "Review as ${version}." }, ...config.agent };
    config.command = { "git/check": { template: "Check $1." }, ...config.command };
    config.skills = { ...config.skills, paths: [...(config.skills?.paths ?? []), fileURLToPath(new URL("skills", import.meta.url))] };
  },
});
`,
    },
  };
}

/** Names of what OpenCode has, of those that the packages bring. */
async function inOpencode(opencode: WatchedOpencode): Promise<string[]> {
  const { config, skills } = await opencode.resolved();
  const { agent = {}, command = {} } = config;
  return [
    ...Object.keys(agent),
    ...Object.keys(command),
    ...skills.map(({ name }) => name).filter((name) => name === "risks"),
  ].sort();
}

async function inRegistry(project: Project): Promise<string[]> {
  return (await registered(project)).entities.map(({ type, name }) => `${type} ${name}`);
}

const fromHugo = [
  "agent hugo:project/reviewer",
  "command hugo:project/git/check",
  "skill hugo:project/risks",
  "workflow hugo:project/deep-review",
];
const brought = ["git/check", "reviewer", "risks"];

test("a plugin's entities are in the registry exactly while OpenCode has them", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry, files: { "opencode.json": "{}\n" } });
  await using opencode = watchedOpencode(project);

  await hugo(project, "install", "@org/code-review", "--yes");
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([fromHugo, brought]);

  await hugo(project, "disable", "code-review");
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([[], []]);

  await hugo(project, "enable", "code-review");
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([fromHugo, brought]);

  registry.publish(plugin("1.1.0"));
  await hugo(project, "update");
  const { entities } = await registered(project);
  expect(entities.find(({ type }) => type === "agent")?.prompt).toBe("\nReview as 1.1.0.\n");
  expect(entities.map(({ type, name }) => `${type} ${name}`)).toEqual(fromHugo);

  await project.remove(".opencode/.hugo");
  expect(await registered(project)).toEqual({
    entities: [],
    problems: ["hugo-package-missing: Run `hugo ci` to download what hugo.json lists."],
  });
  await hugo(project, "ci");
  expect(await inRegistry(project)).toEqual(fromHugo);

  await hugo(project, "remove", "code-review");
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([[], []]);
}, 180_000);

test("with XDG_CONFIG_HOME, an installation for all projects goes where OpenCode and the registry look", async () => {
  await using moved = await temporaryFolder();
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry, env: { XDG_CONFIG_HOME: moved.path } });
  await skipPluginInstall(join(moved.path, "opencode"));
  await using opencode = watchedOpencode(project);

  await hugo(project, "install", "@org/code-review", "--yes", "--global");
  const forUser = fromHugo.map((name) => name.replace("project", "user"));
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([forUser, brought]);
  expect(await project.exists("~/.config/opencode/hugo.json")).toBe(false);
}, 180_000);

test("atomic shows which workflow an agent belongs to and what its name resolves to", async () => {
  await using registry = await npmRegistry();
  registry.publish(plugin("1.0.0"));
  await using project = await tmpProject({ registry });
  await hugo(project, "install", "@org/code-review", "--yes", "--global");

  const { stdout, code } = await atomic(project, "which", "reviewer");
  expect(code).toBe(0);
  expect(stdout.replace(/code-review-[\da-f]{16}/, "code-review-…")).toBe(
    [
      "agent hugo:user/reviewer",
      "  file       ~/.config/opencode/.hugo/store/code-review-…/node_modules/@org/code-review/agents/reviewer.md",
      "  workflow   code-review",
      "  wins       the only agent with this name",
      "  about      Reviews a change",
      "  tools      never edit, write, patch",
      "  claude     does not read it: Claude Code does not look in Hugo's store.",
      "  opencode   loads it as agent reviewer",
      "  copilot    does not read it: GitHub Copilot does not look in Hugo's store.",
      "",
    ].join("\n"),
  );
  expect((await atomic(project, "entities", "--provider", "hugo", "--type", "skill")).stdout).toContain("hugo:user");

  await project.write(".opencode/agents/reviewer.md", "---\ndescription: Mine\n---\nReview as I like it.\n");
  const { stdout: both } = await atomic(project, "which", "reviewer");
  expect(both).toContain("wins       over hugo:user/reviewer: project beats user\n");
  expect(both).toContain("would load it as agent reviewer, but uses opencode:project/reviewer instead\n");

  await hugo(project, "disable", "code-review", "--global");
  expect((await atomic(project, "which", "hugo:user/reviewer")).code).toBe(1);
}, 120_000);

test("copied files are OpenCode's own, and not there twice", async () => {
  await using registry = await npmRegistry();
  registry.publish({ name: "@org/code-review", version: "1.0.0", files: contents("1.0.0") });
  await using project = await tmpProject({ registry });
  await using opencode = watchedOpencode(project);

  await hugo(project, "install", "@org/code-review", "--yes");
  const copied = [
    "agent opencode:project/reviewer",
    "command opencode:project/git/check",
    "skill opencode:project/risks",
  ];
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([copied, brought]);

  await hugo(project, "disable", "code-review");
  expect([await inRegistry(project), await inOpencode(opencode)]).toEqual([[], []]);
}, 120_000);
