import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { initializeWorkflowsSDK } from "@atomic/workflows/internal/entities/initialize";
import { viewAs } from "@atomic/workflows/internal/entities/tools/view-as";
import { which } from "../src/commands/which.ts";
import { readersIn } from "../src/entities/readers.ts";
import { atomic, contextIn } from "./atomic.ts";
import { sampleProject } from "./sample.ts";

const skill = (text = "x"): string => `---\ndescription: ${text}\n---\n`;

test("the winner comes first, with the reason, the restrictions and how each tool reads it", async () => {
  await using project = await sampleProject();
  const { stdout, stderr, code } = await atomic(project, ["which", "commit", "--type", "command"]);
  expect(stdout).toBe(`command claude:project/commit
  file       .claude/commands/commit.md
  wins       over claude:user/commit: project beats user
  about      Writes a commit message
  arguments  [arguments]
  tools      only bash(git:*), read
  claude     would load it as command commit, but uses claude:user/commit instead
  opencode   does not read it: OpenCode does not look in .claude/commands.
  copilot    loads it as skill commit

command claude:user/commit
  file       ~/.claude/commands/commit.md
  loses      to claude:project/commit: project beats user
  about      My own way to commit
  arguments  [message]
  tools      all
  claude     loads it as command commit
  opencode   does not read it: OpenCode does not look in .claude/commands.
  copilot    does not read it: GitHub Copilot does not look in .claude/commands.
`);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
});

test("a workflow's arguments are shown without running it", async () => {
  const text =
    'throw new Error("run");\nexport default defineGraph({ arguments: { version: { type: "rest", required: true } } });';
  await using project = await sampleProject({ ".atomic/workflows/release.ts": text });
  const { stdout } = await atomic(project, ["which", "release"]);
  expect(stdout).toContain("\n  arguments  <version>\n");
  const ralph = await atomic(project, ["which", "ralph"]);
  expect(ralph.stdout).toContain(
    "\n  arguments  --yolo <prompt> | --resume <run> | --max-iterations <n> | --tasks <path>\n",
  );
});

test("for what Hugo installed, the workflow is shown, by name and as JSON", async () => {
  const tree = `sha256:${"0".repeat(64)}`;
  const workflowOf = (name: string) => ({
    ...{ package: name, source: name, version: "1.0.0", tree, delivery: "plugin" },
    ...{ agents: ["writer"], commands: [], skills: [] },
  });
  const stored = (name: string): string =>
    `.opencode/.hugo/store/${name}-0000000000000000/node_modules/${name}/agents/writer.md`;
  await using project = await sampleProject({
    ".opencode/hugo.json": { version: 1, workflows: { docs: workflowOf("docs"), blog: workflowOf("blog") } },
    "opencode.json": { plugin: ["docs@1.0.0", "blog"] },
    [stored("docs")]: skill("Writes docs"),
    [stored("blog")]: skill("Writes posts"),
  });
  const { stdout } = await atomic(project, ["which", "writer"]);
  expect(stdout.split("\n")).toEqual(
    expect.arrayContaining([
      "  workflow   blog",
      `  wins       over hugo:project/writer@${stored("docs")}: blog sorts before docs by path`,
      "  workflow   docs",
    ]),
  );
  const json = JSON.parse((await atomic(project, ["which", "writer", "--json"])).stdout);
  expect(json.matches.map((match: { workflow?: string }) => match.workflow)).toEqual(["blog", "docs"]);
});

test("all types that have the name are shown, unless one is asked for", async () => {
  await using project = await sampleProject();
  const { context } = contextIn(project);
  const all = await which.run(context, { name: "commit", type: [] });
  expect(all.matches.map(({ type, qualifiedName }) => `${type} ${qualifiedName}`)).toEqual([
    "command claude:project/commit",
    "command claude:user/commit",
    "skill atomic:builtin/commit",
  ]);
  const skills = await which.run(context, { name: "commit", type: ["skill"] });
  expect(skills.matches.map(({ qualifiedName }) => qualifiedName)).toEqual(["atomic:builtin/commit"]);
});

test.each([
  ["Reviewer", "claude:project/reviewer"],
  ["@reviewer", "claude:project/reviewer"],
  ["/ship", "opencode:project/ship"],
  ["claude:user/commit", "claude:user/commit"],
  ["CLAUDE:user/Commit", "claude:user/commit"],
])("%s leads to %s", async (name, expected) => {
  await using project = await sampleProject();
  const { matches } = await which.run(contextIn(project).context, { name, type: [] });
  expect(matches.map(({ qualifiedName }) => qualifiedName)).toEqual([expected]);
});

