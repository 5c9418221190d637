import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { entities } from "../src/commands/entities.ts";
import { atomic, contextIn } from "./atomic.ts";
import { sampleProject } from "./sample.ts";

const everything = { type: [], provider: [], shadowed: false, verbose: false, stats: false } as const;

test.each([
  [{}, ["agent planner", "agent reviewer", "command commit", "command ship", "skill tidy", "workflow release"]],
  [{ type: ["agent"] }, ["agent planner", "agent reviewer"]],
  [{ type: ["workflow", "skill"] }, ["skill tidy", "workflow release"]],
  [{ provider: ["opencode"] }, ["agent planner", "command ship"]],
  [{ provider: ["opencode", "claude"], type: ["agent"] }, ["agent planner", "agent reviewer"]],
  [{ provider: ["copilot"] }, []],
  [{ shadowed: true }, ["command commit"]],
  [{ shadowed: true, type: ["agent"] }, []],
  [{ shadowed: true, provider: ["claude"] }, ["command commit"]],
] as const)("asked for %j it lists %j", async (asked, expected) => {
  await using project = await sampleProject();
  const result = await entities.run(contextIn(project).context, { ...everything, ...asked });
  const own = result.entities.filter(({ location }) => location !== "builtin");
  expect(own.map(({ type, name }) => `${type} ${name}`)).toEqual([...expected]);
});

