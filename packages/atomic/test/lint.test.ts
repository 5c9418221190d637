import { expect, test } from "bun:test";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { lint } from "../src/commands/lint.ts";
import { atomic, contextIn } from "./atomic.ts";
import { sampleProject } from "./sample.ts";

const broken = {
  ".claude/agents/broken.md": "---\nname: broken\ndescription: Cannot be read\ntools: 7\n---\nx\n",
  ".agents/skills/Odd/SKILL.md": "---\nname: odd\ndescription: Has another name than its folder\n---\nx\n",
  "~/.claude/agents/mine.md": "---\nname: mine\ndescription: The user's own\ntools: 7\n---\nx\n",
};

test("a good project has nothing wrong", async () => {
  await using project = await sampleProject();
  const { stdout, stderr, code } = await atomic(project, ["lint"]);
  expect({ stdout, code }).toEqual({ stdout: "", code: 0 });
  expect(stderr).toMatch(/^6 files checked: no problems found(; \d+ notes? \(see --all\))?\n$/);
});

test("problems are grouped by file, with location, code and what to do", async () => {
  await using project = await sampleProject(broken);
  const { stdout, stderr, code } = await atomic(project, ["lint"]);
  expect(stdout).toMatch(
    /^\.agents\/skills\/Odd\/SKILL\.md:2:1: warning: .* \[skill-name-folder\]\n {2}\S.*\n\n\.claude\/agents\/broken\.md:4:1: error: "tools" cannot be read: .* \[tools-unparsable\]\n {2}\S.*\n$/,
  );
  expect(stderr).toMatch(/^8 files checked: 1 error, 1 warning/);
  expect(code).toBe(1);
});