test.each([
  [
    "project beats user",
    { ".claude/skills/x/SKILL.md": skill(), "~/.claude/skills/x/SKILL.md": skill() },
    "claude:project/x",
    "claude:user/x",
  ],
  [
    "user beats builtin",
    { "~/.claude/skills/commit/SKILL.md": skill() },
    "claude:user/commit",
    "atomic:builtin/commit",
  ],
  [
    "copilot beats claude",
    { ".github/skills/x/SKILL.md": skill(), ".claude/skills/x/SKILL.md": skill() },
    "copilot:project/x",
    "claude:project/x",
  ],
  [
    ".opencode/skills beats .opencode/skill",
    { ".opencode/skills/x/SKILL.md": skill(), ".opencode/skill/x/SKILL.md": skill() },
    "opencode:project/x",
    "opencode:project/x@.opencode/skill/x/SKILL.md",
  ],
  [
    "a/x/SKILL.md sorts before b/x/SKILL.md by path",
    { ".agents/skills/b/x/SKILL.md": skill(), ".agents/skills/a/x/SKILL.md": skill() },
    "agent-skills:project/x",
    "agent-skills:project/x@.agents/skills/b/x/SKILL.md",
  ],
])("%s", async (because, files, winner, loser) => {
  await using project = await tmpProject({ git: false, files });
  const name = winner.slice(winner.indexOf("/") + 1);
  const { matches } = await which.run(contextIn(project).context, { name, type: ["skill"] });
  expect(matches.map(({ qualifiedName, standing }) => ({ qualifiedName, standing }))).toEqual([
    { qualifiedName: winner, standing: { kind: "winner", over: loser, because } },
    { qualifiedName: loser, standing: { kind: "shadowed", by: winner, because } },
  ]);
});

test("two entries of one config file are distinguished", async () => {
  const files = { "opencode.json": { agent: { x: { prompt: "a" } }, mode: { x: { prompt: "b" } } } };
  await using project = await tmpProject({ git: false, files });
  const { matches } = await which.run(contextIn(project).context, { name: "x", type: [] });
  expect(matches[1]?.standing).toMatchObject({ kind: "shadowed", because: "agent.x sorts before mode.x by name" });
  const { stdout } = await atomic(project, ["which", "x"]);
  expect(stdout).toContain("  file       opencode.json agent.x\n");
});

test("a name takes precedence over an alias", async () => {
  const files = {
    ".atomic/skills/x/SKILL.md": skill(),
    ".claude/skills/y/SKILL.md": "---\nname: y\ndescription: y\naliases: [x]\n---\n",
  };
  await using project = await tmpProject({ git: false, files });
  const { stdout } = await atomic(project, ["which", "x"]);
  expect(stdout).toContain(
    "skill atomic:project/x\n  file       .atomic/skills/x/SKILL.md\n  wins       the only skill",
  );
  expect(stdout).toContain(
    '  loses      to atomic:project/x: "x" is only an alias here; a name takes precedence over an alias\n',
  );
});

test("an alias resolves to the winner of its target name", async () => {
  const files = {
    ".claude/skills/y/SKILL.md": skill(),
    "~/.claude/skills/y/SKILL.md": "---\nname: y\ndescription: y\naliases: [why]\n---\n",
  };
  await using project = await tmpProject({ git: false, files });
  const { matches } = await which.run(contextIn(project).context, { name: "why", type: [] });
  expect(matches.map(({ qualifiedName, standing }) => ({ qualifiedName, standing }))).toEqual([
    { qualifiedName: "claude:project/y", standing: { kind: "answers-alias" } },
    {
      qualifiedName: "claude:user/y",
      standing: { kind: "beaten-alias", by: "claude:project/y", because: "project beats user" },
    },
  ]);
  const { stdout } = await atomic(project, ["which", "why"]);
  expect(stdout).toContain('  wins       "why" is an alias for y\n');
});

test("a disabled entity says why, and its problems are reported with their positions", async () => {
  await using project = await sampleProject({ ".claude/agents/broken.md": "---\nname: broken\ntools: 7\n---\n" });
  const { stdout, stderr, code } = await atomic(project, ["which", "broken"]);
  expect(stdout).toContain('  disabled   "tools" cannot be read');
  expect(stdout).not.toContain("  tools  ");
  expect(stderr).toStartWith(".claude/agents/broken.md:3:1: error: ");
  expect(code).toBe(0);
});

