// What a body mentions, hides, runs and reads.
import { good, type LintCase, skill } from "./lint-case.ts";

export const bodyCases: Readonly<Record<string, LintCase>> = {
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
    fires: {
      ".claude/commands/prepare.md": skill("description: P"),
      ".claude/commands/x.md": skill("description: X", "First run the `/prepaer all` command."),
    },
    at: [".claude/commands/x.md:4:15"],
    quiet: [
      {
        ".claude/commands/prepare.md": skill("description: P"),
        ".claude/commands/x.md": skill(
          "description: X",
          "Run the `/prepare` command, then the slash command `/clear`. Read `/etc/hosts`, ask the `/health` endpoint.",
        ),
      },
      {
        ".claude/commands/api.md": skill("description: A"),
        ".claude/commands/x.md": skill(
          "description: X",
          "Do you have a `/worktree` command? The `/dependency-scanning` skill comes with a plugin, the `/apt` command does not.",
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
