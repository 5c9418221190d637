// Keys, restrictions and names.
import { good, type LintCase, skill } from "./lint-case.ts";

export const keyCases: Readonly<Record<string, LintCase>> = {
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
    quiet: [
      { ".opencode/agents/a.md": skill("description: A\npermission:\n  edit: deny") },
      // OpenCode does not start with this one, so it does not work, deprecated or not.
      { ".opencode/agents/a.md": skill("description: A\ntools: Read, Grep") },
    ],
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
      ".claude/agents/d.md": skill("name: d\ndescription: D\ntools: Frobnicate, Zap"),
      ".claude/agents/e.md": skill("name: e\ndescription: E\ntools: Read, Grepp, Bash(git:*)"),
      ".github/agents/c.md": skill("description: C\ntools: [codebase, findTestFiles, search/usages]"),
    },
    at: [
      ".claude/agents/a.md:4:1",
      ".claude/agents/b.md:4:1",
      ".claude/agents/d.md:4:1",
      ".claude/agents/e.md:4:1",
      ".github/agents/c.md:3:1",
    ],
    quiet: [
      {
        ".claude/agents/a.md": skill("name: a\ndescription: A\ntools: codebase, Read, LS, MultiEdit, NotebookRead"),
        ".claude/agents/b.md": skill("name: b\ndescription: B\ntools: mcp__files__read"),
        ".claude/agents/d.md": skill("name: d\ndescription: D\ntools: Frobnicate, TaskCreate"),
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
      // The folder's name is not an alias that the user chose.
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
};