test("a tool that does not start because of another file is reported", async () => {
  await using project = await sampleProject({ "opencode.json": { agent: { odd: { mode: "no such mode" } } } });
  const { stdout } = await atomic(project, ["which", "ship"]);
  expect(stdout).toMatch(/^ {2}opencode {3}would load it as command ship, but cannot start because of .*odd/m);
});

test.each([
  [["which", "comit"], 'Nothing is called "comit" (did you mean "commit"?)'],
  [["which", "plannr", "--type", "agent"], 'No agent is called "plannr" (did you mean "planner"?)'],
  [["which", "/shi"], 'Nothing is called "/shi" (did you mean "ship"?)'],
  [["which", "claude:user/comit"], '(did you mean "claude:user/commit"?)'],
  [["which", "planner", "--type", "skill", "--type", "command"], 'No skill or command is called "planner"'],
  [["which", "zzzzzz"], 'Nothing is called "zzzzzz"\n'],
])("%j gets a suggestion", async (argv, expected) => {
  await using project = await sampleProject();
  const { stdout, stderr, code } = await atomic(project, argv);
  expect(stderr).toContain(expected);
  expect(stderr).toEndWith(`Looked in ${project.dir} and in ${project.home}; \`atomic entities\` lists everything.\n`);
  expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
});

