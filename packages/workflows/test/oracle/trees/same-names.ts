import { described, type Tree } from "../tree.ts";

const skill = (name: string, ...roots: string[]) =>
  roots.map((root) => described(`${root}/${name}/SKILL.md`, { name }));
const named = (name: string, ...roots: string[]) => roots.map((root) => described(`${root}/${name}.md`, { name }));
const unnamed = (name: string, ...roots: string[]) => roots.map((root) => described(`${root}/${name}.md`));

/** One name in several places, as far as order decides and not chance. */
export const sameNames: Tree = {
  files: Object.fromEntries([
    // Claude's are read by OpenCode, too, and there a race decides; so these skills give OpenCode no name.
    described(".claude/skills/same-skill/SKILL.md"),
    described("~/.claude/skills/same-skill/SKILL.md"),
    described(".claude/skills/Same-Case/SKILL.md"),
    described("~/.claude/skills/same-case/SKILL.md"),
    described(".github/skills/same-github/SKILL.md"),
    described(".agents/skills/same-github/SKILL.md"),
    described(".claude/skills/same-github/SKILL.md"),
    described("~/.copilot/skills/same-github/SKILL.md"),
    described("~/.agents/skills/same-github/SKILL.md"),
    described(".agents/skills/same-agents/SKILL.md"),
    described(".claude/skills/same-agents/SKILL.md"),
    described("~/.copilot/skills/same-copilot/SKILL.md"),
    described("~/.agents/skills/same-copilot/SKILL.md"),
    described(".claude/skills/same-claude/SKILL.md"),
    described("~/.copilot/skills/same-claude/SKILL.md"),
    described(".claude/skills/same-nested/SKILL.md"),
    described(".claude/skills/group/same-nested/SKILL.md"),
    described(".github/skills/same hyphen/SKILL.md"),
    described(".agents/skills/same-hyphen/SKILL.md"),

    // A skill and a command.
    ...unnamed("both-kinds", ".claude/commands", "~/.claude/commands"),
    described(".claude/skills/both-kinds/SKILL.md"),
    ...unnamed("both-kinds-user", ".claude/commands"),
    described("~/.claude/skills/both-kinds-user/SKILL.md"),
    ...unnamed("both-kinds-copilot", ".claude/commands"),
    described("~/.copilot/skills/both-kinds-copilot/SKILL.md"),
    ...unnamed("both-kinds-opencode", ".opencode/commands"),
    ...skill("both-kinds-opencode", ".opencode/skills"),

    // The shown name is not what identifies a skill to Claude.
    described(".claude/skills/shown-1/SKILL.md", { name: "shown" }),
    described("~/.claude/skills/shown-1/SKILL.md", { name: "shown otherwise" }),
    ...unnamed("shown", ".claude/commands"),
    ...unnamed("shown-1", ".claude/commands"),

    ...unnamed("same-command", ".claude/commands", "~/.claude/commands"),
    ...unnamed("group/same-command", ".claude/commands", "~/.claude/commands"),
    ...unnamed("same-command-opencode", ".opencode/commands", "~/.config/opencode/commands"),
    ...unnamed("same-command-home", ".opencode/commands", "~/.opencode/commands", "~/.config/opencode/commands"),
    ["~/.config/opencode/commands/merged.md", "---\ndescription: Only the user describes it\n---\nBody"],
    [".opencode/commands/merged.md", "---\nagent: build\n---\nBody"],

    ...named("same-agent", ".claude/agents", "~/.claude/agents"),
    ...named("Same-Agent-Case", ".claude/agents", ".opencode/agents", ".github/agents"),
    ...named("same-agent-case", "~/.claude/agents", "~/.config/opencode/agents", "~/.copilot/agents"),
    ...named("same-agent-opencode", ".opencode/agents", "~/.config/opencode/agents"),
    ...named("same-agent-home", ".opencode/agents", "~/.opencode/agents", "~/.config/opencode/agents"),
    ...named("same-agent-mode", ".opencode/agents", ".opencode/mode"),
    ...named("same-agent-copilot", ".github/agents", "~/.copilot/agents", ".claude/agents"),
    ...named("same-agent-github", ".github/agents", ".claude/agents"),
    ["~/.config/opencode/agents/merged.md", "---\ndescription: Only the user describes it\nmode: primary\n---\nBody"],
    [".opencode/agents/merged.md", "---\nmode: subagent\n---\nBody"],
    described(".github/agents/same-file.md"),
    described(".github/agents/same-file.agent.md"),
    // Copilot goes by the path, so both are listed.
    described(".github/agents/one-name-1.md", { name: "one-name" }),
    described(".github/agents/one-name-2.md", { name: "one-name" }),

    // Names of the tools' own.
    ...named("Explore", ".claude/agents"),
    ...named("general", ".opencode/agents"),
    ...unnamed("init", ".claude/commands", ".opencode/commands"),
    ...unnamed("compact", ".claude/commands"),
    described(".claude/skills/verify/SKILL.md"),
    ...skill("customize-opencode", ".opencode/skills"),
    described(".github/skills/plan/SKILL.md"),
  ]),
};
