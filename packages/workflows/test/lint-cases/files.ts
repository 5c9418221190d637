// What happens to a file as a whole, and what the specification of skills asks of it.
import { good, type LintCase, skill } from "./lint-case.ts";

/** One skill in the folder for all tools. */
function portable(head: string, body?: string): Record<string, string> {
  return { ".agents/skills/x/SKILL.md": skill(head, body) };
}

function agents(folder: string, count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, i) => `a${i}`);
  return Object.fromEntries(names.map((name) => [`${folder}/${name}.md`, skill(`name: ${name}\ndescription: One`)]));
}

export const fileCases: Readonly<Record<string, LintCase>> = {
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
      // The finding about its YAML says so, with its place.
      { ".github/agents/a.md": skill("description: Use this: when") },
      { ".claude/agents/team/README.md": "# The team\n", ".github/agents/readme.md": "About these agents.\n" },
    ],
  },
  "not-loaded-elsewhere": {
    fires: { ".claude/skills/x/SKILL.md": skill("description: Claude Code needs no name") },
    at: [".claude/skills/x/SKILL.md"],
    quiet: [
      { ".claude/skills/x/SKILL.md": skill(good) },
      { ".claude/agents/nameless.md": "Nobody loads it." },
      { ".claude/skills/x/SKILL.md": skill("name: x\ndescription: Use this: when") },
    ],
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
};