test("an entity is described by data that programs can rely on", async () => {
  await using project = await sampleProject();
  const { stdout, stderr, code } = await atomic(project, ["entities", "--type", "agent", "--json"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(JSON.parse(stdout)).toEqual({
    ok: true,
    version: 1,
    project: project.dir,
    home: project.home,
    entities: [
      {
        type: "agent",
        name: "planner",
        displayName: "planner",
        qualifiedName: "opencode:project/planner",
        provider: "opencode",
        location: "project",
        path: project.path(".opencode/agents/planner.md"),
        description: "Plans before anybody writes",
        aliases: [],
        restrictions: { ask: [{ tool: "bash" }], deny: [{ tool: "edit" }, { tool: "write" }, { tool: "patch" }] },
      },
      {
        type: "agent",
        name: "reviewer",
        displayName: "reviewer",
        qualifiedName: "claude:project/reviewer",
        provider: "claude",
        location: "project",
        path: project.path(".claude/agents/reviewer.md"),
        description: "Reviews a change and lists its risks",
        aliases: [],
        model: "sonnet",
        modelId: "sonnet",
        restrictions: { allow: [{ tool: "read" }, { tool: "grep" }, { tool: "bash", pattern: "git diff:*" }] },
      },
    ],
    diagnostics: [],
  });
});

test("a shadowed entity says which one wins and why", async () => {
  await using project = await sampleProject();
  const { stdout } = await atomic(project, ["entities", "--shadowed", "--json"]);
  expect(JSON.parse(stdout).entities).toMatchObject([
    {
      qualifiedName: "claude:user/commit",
      shadowedBy: { qualifiedName: "claude:project/commit", because: "project beats user" },
    },
  ]);
});

test("a pipe gets aligned, unabridged lines, and the summary goes to stderr", async () => {
  await using project = await sampleProject({
    ".claude/agents/long.md": `---\nname: a-long-name\ndescription: ${"word ".repeat(50)}end\n---\n`,
  });
  const { stdout, stderr, code } = await atomic(project, ["entities", "--type", "agent", "--type", "workflow"]);
  expect(stdout.split("\n")).toEqual([
    "TYPE      NAME         FROM              DESCRIPTION",
    `agent     a-long-name  claude:project    ${"word ".repeat(50)}end`,
    "agent     planner      opencode:project  Plans before anybody writes",
    "agent     reviewer     claude:project    Reviews a change and lists its risks",
    expect.stringMatching(/^workflow {2}ralph {8}atomic:builtin {4}Works through a tasks\.json/),
    "workflow  release      atomic:project",
    "",
  ]);
  expect(stderr).toBe("5 entities: 3 agents, 2 workflows\n");
  expect(code).toBe(0);
});

test("a terminal gets lines that fit it", async () => {
  await using project = await sampleProject();
  const { stdout, stderr } = await atomic(project, ["entities", "--type", "agent"], { columns: 48 });
  expect(stdout).toBe(
    [
      "TYPE   NAME      FROM              DESCRIPTION",
      "agent  planner   opencode:project  Plans before…",
      "agent  reviewer  claude:project    Reviews a ch…",
      "",
    ].join("\n"),
  );
  expect(stderr).toBe("\n2 entities: 2 agents\n");
});

test("shadowed entities are counted, and listed on request", async () => {
  await using project = await sampleProject();
  const listed = await atomic(project, ["entities", "--type", "command"]);
  expect(listed.stderr).toBe("2 entities: 2 commands; 1 shadowed (see --shadowed)\n");
  const shadowed = await atomic(project, ["entities", "--shadowed"]);
  expect(shadowed.output).toBe(
    [
      "TYPE     SHADOWED            BY                     BECAUSE",
      "command  claude:user/commit  claude:project/commit  project beats user",
      "1 shadowed: 1 command",
      "",
    ].join("\n"),
  );
});

test("--verbose counts what was registered from each format, winners and losers, and what is built in", async () => {
  await using project = await sampleProject();
  const { stdout, stderr } = await atomic(project, ["entities", "--type", "agent", "--verbose"]);
  expect(stdout).not.toContain("Registered");
  expect(stderr.split("\n")).toEqual([
    "2 entities: 2 agents",
    "[workflows] Registered 1 entity from atomic (1 workflow)",
    "[workflows] Registered 0 entities from copilot",
    "[workflows] Registered 2 entities from opencode (1 command, 1 agent)",
    "[workflows] Registered 3 entities from claude (2 commands, 1 agent)",
    "[workflows] Registered 1 entity from agent-skills (1 skill)",
    "[workflows] Registered 0 entities from hugo",
    "[workflows] Registered 8 builtin entities (7 skills, 1 workflow)",
    "",
  ]);
  const json = JSON.parse((await atomic(project, ["entities", "--provider", "claude", "--verbose", "--json"])).stdout);
  expect(json.registrations).toEqual([
    { from: "claude", entities: 3, byType: { skill: 0, command: 2, agent: 1, workflow: 0 } },
  ]);
});

test("--stats shows what the registry was asked for, and what came from its cache", async () => {
  await using project = await sampleProject();
  const { stderr } = await atomic(project, ["entities", "--type", "agent", "--stats"]);
  expect(stderr).toMatch(
    /^2 entities: 2 agents\n\d+ lookups, \d+ found, \d+\.\d µs each; \d+ of \d+ sorted lists of names from the cache\n$/,
  );
  const { stats, entities: listed } = JSON.parse((await atomic(project, ["entities", "--stats", "--json"])).stdout);
  // One for each entity that is listed, and two for the one that is shadowed: it, and what shadows it.
  expect(stats).toMatchObject({ lookups: listed.length + 2, found: listed.length + 2 });
  expect(stats.lookupMs).toBeGreaterThan(0);
  expect(stats.sortedNamesCached).toBeGreaterThan(0);
  expect(stats.sortedNamesCached).toBeLessThan(stats.sortedNames);
  const plain = JSON.parse((await atomic(project, ["entities", "--json"])).stdout);
  expect([plain.stats, plain.registrations]).toEqual([undefined, undefined]);
});

test("a broken file is reported with its position, and the others are still listed", async () => {
  await using project = await sampleProject({ ".claude/agents/broken.md": "---\nname: broken\ntools: 7\n---\n" });
  const { stdout, stderr, code } = await atomic(project, ["entities", "--type", "agent"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^agent {2}broken {4}claude:project {4}disabled: "tools" cannot be read/m);
  expect(stdout).toMatch(/^agent {2}reviewer/m);
  expect(stderr).toMatch(
    /^\.claude\/agents\/broken\.md:3:1: error: "tools" cannot be read: .* \[tools-unparsable\]\n {2}\S/,
  );
  expect(stderr).toEndWith("3 entities: 3 agents; 1 error (see `atomic lint`)\n");
});

test("an unreadable config file is also reported", async () => {
  await using project = await sampleProject({ "opencode.json": '{\n  "agent": {,}\n}\n' });
  const { stderr, code } = await atomic(project, ["entities"]);
  expect(stderr).toMatch(/^opencode\.json:2:13: error: /);
  expect(code).toBe(0);
});

test.each([
  [
    ["--provider", "copilot", "--type", "agent"],
    "No agents from copilot found.\nLooked in .github/agents, ~/.copilot/agents; the project is PROJECT.\n",
  ],
  [
    ["--provider", "hugo", "--type", "skill"],
    "No skills from hugo found.\nLooked in .opencode/hugo.json, ~/.config/opencode/hugo.json; the project is PROJECT.\n",
  ],
  [
    ["--provider", "claude", "--type", "workflow"],
    "No workflows from claude found.\nFiles of that kind are not supported yet; the project is PROJECT.\n",
  ],
  [["--type", "workflow", "--shadowed"], "No workflows are shadowed.\n"],
] as const)("with nothing to list for %j it says what it looked for and where", async (argv, expected) => {
  await using project = await tmpProject({ git: false });
  const { stdout, stderr, code } = await atomic(project, ["entities", ...argv]);
  expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: expected.replace("PROJECT", project.dir), code: 0 });
});

test("a shadowed name is not reported as missing", async () => {
  await using project = await tmpProject({
    git: false,
    files: {
      ".atomic/skills/x/SKILL.md": "x",
      ".github/skills/x/SKILL.md": "---\nname: x\ndescription: X\n---\n",
    },
  });
  const { stderr } = await atomic(project, ["entities", "--provider", "copilot"]);
  expect(stderr).toStartWith("No entities from copilot found, but 1 shadowed (see --shadowed).\n");
});

test("a subfolder shows the project's entities", async () => {
  await using project = await sampleProject({ "src/deep/file.ts": "" });
  const { stdout } = await atomic(project, ["entities", "--json"], { cwd: "src/deep" });
  expect(JSON.parse(stdout).project).toBe(project.dir);
});

test("what no tool reads is neither listed nor a type; which and lint still explain it", async () => {
  await using project = await tmpProject({
    files: {
      ".claude/agents/README.md": "# About these agents\n",
      ".claude/agents/empty.md": "",
      ".claude/agents/real.md": "---\nname: real\ndescription: One\n---\n",
      // Claude Code drops the first; Copilot reads both. A file that cannot be understood keeps its name.
      ".claude/agents/nameless.md": "---\ndescription: One\n---\n",
      ".claude/agents/latin.md": Buffer.from([0x2d, 0xff, 0xfe]),
      ".opencode/agents/plain.md": "OpenCode needs no frontmatter.\n",
      ".atomic/agents/own.md": "Nor does Atomic.\n",
    },
  });
  symlinkSync("nowhere", project.path(".claude/agents/dead.md"));
  execFileSync("mkfifo", [project.path(".claude/agents/pipe.md")]);
  const listed = JSON.parse((await atomic(project, ["entities", "--type", "agent", "--json"])).stdout).entities;
  const names = ["latin", "nameless", "own", "plain", "real"];
  expect(listed.map(({ name }: { name: string }) => name).toSorted()).toEqual(names);
  const types = JSON.parse((await atomic(project, ["types", "--json"])).stdout);
  expect(types.names.agent).toEqual(names);
  expect((await atomic(project, ["which", "README"])).stdout).toContain(".claude/agents/README.md");
  expect((await atomic(project, ["lint"])).stdout).toMatch(
    /dead\.md: error[\s\S]*empty\.md: warning[\s\S]*pipe\.md: error/,
  );
});

test("in a package of a monorepo, the repository's entities are listed with their folder, and the nearest wins", async () => {
  const agent = (name: string): string => `---\nname: ${name}\ndescription: One\n---\n`;
  await using project = await tmpProject({
    files: {
      ".claude/agents/reviewer.md": agent("reviewer"),
      ".claude/agents/writer.md": agent("writer"),
      "packages/app/.claude/agents/reviewer.md": agent("reviewer"),
    },
  });
  const inApp = { cwd: "packages/app" };
  const { stdout } = await atomic(project, ["entities", "--type", "agent"], inApp);
  expect(stdout).toMatch(/^agent {2}reviewer {2}claude:project {11}One$/m);
  expect(stdout).toMatch(/^agent {2}writer {4}claude:project in \.\.\/\.\. {2}One$/m);
  const shadowed = JSON.parse((await atomic(project, ["entities", "--shadowed", "--json"], inApp)).stdout).entities;
  expect(shadowed).toMatchObject([
    {
      qualifiedName: "claude:project/reviewer@../../.claude/agents/reviewer.md",
      folder: project.dir,
      shadowedBy: { qualifiedName: "claude:project/reviewer", because: "a nearer folder beats one farther up" },
    },
  ]);
  const which = (await atomic(project, ["which", "reviewer"], inApp)).stdout;
  expect(which).toContain("file       ../../.claude/agents/reviewer.md");
});

test("a list of where it looked follows the variables that move a home folder", async () => {
  await using project = await tmpProject();
  const asked = ["entities", "--provider", "copilot", "--type", "agent"];
  const { stderr } = await atomic(project, asked, { env: { COPILOT_HOME: "/nowhere/copilot" } });
  expect(stderr).toContain("Looked in .github/agents, /nowhere/copilot/agents;");
});