test("workflow modules are parsed but never run", async () => {
  await using project = await sampleProject({
    ".atomic/workflows/broken.ts": "const one: number = 1;\nexport default (;\n",
    ".atomic/workflows/common.js": "module.exports = {};\n",
    ".atomic/workflows/loud.ts": "process.exit(3);\nexport default 1;\n",
    ".atomic/workflows/mute.ts": "export const graph = 1;\n",
    ".atomic/workflows/odd.js": "export const graph = {\n",
    ".atomic/workflows/typed.ts": "const one = 1 as number;\nexport { one as default };\n",
  });
  const { stdout, code } = await atomic(project, ["lint", "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: { path: string; line?: number; code: string }[] };
  const found = findings.filter((each) => each.code.startsWith("workflow-"));
  expect(found.map(({ path, line, code }) => [path.split("/").at(-1), line, code])).toEqual([
    ["broken.ts", 2, "workflow-syntax"],
    ["mute.ts", undefined, "workflow-no-default"],
    ["odd.js", expect.any(Number), "workflow-syntax"],
  ]);
  expect(code).toBe(1);
});

test("in a package of a monorepo, everything that is listed there is checked, but nothing of the user's", async () => {
  await using project = await tmpProject({
    files: {
      ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: One\ntools: 7\n---\n",
      "opencode.json": "{",
      "packages/app/.claude/settings.local.json": "{}",
      "packages/other/.claude/agents/other.md": "---\nname: other\ndescription: One\ntools: 7\n---\n",
      "~/.claude/agents/mine.md": broken["~/.claude/agents/mine.md"],
    },
  });
  const inApp = { cwd: "packages/app" };
  const { stdout, stderr, code } = await atomic(project, ["lint"], inApp);
  expect(stdout).toContain(".claude/agents/reviewer.md:4:1: error:");
  expect(stdout).toContain("opencode.json");
  expect(stdout).not.toMatch(/mine|other/);
  expect(stderr).toMatch(/^1 file checked: 2 errors/);
  expect(code).toBe(1);
  expect((await atomic(project, ["lint", "."], inApp)).stderr).toMatch(/^No agents.* in .*packages\/app\.\n$/);
});

test("warnings alone are not a failure", async () => {
  const { ".claude/agents/broken.md": _, ...harmless } = broken;
  await using project = await sampleProject(harmless);
  const { stderr, code } = await atomic(project, ["lint"]);
  expect(stderr).toMatch(/^7 files checked: 1 warning/);
  expect(code).toBe(0);
});

test("the user's files are checked on request", async () => {
  await using project = await sampleProject(broken);
  const { stdout, stderr } = await atomic(project, ["lint", "--user"]);
  expect(stdout).toContain("\n\n~/.claude/agents/mine.md:4:1: error: ");
  expect(stderr).toMatch(/^10 files checked: 2 errors, 1 warning/);
});

test("for one file, everything is shown, including how each tool reads it", async () => {
  await using project = await sampleProject(broken);
  const { stdout, stderr, code } = await atomic(project, ["lint", ".claude/agents/broken.md"]);
  expect(stdout).toStartWith(".claude/agents/broken.md");
  expect(stdout).toContain(`
agent claude:project/broken
  claude     loads it as agent broken
  opencode   does not read it: OpenCode does not look in .claude/agents.
`);
  expect(stderr).toMatch(/^1 file checked: 1 error/);
  expect(code).toBe(1);
});

test.each([
  [".claude", ["broken.md", "commit.md", "reviewer.md"]],
  [".claude/agents", ["broken.md", "reviewer.md"]],
  [".opencode/agents/planner.md", ["planner.md"]],
  ["~/.claude", ["commit.md", "mine.md"]],
  ["~/.claude/agents/mine.md", ["mine.md"]],
  ["src", []],
])("%s checks %j", async (path, expected) => {
  await using project = await sampleProject({ ...broken, "src/x.ts": "" });
  const asked = { path: project.path(path), user: false, all: false };
  const { files } = await lint.run(contextIn(project).context, asked);
  expect(files.map((file) => file.path.slice(file.path.lastIndexOf("/") + 1)).sort()).toEqual(expected);
});

test("a path is relative to the current folder and belongs to its own project", async () => {
  await using project = await tmpProject({
    git: false,
    files: Object.fromEntries(
      Object.entries(broken).map(([path, text]) => [`other/${path}`.replace("other/~", "~"), text]),
    ),
  });
  const { stdout } = await atomic(project, ["lint", "../other"], { cwd: "here" });
  expect(stdout).toStartWith("../other/.agents/skills/Odd/SKILL.md:2:1: ");
  const json = await atomic(project, ["lint", "../other/.claude/agents/broken.md", "--json"], { cwd: "here" });
  expect(JSON.parse(json.stdout).project).toBe(project.path("other"));
});

test("skills can be checked wherever they are", async () => {
  await using project = await tmpProject({
    git: false,
    files: { "package/skills/Odd/SKILL.md": broken[".agents/skills/Odd/SKILL.md"] },
  });
  const { stdout, stderr } = await atomic(project, ["lint", "package/skills/Odd/SKILL.md"]);
  expect(stdout).toMatch(/^package\/skills\/Odd\/SKILL\.md:2:1: warning: .*\n.*\n$/);
  expect(stderr).toBe("1 file checked: 1 warning\n");
});

test("the skills that come with atomic are not linted", async () => {
  await using project = await tmpProject({ git: false });
  const path = join(import.meta.dirname, "../../workflows");
  const { files } = await lint.run(contextIn(project).context, { path, user: false, all: false });
  expect(files).toEqual([]);
});

test("remarks are shown on request, and counted otherwise", async () => {
  const files = { ".claude/skills/x/SKILL.md": "---\nname: x\ndescription: x\ndisallowed-tools: Bash\n---\n" };
  await using project = await tmpProject({ git: false, files });
  const some = await atomic(project, ["lint"]);
  const all = await atomic(project, ["lint", "--all"]);
  expect(some.stdout).toBe("");
  const remarks = all.stdout.match(/: info: /g)?.length ?? 0;
  expect(remarks).toBeGreaterThan(0);
  const counted = remarks === 1 ? "1 note" : `${remarks} notes`;
  expect(some.stderr).toBe(`1 file checked: no problems found; ${counted} (see --all)\n`);
  expect(all.stderr).toBe(`1 file checked: ${counted}\n`);
});

test.each([
  [["lint"], "No agents, commands, skills or workflows in PROJECT.\n", 0],
  [["lint", "--user"], "No agents, commands, skills or workflows in PROJECT and HOME.\n", 0],
  [["lint", "src"], "No agents, commands, skills or workflows in PROJECT/src.\n", 0],
  [["lint", "README.md"], "No tool reads README.md as an agent, command, skill or workflow.\n", 1],
  [["lint", "nope"], "atomic: cannot read 'nope' (ENOENT)\nThe path is relative to the current folder.\n", 1],
  [["lint", "README.md/x"], "atomic: cannot read 'README.md/x' (ENOTDIR)\n", 1],
])("%j with nothing there says so", async (argv, expected, code) => {
  await using project = await tmpProject({ git: false, files: { "README.md": "# x\n", "src/x.ts": "" } });
  const ran = await atomic(project, argv);
  expect(ran.stderr).toStartWith(expected.replace("PROJECT", project.dir).replace("HOME", project.home));
  expect({ stdout: ran.stdout, code: ran.code }).toEqual({ stdout: "", code });
});

test("programs get findings and files as one document", async () => {
  await using project = await sampleProject(broken);
  const { stdout, stderr, code } = await atomic(project, ["lint", ".claude/agents/broken.md", "--json"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 1 });
  const path = project.path(".claude/agents/broken.md");
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({
    ok: false,
    error: {
      code: "lint-errors",
      message: expect.stringMatching(/^\d+ files? checked: \d+ errors?/),
      at: expect.stringMatching(/broken\.md:\d+:\d+$/),
      hint: "`findings` lists them all.",
    },
    version: 1,
    project: project.dir,
    home: project.home,
    target: { kind: "file", path },
    files: [
      {
        path,
        entities: [
          {
            type: "agent",
            qualifiedName: "claude:project/broken",
            readers: [
              { tool: "claude", loads: true, as: "broken", kind: "agent" },
              { tool: "opencode", loads: false },
              { tool: "copilot" },
            ],
          },
        ],
      },
    ],
  });
  expect(document.findings).toContainEqual({
    severity: "error",
    code: "tools-unparsable",
    message: expect.any(String),
    hint: expect.any(String),
    path,
    line: 4,
    column: 1,
    entity: "claude:project/broken",
  });
});
