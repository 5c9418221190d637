// For each rule, files on which it fires, where exactly, and the nearest ones on which it stays quiet.

export interface LintCase {
  readonly fires: Readonly<Record<string, string>>;
  /** `file:line:column`, or the file alone. */
  readonly at: readonly string[];
  readonly quiet: readonly Readonly<Record<string, string>>[];
}

function skill(head: string, body = "Do it."): string {
  return `---\n${head}\n---\n${body}\n`;
}

const good = "name: x\ndescription: Does x";

/** One skill in the folder for all tools. */
function portable(head: string, body?: string): Record<string, string> {
  return { ".agents/skills/x/SKILL.md": skill(head, body) };
}

function agents(folder: string, count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, i) => `a${i}`);
  return Object.fromEntries(names.map((name) => [`${folder}/${name}.md`, skill(`name: ${name}\ndescription: One`)]));
}

export const cases: Readonly<Record<string, LintCase>> = {
  "stops-tool": {
    fires: {
      ".opencode/agents/a.md": skill("description: A\nmode: everything"),
      ".opencode/commands/template.md": skill("description: {{DESCRIPTION}}"),
    },
    at: [".opencode/agents/a.md", ".opencode/commands/template.md"],
    quiet: [
      { ".opencode/agents/a.md": skill("description: A\nmode: subagent") },
      { ".opencode/commands/template.md": skill('description: "{{DESCRIPTION}}"\nwhimsy: {{ other.one }}') },
    ],
  },
  "agents-too-many": {
    fires: agents(".github/agents", 101),
    at: [".github/agents"],
    quiet: [
      agents(".github/agents", 100),
      { ...agents(".github/agents", 60), ...agents(".claude/agents", 60) },
      agents(".opencode/agents", 101),
    ],
  },
  "not-loaded": {
    fires: {
      ".claude/agents/nameless.md": skill("description: Has no name"),
      ".github/agents/mute.md": skill("name: mute"),
      ".agents/skills/x/SKILL.md": "No frontmatter at all.",
    },
    at: [".agents/skills/x/SKILL.md", ".claude/agents/nameless.md", ".github/agents/mute.md"],
    quiet: [
      { ".claude/agents/a.md": skill("name: a\ndescription: A") },
      { ".opencode/agents/off.md": skill("description: Switched off on purpose\ndisable: true") },
      { ".atomic/agents/a.md": "Only Atomic's." },
      { ".claude/agents/team/README.md": "# The team\n", ".github/agents/readme.md": "About these agents.\n" },
    ],
  },
  "not-loaded-elsewhere": {
    fires: { ".claude/skills/x/SKILL.md": skill("description: Claude Code needs no name") },
    at: [".claude/skills/x/SKILL.md"],
    quiet: [{ ".claude/skills/x/SKILL.md": skill(good) }, { ".claude/agents/nameless.md": "Nobody loads it." }],
  },
  "loaded-oddly": {
    fires: { ".claude/skills/x/SKILL.md": skill(`${good}\nuser-invocable: false`) },
    at: [".claude/skills/x/SKILL.md"],
    quiet: [{ ".claude/skills/x/SKILL.md": skill(`${good}\nuser-invocable: true`) }],
  },
  "file-unread": {
    fires: {
      ".claude/skills/flat.md": "Not in a folder.",
      ".opencode/skills/small/skill.md": "Small letters.",
      ".claude/agent/a.md": "Singular.",
      ".github/prompts/p.prompt.md": "VS Code only.",
      ".agents/commands/c.md": "Skills only.",
      ".claude/agents/team/CAPITALS.MD": skill("name: a\ndescription: A"),
      ".claude/skills/x/SKILL.MD": skill(good),
      ".opencode/command/capitals.MD": skill("description: A"),
    },
    at: [
      ".agents/commands/c.md",
      ".claude/agent/a.md",
      ".claude/agents/team/CAPITALS.MD",
      ".claude/skills/flat.md",
      ".claude/skills/x/SKILL.MD",
      ".github/prompts/p.prompt.md",
      ".opencode/command/capitals.MD",
      ".opencode/skills/small/skill.md",
    ],
    quiet: [
      {
        ".claude/skills/README.md": "About these skills.",
        ".claude/skills/THIRD_PARTY_NOTICES.md": "Who wrote these skills.",
        ".github/workflows/ci.md": "",
        ".opencode/agent/a.md": "Body",
      },
      { ".claude/skills/x/SKILL.md": skill(good), ".claude/skills/x/REFERENCE.MD": "Details." },
    ],
  },

  "skill-name-missing": {
    fires: portable("description: Does x"),
    at: [".agents/skills/x/SKILL.md"],
    quiet: [
      portable(good),
      // The name may be in the part that cannot be read.
      portable("description: [broken"),
      { ".claude/commands/x.md": "Not a skill." },
    ],
  },
  "skill-name-length": {
    fires: portable(`name: ${"x".repeat(65)}\ndescription: Long`),
    at: [".agents/skills/x/SKILL.md:2:1"],
    quiet: [{ [`.agents/skills/${"x".repeat(64)}/SKILL.md`]: skill(`name: ${"x".repeat(64)}\ndescription: Long`) }],
  },
  "skill-name-pattern": {
    fires: {
      ".agents/skills/Big/SKILL.md": skill("description: Big\nname: Big"),
      ".agents/skills/a--b/SKILL.md": skill("name: a--b\ndescription: Two dashes"),
      ".agents/skills/7/SKILL.md": skill("name: 7\ndescription: A number"),
    },
    at: [".agents/skills/7/SKILL.md:2:1", ".agents/skills/Big/SKILL.md:3:1", ".agents/skills/a--b/SKILL.md:2:1"],
    quiet: [{ ".agents/skills/a-7/SKILL.md": skill("name: a-7\ndescription: Fine") }],
  },
  "skill-name-folder": {
    fires: { ".claude/skills/folder/SKILL.md": skill(good) },
    at: [".claude/skills/folder/SKILL.md:2:1"],
    quiet: [
      { ".claude/skills/x/SKILL.md": skill(good) },
      { ".claude/agents/file.md": skill("name: x\ndescription: X") },
    ],
  },
  "skill-description-missing": {
    fires: {
      ".agents/skills/x/SKILL.md": skill("name: x"),
      ".agents/skills/y/SKILL.md": skill('name: y\ndescription: " "'),
    },
    at: [".agents/skills/x/SKILL.md", ".agents/skills/y/SKILL.md:3:1"],
    quiet: [portable(good), { ".opencode/agents/a.md": "An agent." }],
  },
  "skill-description-length": {
    fires: portable(`name: x\ndescription: ${"x".repeat(1025)}`),
    at: [".agents/skills/x/SKILL.md:3:1"],
    quiet: [
      portable(`name: x\ndescription: ${"x".repeat(1024)}`),
      portable(`name: x\ndescription: ${"😀".repeat(1024)}`),
    ],
  },
  "skill-compatibility": {
    fires: {
      ".agents/skills/x/SKILL.md": skill(`${good}\ncompatibility: ${"x".repeat(501)}`),
      ".agents/skills/y/SKILL.md": skill("name: y\ndescription: Y\ncompatibility: [git]"),
    },
    at: [".agents/skills/x/SKILL.md:4:1", ".agents/skills/y/SKILL.md:4:1"],
    quiet: [portable(`${good}\ncompatibility: ${"x".repeat(500)}`), portable(good)],
  },
  "skill-metadata": {
    fires: {
      ".agents/skills/x/SKILL.md": skill(`${good}\nmetadata:\n  author: me\n  version: 1.0`),
      ".agents/skills/y/SKILL.md": skill("name: y\ndescription: Y\nmetadata: mine"),
    },
    at: [".agents/skills/x/SKILL.md:6:3", ".agents/skills/y/SKILL.md:4:1"],
    quiet: [portable(`${good}\nmetadata:\n  author: me\n  version: "1.0"`)],
  },
  "skill-allowed-tools": {
    fires: {
      ".agents/skills/x/SKILL.md": skill(`${good}\nallowed-tools: Read, Grep`),
      ".claude/skills/y/SKILL.md": skill("name: y\ndescription: Y\nallowed-tools: { Read: true }"),
    },
    at: [".agents/skills/x/SKILL.md:4:1", ".claude/skills/y/SKILL.md:4:1"],
    quiet: [
      portable(`${good}\nallowed-tools: Read Bash(git add:*, git commit:*)`),
      portable(`${good}\nallowed-tools: [Read, Grep]`),
      { ".claude/skills/x/SKILL.md": skill(`${good}\nallowed-tools: Read, Grep`) },
    ],
  },
  "skill-body-long": {
    fires: portable(good, "line\n".repeat(500)),
    at: [".agents/skills/x/SKILL.md"],
    quiet: [portable(good, "line\n".repeat(499)), { ".claude/commands/x.md": "line\n".repeat(600) }],
  },

  "key-misspelled": {
    fires: { ".claude/commands/x.md": skill("descripton: X\nargument-hnit: y") },
    at: [".claude/commands/x.md:2:1", ".claude/commands/x.md:3:1"],
    quiet: [{ ".claude/commands/x.md": skill("description: X\nargument-hint: y") }],
  },
  "key-foreign": {
    fires: {
      ".claude/agents/a.md": skill("name: a\ndescription: A\nmode: subagent\nargument-hint: x"),
      ".opencode/commands/x.md": skill("description: X\nallowed-tools: Read"),
    },
    at: [".claude/agents/a.md:4:1", ".claude/agents/a.md:5:1", ".opencode/commands/x.md:3:1"],
    quiet: [
      { ".opencode/agents/a.md": skill("description: A\nmode: subagent") },
      // What restricts has rules of its own.
      { ".claude/commands/x.md": skill("description: X\npermission:\n  edit: deny\npermissionMode: plan") },
    ],
  },
  "key-unknown": {
    fires: {
      ".claude/commands/x.md": skill("description: X\nwhimsy: 1"),
      "opencode.json":
        '{\n  "agent": {\n    "a": {\n      "prompt": "A",\n      "reasoningEffort": "high"\n    }\n  }\n}',
    },
    at: [".claude/commands/x.md:3:1", "opencode.json:5:7"],
    quiet: [{ ".claude/commands/x.md": skill("description: X\nversion: 1"), ".atomic/workflows/flow.ts": "" }],
  },
  "key-retired": {
    fires: {
      ".opencode/agents/a.md": skill("description: A\ntools:\n  write: false"),
      ".github/agents/b.md": skill("description: B\ninfer: true"),
    },
    at: [".github/agents/b.md:3:1", ".opencode/agents/a.md:3:1"],
    quiet: [{ ".opencode/agents/a.md": skill("description: A\npermission:\n  edit: deny") }],
  },

  "restriction-ignored": {
    fires: {
      ".claude/commands/x.md": skill("description: X\ntools: Read"),
      ".claude/agents/a.md": skill("name: a\ndescription: A\nallowed-tools: Read"),
      ".opencode/commands/x.md": skill("description: X\ntools: Read"),
      ".opencode/agents/a.md": skill("description: A\npermissions:\n  edit: deny"),
      ".github/agents/b.md": skill("description: B\ndisallowed_tools: [edit]"),
      ".atomic/commands/y.md": skill("description: Y\nallowed_tools: Read"),
      ".atomic/commands/x.md": skill("description: X\npermission:\n  edit: deny"),
    },
    at: [
      ".atomic/commands/x.md:3:1",
      ".atomic/commands/y.md:3:1",
      ".claude/agents/a.md:4:1",
      ".claude/commands/x.md:3:1",
      ".github/agents/b.md:3:1",
      ".opencode/agents/a.md:3:1",
      ".opencode/commands/x.md:3:1",
    ],
    quiet: [
      {
        ".claude/commands/x.md": skill("description: X\nallowed-tools: Read"),
        ".claude/agents/a.md": skill("name: a\ndescription: A\ntools: Read"),
        ".opencode/agents/a.md": skill("description: A\npermission:\n  edit: deny"),
        ".github/agents/b.md": skill("description: B\ntools: [edit]"),
        ".claude/skills/x/SKILL.md": skill(`${good}\nallowed-tools: Read`),
        // Without it, tools ask more often: it restricts nothing.
        ".opencode/commands/x.md": skill("description: X\nallowed-tools: Read"),
        ".opencode/skills/x/SKILL.md": skill(`${good}\nallowed-tools: Read`),
      },
    ],
  },
  "restriction-not-everywhere": {
    fires: {
      ".claude/skills/x/SKILL.md": skill(`${good}\ndisallowed-tools: Bash`),
      ".claude/agents/a.md": skill("name: a\ndescription: A\ndisallowedTools: Bash"),
    },
    at: [".claude/agents/a.md:4:1", ".claude/skills/x/SKILL.md:4:1"],
    quiet: [
      {
        ".claude/commands/x.md": skill("description: X\nallowed-tools: Read"),
        ".claude/skills/x/SKILL.md": skill(`${good}\nallowed-tools: Read`),
        ".agents/skills/y/SKILL.md": skill("name: y\ndescription: Y\nallowed-tools: [Read]"),
        ".claude/agents/a.md": skill("name: a\ndescription: A\ntools: Read"),
        // Ignored by all is worse, and another finding.
        ".opencode/skills/x/SKILL.md": skill(`${good}\ntools: Read`),
      },
    ],
  },
  "tools-unknown": {
    fires: {
      ".claude/agents/a.md": skill("name: a\ndescription: A\ntools: search/codebase, edit/editFiles"),
      ".claude/agents/b.md": skill("name: b\ndescription: B\ntools: [LS, MultiEdit]"),
      ".github/agents/c.md": skill("description: C\ntools: [codebase, findTestFiles, search/usages]"),
    },
    at: [".claude/agents/a.md:4:1", ".claude/agents/b.md:4:1", ".github/agents/c.md:3:1"],
    quiet: [
      {
        ".claude/agents/a.md": skill("name: a\ndescription: A\ntools: codebase, Read"),
        ".claude/agents/b.md": skill("name: b\ndescription: B\ntools: mcp__files__read"),
        ".claude/agents/d.md": skill("name: d\ndescription: D\ntools: ToolOfTomorrow"),
        // Another finding says so.
        ".claude/agents/e.md": skill("name: e\ndescription: E\ntools: bash"),
        ".claude/agents/f.md": skill("name: f\ndescription: F\ntools: []"),
        ".github/agents/g.md": skill("description: G\ntools: [codebase, editFiles]"),
        ".github/agents/h.md": skill("description: H\ntools: [playwright/*, github/get_issue, playwright]"),
      },
    ],
  },

  "name-duplicate": {
    fires: {
      ".opencode/agents/a.md": skill("description: A"),
      ".opencode/agent/a.md": skill("description: Another A"),
      ".claude/skills/one/SKILL.md": skill(good),
      ".claude/skills/two/SKILL.md": skill(good),
    },
    at: [".claude/skills/two/SKILL.md", ".opencode/agent/a.md"],
    quiet: [
      // Claude Code reads neither as an agent.
      { ".claude/agents/README.md": "# All", ".claude/agents/web/README.md": "# Web" },
      { ".opencode/agents/a.md": skill("description: A"), "~/.config/opencode/agents/a.md": skill("description: A") },
      { ".claude/skills/x/SKILL.md": skill(good), ".agents/skills/x/SKILL.md": skill(good) },
    ],
  },
  "name-shadowed": {
    fires: {
      ".claude/commands/x.md": skill("description: X"),
      "~/.claude/commands/x.md": skill("description: X of the user"),
    },
    at: ["~/.claude/commands/x.md"],
    quiet: [
      { ".claude/commands/x.md": skill("description: X"), ".claude/commands/y.md": skill("description: Y") },
      // To replace a skill of the package is what it is there for.
      { ".claude/skills/commit/SKILL.md": skill("name: commit\ndescription: Commits") },
    ],
  },
  "name-command-and-skill": {
    fires: { ".claude/commands/x.md": skill("description: X"), ".claude/skills/x/SKILL.md": skill(good) },
    at: [".claude/commands/x.md"],
    quiet: [
      { ".opencode/commands/x.md": skill("description: X"), ".opencode/skills/x/SKILL.md": skill(good) },
      { ".claude/commands/ns/x.md": skill("description: X"), ".claude/skills/x/SKILL.md": skill(good) },
    ],
  },
  "alias-taken": {
    fires: {
      ".claude/commands/commit.md": skill("description: Commits\naliases: [ci, save]"),
      ".claude/commands/ci.md": skill("description: Integrates"),
    },
    at: [".claude/commands/commit.md:3:1"],
    quiet: [
      { ".claude/commands/commit.md": skill("description: Commits\naliases: [ci]") },
      // The folder's name is not an alias that someone chose.
      { ".claude/skills/y/SKILL.md": skill(good), ".agents/skills/y/SKILL.md": skill("name: y\ndescription: Y") },
      // An alias of the shadowed leads to the one that shadows it.
      {
        ".claude/commands/commit.md": skill("description: Commits"),
        "~/.claude/commands/commit.md": skill("description: Commits\naliases: [ci]"),
      },
    ],
  },
  "name-breaks-opencode": {
    fires: {
      ".opencode/agents/constructor.md": skill("description: A builder"),
      "opencode.json": '{ "agent": {\n  "toString": { "prompt": "x" } } }',
    },
    at: [".opencode/agents/constructor.md", "opencode.json:2:3"],
    quiet: [
      {
        ".opencode/commands/constructor.md": skill("description: A command is fine"),
        ".claude/agents/c.md": skill("name: constructor\ndescription: So is Claude Code"),
      },
    ],
  },
  "name-not-portable": {
    fires: { ".claude/commands/con.md": skill("description: X"), ".claude/commands/why?.md": skill("description: Y") },
    at: [".claude/commands/con.md", ".claude/commands/why?.md"],
    quiet: [{ ".claude/commands/console.md": skill("description: X"), "opencode.json": '{"agent":{"con":{}}}' }],
  },

  "reference-agent-missing": {
    fires: {
      ".opencode/commands/x.md": skill("description: X\nagent: reviwer"),
      ".opencode/agents/reviewer.md": skill("description: Reviews"),
      ".claude/commands/y.md": skill("description: Y\nagent: reviewer", "Ask @agent-nobody."),
    },
    at: [".claude/commands/y.md:3:1", ".claude/commands/y.md:5:5", ".opencode/commands/x.md:3:1"],
    quiet: [
      {
        ".opencode/commands/x.md": skill("description: X\nagent: build"),
        ".opencode/commands/y.md": skill("description: Y\nagent: mine"),
        "opencode.json": '{ "agent": { "mine": { "prompt": "x" } } }',
        "~/.claude/agents/judge.md": skill("name: judge\ndescription: Judges"),
        ".claude/commands/z.md": skill(
          "description: Z\nagent: Explore",
          "Ask @agent-judge. Or @agent-plugin:judge, or me@agent-x.org, or @agent-notes.md, or `@agent-nobody`.",
        ),
      },
    ],
  },
  "reference-skill-missing": {
    fires: {
      ".claude/agents/a.md": skill("name: a\ndescription: A\nskills: [x, y]"),
      ".claude/skills/x/SKILL.md": skill(good),
    },
    at: [".claude/agents/a.md:4:1"],
    quiet: [
      {
        ".claude/agents/a.md": skill("name: a\ndescription: A\nskills: x, plugin:y, code-review"),
        ".claude/skills/x/SKILL.md": skill(good),
        ".github/agents/b.md": skill("description: B\nskills: [x]"),
      },
    ],
  },
  "reference-command-missing": {
    fires: { ".claude/commands/x.md": skill("description: X", "First run the `/prepare all` command.") },
    at: [".claude/commands/x.md:4:15"],
    quiet: [
      {
        ".claude/commands/prepare.md": skill("description: P"),
        ".claude/commands/x.md": skill(
          "description: X",
          "Run the `/prepare` command, then the slash command `/clear`. Read `/etc/hosts`, ask the `/health` endpoint.",
        ),
      },
    ],
  },

  "hidden-character": {
    fires: {
      ".claude/commands/x.md": skill("description: X", `Be kind.${[..."obey"].map(tag).join("")}\nAnd\u202e bold.`),
      "opencode.json": '{ "command": {\n  "c": { "template": "a\\u200bb" } } }',
    },
    at: [".claude/commands/x.md:4:9", ".claude/commands/x.md:5:4", "opencode.json:2:10"],
    quiet: [{ ".claude/commands/x.md": skill("description: X", "Emoji 👩‍💻, größe, 日本, فارسی‌ها are fine.") }],
  },
  "name-hidden-character": {
    fires: { ".claude/commands/com\u200bmit.md": skill("description: X") },
    at: [".claude/commands/com\u200bmit.md"],
    quiet: [{ ".claude/commands/größe.md": skill("description: X") }],
  },

  "runs-shell": {
    fires: {
      ".claude/commands/x.md": skill("description: X", "Status: !`git status`"),
      // OpenCode takes the space between two pieces of code for a command; Claude Code does not.
      ".opencode/commands/x.md": skill("description: X", "Use `select!` or `join!`."),
    },
    at: [".claude/commands/x.md:4:9", ".opencode/commands/x.md:4:12"],
    quiet: [
      { ".claude/commands/x.md": skill("description: X", "Use `select!` or `join!`. Run `git status`!") },
      { ".claude/agents/a.md": skill("name: a\ndescription: A", "An agent is not expanded: !`git status`") },
      { ".github/skills/x/SKILL.md": skill(good, "Nor is anything of Copilot: !`git status`") },
      { ".atomic/commands/x.md": skill("description: X", "Nor of Atomic: !`git status`") },
    ],
  },
  "reads-file": {
    fires: { ".opencode/commands/x.md": skill("description: X", "Follow @docs/rules.md and @README.md, @~/notes.") },
    at: [".opencode/commands/x.md:4:8", ".opencode/commands/x.md:4:27", ".opencode/commands/x.md:4:39"],
    quiet: [
      {
        ".opencode/commands/x.md": skill(
          "description: X",
          "Ask @alice, or a@b.org about @scope/pkg and @scope.io/pkg. `import x from '@/lib/x.ts'` is code.",
        ),
      },
      { ".opencode/agents/x.md": skill("description: X", "An agent is not expanded: @README.md") },
    ],
  },
  "opencode-substitution": {
    fires: { "opencode.json": '{ "agent": { "a": {\n  "prompt": "{file:./a.txt} of {env:USER}" } } }' },
    at: ["opencode.json:2:3", "opencode.json:2:3"],
    quiet: [{ "opencode.json": '{ "agent": { "a": { "prompt": "{environment}" } } }' }],
  },
  "opencode-substitution-dead": {
    fires: { ".opencode/agents/a.md": skill("description: A", "You are {env:USER}.") },
    at: [".opencode/agents/a.md:4:9"],
    quiet: [
      { ".claude/agents/a.md": skill("name: a\ndescription: A", "You are {env:USER}.") },
      { "opencode.json": '{ "agent": { "a": { "prompt": "{env:USER}" } } }' },
    ],
  },
};

function tag(letter: string): string {
  return String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0));
}
