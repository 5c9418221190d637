// The real OpenCode on what is delivered. A start is dear, so there is one project for everything.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { debugConfig, opencodeServe } from "@atomic/testing/opencode";
import type { OpencodeServer } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import type { FilesToDeliver } from "../../../src/delivery/translate/package-translation.ts";
import { deliverPlugin } from "./deliver.ts";
import { type ClaudeTools, claudeTools, type Rule, widening } from "./uses-of-tools.ts";

setDefaultTimeout(180_000);

/** The same ones in every run: other runs of the properties try others. */
const given: readonly ClaudeTools[] = fc.sample(claudeTools, { seed: 7, numRuns: 150 });
const agents = Object.fromEntries(
  given.map((tools, i) => {
    const keys = Object.entries(tools).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
    return [`agents/r${i}.md`, `---\nname: r${i}\ndescription: Random\n${keys.join("")}---\nBody ${i}`];
  }),
);
const plugin = {
  ...agents,
  "agents/reviewer.md": [
    "---",
    "name: reviewer",
    'description: Use this agent when: code is done. <example>user: "check"</example>',
    "mode: primary",
    "tools: Read, Grep, Bash(git:*)",
    "model: sonnet",
    "color: purple",
    "memory: project",
    "maxTurns: 9",
    "---",
    "You review code.",
  ].join("\n"),
  "commands/fix.md":
    "---\ndescription: Fixes\nargument-hint: [issue] [file]\nallowed-tools: Bash(git:*), Read\narguments: [issue, file]\nmodel: haiku\n---\nFix $issue in $file.",
  "commands/deep.md": "---\ndescription: Forks\ncontext: fork\nagent: Explore\n---\nLook at $ARGUMENTS.",
  "skills/tidy/SKILL.md": "---\ndescription: Tidies: everything\nallowed-tools: Read\n---\nSweep.",
  "skills/tidy/sweep.sh": "#!/bin/sh\n",
};

let delivered: FilesToDeliver;
const resources = new AsyncDisposableStack();
let project: Project;
let model: ModelServer;
let server: OpencodeServer;

beforeAll(async () => {
  delivered = deliverPlugin(plugin);
  const files = [...delivered.files].map(([path, { bytes }]) => [`.opencode/${path}`, bytes] as const);
  project = resources.use(await tmpProject({ files: { ...Object.fromEntries(files), "src/a.txt": "AAA" } }));
  model = resources.use(await modelServer());
  server = resources.use(await opencodeServe(project, { model }));
});

afterAll(async () => {
  await resources.disposeAsync();
});

interface Listed {
  readonly name: string;
  readonly permission: readonly Rule[];
  readonly prompt?: string;
}

async function agentsInOpencode(): Promise<Map<string, Listed>> {
  const { data } = await server.client.app.agents({}, { throwOnError: true });
  return new Map((data as Listed[]).map((agent) => [agent.name, agent]));
}

test("no agent may do more in OpenCode than Claude's file allows", async () => {
  const listed = await agentsInOpencode();
  const names = given.map((_, i) => `r${i}`);
  const stopped = new Set(delivered.stopped.map(({ entity }) => entity.slice("agents/".length)));
  expect(names.filter((name) => !listed.has(name))).toEqual(names.filter((name) => stopped.has(name)));
  expect(names.length - stopped.size).toBeGreaterThan(60);
  for (const [i, tools] of given.entries()) {
    const agent = listed.get(`r${i}`);
    if (agent === undefined) continue;
    expect({ tools, wider: widening(tools, agent.permission) }).toEqual({ tools, wider: undefined });
    expect(agent.prompt).toBe(`Body ${i}`);
  }
});

test("OpenCode has the agents, commands and skills of the plugin", async () => {
  const config = await debugConfig(project);
  expect(config.command?.fix).toMatchObject({ description: "Fixes", template: "Fix $1 in $2." });
  expect(config.command?.fix?.model).toBeUndefined();
  expect(config.command?.deep).toMatchObject({ agent: "explore", subtask: true, template: "Look at $ARGUMENTS." });
  expect(config.agent?.reviewer).toMatchObject({
    description: 'Use this agent when: code is done. <example>user: "check"</example>',
    color: "#9333ea",
    steps: 9,
    // What OpenCode does not know it would send to the provider.
    options: {},
  });
  expect(config.agent?.reviewer?.model).toBeUndefined();
  const permission = (await agentsInOpencode()).get("reviewer")?.permission ?? [];
  const own = permission.slice(
    permission.findIndex(({ action, permission: name }) => name === "*" && action === "deny"),
  );
  expect(
    own.map((rule) => `${rule.permission} ${rule.pattern} ${rule.action}`).filter((rule) => !rule.includes("/")),
  ).toEqual([
    "* * deny",
    "external_directory * ask",
    "read * allow",
    "read *.env ask",
    "read *.env.* ask",
    "read *.env.example allow",
    "grep * allow",
    "bash * deny",
    "bash git * allow",
    "bash *>* deny",
  ]);
});

test("a translated agent is held to its tools when it works", async () => {
  const { data: skills } = await server.client.app.skills({}, { throwOnError: true });
  expect(skills).toContainEqual(expect.objectContaining({ name: "tidy", description: "Tidies: everything" }));

  const description = "A call";
  model
    .expect("work")
    .tool("read", { filePath: project.path("src/a.txt") })
    .then.tool("bash", { command: "git --version", description })
    .then.tool("bash", { command: "touch made", description })
    .then.tool("bash", { command: "git --version && touch made", description })
    .then.tool("bash", { command: "git log $(touch made)", description })
    .then.tool("bash", { command: "git --version > made", description })
    .then.tool("write", { filePath: project.path("made"), content: "x" })
    .then.reply("done");
  await server.ask("work", { agent: "reviewer", title: "Work" });
  const offered = (model.prompts.at(-1)?.tools ?? []).map(({ name }) => name).sort();
  expect(offered).toEqual(["bash", "grep", "read"]);
  const results = model.prompts.map(({ toolResults }) => toolResults.at(-1) ?? "").slice(1);
  const outcomes = results.map((result): string => (/^(?:<path>|git version)/.test(result) ? "done" : "refused"));
  expect(outcomes).toEqual(["done", "done", ...Array.from({ length: 5 }, () => "refused")]);
  expect(await project.exists("made")).toBe(false);
});