test("programs also learn why there is no answer", async () => {
  await using project = await sampleProject();
  const { stdout, stderr, code } = await atomic(project, ["which", "comit", "--json"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
  expect(JSON.parse(stdout)).toMatchObject({
    ok: false,
    error: {
      code: "entity-not-found",
      message: 'Nothing is called "comit" (did you mean "commit"?)',
      hint: `Looked in ${project.dir} and in ${project.home}; \`atomic entities\` lists everything.`,
    },
    matches: [],
    suggestions: ["commit"],
  });
});

test("programs get the same answers as one document", async () => {
  await using project = await sampleProject();
  const found = await atomic(project, ["which", "reviewer", "--json"]);
  expect(JSON.parse(found.stdout)).toMatchObject({
    version: 1,
    name: "reviewer",
    project: project.dir,
    home: project.home,
    matches: [
      {
        type: "agent",
        name: "reviewer",
        qualifiedName: "claude:project/reviewer",
        standing: { kind: "only" },
        readers: [
          { tool: "claude", loads: true, as: "reviewer", kind: "agent" },
          { tool: "opencode", loads: false },
          { tool: "copilot", loads: true, as: "reviewer", kind: "agent" },
        ],
        diagnostics: [],
      },
    ],
    suggestions: [],
  });
  const missing = await atomic(project, ["which", "reviewr", "--json"]);
  expect(JSON.parse(missing.stdout)).toMatchObject({ matches: [], suggestions: ["reviewer"] });
  expect([found.code, missing.code]).toEqual([0, 1]);
  expect(found.stderr + missing.stderr).toBe("");
});

test("long answers wrap between words to fit a terminal", async () => {
  await using project = await sampleProject();
  const { stdout } = await atomic(project, ["which", "planner"], { columns: 50 });
  expect(stdout).toContain(`  tools      after asking bash; never edit, write,
             patch
`);
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(50);
});

test.each([
  ["cut off", '{ "version": 1, "workflows": {', "1:31"],
  ["an unfinished merge", '{\n<<<<<<< HEAD\n  "version": 1\n', "2:1"],
])("an unknown name is reported with the lock that may contain it: %s", async (_, lock, place) => {
  await using project = await sampleProject({ ".opencode/hugo.json": lock });
  const which = await atomic(project, ["which", "implement"]);
  expect(which).toMatchObject({ code: 1, stdout: "" });
  expect(which.stderr).toContain('Nothing is called "implement"');
  expect(which.stderr).toContain(`.opencode/hugo.json:${place}`);
  expect(which.stderr).toContain("git checkout");
  const at = `${project.path(".opencode/hugo.json")}:${place}`;
  const json = JSON.parse((await atomic(project, ["which", "implement", "--json"])).stdout);
  expect(json.error).toMatchObject({ code: "entity-not-found", at });
  expect(json.unread).toMatchObject([{ code: "hugo-lock-invalid", path: project.path(".opencode/hugo.json") }]);
  for (const command of ["graph", "run"]) {
    const { code, stdout } = await atomic(project, [command, "implement", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "entity-not-found",
      message: expect.stringContaining('Workflow not found: "implement"'),
      at,
      hint: expect.stringContaining("git checkout"),
    });
  }
});

test("a file that cannot be read wins its name, disabled, over the user's unrestricted namesake", async () => {
  await using project = await tmpProject({
    files: { ".claude/commands/deploy.md": "", "~/.claude/commands/deploy.md": skill("Mine") },
  });
  const file = project.path(".claude/commands/deploy.md");
  const broken: Readonly<Record<string, () => void>> = {
    "no UTF-8": () => writeFileSync(file, Buffer.from([0x2d, 0xff, 0xfe, 0x0a])),
    "too long": () => writeFileSync(file, "x".repeat(1024 * 1024 + 1)),
    "a link to nothing": () => symlinkSync("nothing", file),
    "a link to itself": () => symlinkSync("deploy.md", file),
    "a FIFO": () => void execFileSync("mkfifo", [file]),
  };
  for (const [how, make] of Object.entries(broken)) {
    rmSync(file, { force: true });
    make();
    const { stdout, stderr, code } = await atomic(project, ["which", "deploy"]);
    expect([how, code, stdout.split("\n")[0]]).toEqual([how, 0, "command claude:project/deploy"]);
    expect(stderr).toStartWith(".claude/commands/deploy.md");
    expect(stdout).toContain("disabled");
    const { matches } = JSON.parse((await atomic(project, ["which", "deploy", "--json"])).stdout);
    expect([how, matches.length]).toEqual([how, 2]);
  }
});

test("a name that nothing has says which folders were searched, above the project and where variables lead, too", async () => {
  await using project = await tmpProject({
    files: { ".claude/agents/a.md": "x", "packages/app/.claude/agents/b.md": "x", "packages/README.md": "x" },
  });
  const env = { CLAUDE_CONFIG_DIR: "/elsewhere/claude", XDG_CONFIG_HOME: join(project.home, "config") };
  const { stderr } = await atomic(project, ["which", "nobody"], { cwd: "packages/app", env });
  const looked = `${project.path("packages/app")}, in ${project.dir}, in ${project.home} and in /elsewhere/claude`;
  expect(stderr).toEndWith(`Looked in ${looked}; \`atomic entities\` lists everything.\n`);
});

test("completion offers every known name", async () => {
  await using project = await sampleProject();
  const { stdout, code } = await atomic(project, ["__complete", "which", ""]);
  expect(code).toBe(0);
  expect(stdout.split("\n").filter((line) => line.split("\t")[0] === "commit")).toHaveLength(1);
});

test("looking only at possible namesakes shows what looking at every file would show", async () => {
  const head = (text: string): string => `---\n${text}\n---\nBody\n`;
  await using project = await tmpProject({
    git: false,
    files: {
      ".claude/skills/one/SKILL.md": head("name: two\ndescription: A"),
      ".claude/skills/two/SKILL.md": head("name: My Two\ndescription: B"),
      ".claude/commands/one.md": head("description: C"),
      ".claude/commands/my-two.md": head("description: D"),
      ".claude/commands/a/b.md": head("description: E"),
      ".claude/commands/a/b/SKILL.md": head("name: other\ndescription: F"),
      ".agents/skills/x/SKILL.md": head("name: TWO\ndescription: G"),
      ".agents/skills/y/SKILL.md": head("name: two\ndescription: H"),
      ".github/agents/a/b.md": head("name: same\ndescription: I"),
      ".github/agents/a--b.agent.md": head("name: same\ndescription: J"),
      ".claude/agents/same.md": head("name: same\ndescription: K"),
      ".claude/agents/b.md": head("name: same\ndescription: [broken"),
    },
  });
  const registry = await initializeWorkflowsSDK({ projectPath: project.dir, userPath: project.home });
  const all = registry.entries();
  const readersOf = await readersIn(registry);
  const shadowed: string[] = [];
  for (const tool of ["claude", "opencode", "copilot"] as const) {
    const { agents, commands, skills } = viewAs(tool, all);
    for (const entry of [...agents, ...commands, ...skills]) {
      for (const entity of [entry.entity, ...entry.shadowed]) {
        const by = readersOf(entity).find((reader) => reader.tool === tool)?.shadowedBy;
        expect(by).toBe(entity === entry.entity ? undefined : registry.qualifiedName(entry.entity));
        if (by !== undefined) shadowed.push(tool);
      }
    }
  }
  expect(new Set(shadowed)).toEqual(new Set(["claude", "opencode", "copilot"]));
});
