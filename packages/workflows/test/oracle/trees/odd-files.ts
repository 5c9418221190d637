import { described, type Tree } from "../tree.ts";

const commandFiles = [
  "odd/README.md",
  "odd/.hidden.md",
  "odd/.hidden/inside.md",
  "odd/other.txt",
  "odd/other.mdx",
  "odd/upper.MD",
  "odd/_under.md",
  "odd/-dash.md",
  "odd/a.b.c.md",
  "odd/Upper/Case.md",
  "odd/node_modules/module.md",
  "odd/with space.md",
];
const agentFiles = [...commandFiles, "odd/AGENTS.md", "odd/x.chatmode.md", "odd/Upper.Agent.md"];
const skillFiles = [
  "lower/skill.md",
  "mixed/Skill.md",
  ".hidden/SKILL.md",
  "visible/.hidden/SKILL.md",
  "node_modules/module/SKILL.md",
  "outer/SKILL.md",
  "outer/inner/SKILL.md",
  "one/two/three/four/SKILL.md",
  "loose.md",
];

function nameOf(path: string): string {
  return path.replace(/[^A-Za-z]+/g, "-").replace(/^-/, "odd-");
}

/** Files that are hidden, linked, nested in each other, or not quite named as they must be. */
export const oddFiles: Tree = {
  files: Object.fromEntries([
    ...[".claude/commands", ".opencode/commands"].flatMap((root) =>
      commandFiles.map((file) => described(`${root}/${file}`)),
    ),
    described(".claude/commands/_under.md"),
    described(".claude/commands/-dash.md"),
    described(".claude/commands/.hidden.md"),
    described(".claude/commands/README.md"),
    described(".claude/commands/pack/SKILL.md"),
    described(".claude/commands/pack/hidden-by-the-pack.md"),
    described(".claude/commands/pack/deeper/still-there.md"),
    described(".claude/commands/group/inner-pack/SKILL.md"),
    ...[".claude/agents", ".opencode/agents", ".github/agents", "~/.copilot/agents"].flatMap((root) =>
      agentFiles.map((file) => {
        const at = `${root}/${file.replace("odd", root.startsWith("~") ? "odd-home" : "odd")}`;
        return described(at, file.includes("README") ? {} : { name: nameOf(at) });
      }),
    ),
    ...[".claude/skills", ".opencode/skills", ".github/skills", ".agents/skills"].flatMap((root) =>
      skillFiles.map((file) => described(`${root}/${file}`, { name: nameOf(`${root}/${file}`) })),
    ),
    // A folder of skills that is itself one.
    described("~/.copilot/skills/all/SKILL.md", { name: "copilot-all" }),
    described("~/.copilot/skills/all/one/two/SKILL.md", { name: "copilot-all-two" }),
    // Not loaded itself, it still hides what is in it.
    ["~/.copilot/skills/broken/SKILL.md", "no frontmatter"],
    described("~/.copilot/skills/broken/inside/SKILL.md", { name: "inside-broken" }),
    described("shared/skill/SKILL.md", { name: "linked-skill" }),
    described("shared/other-skill/SKILL.md", { name: "other-linked-skill" }),
    described("shared/group/grouped/SKILL.md", { name: "linked-group" }),
    described("shared/file-of-skill.md", { name: "linked-file-of-skill" }),
    described("shared/command.md"),
    described("shared/commands/inside.md"),
    described("shared/agent.md", { name: "linked-agent" }),
    described("shared/agents/inside.md", { name: "linked-agent-inside" }),
    described("shared/copilot-agent.md", { name: "linked-copilot-agent" }),
  ]),
  links: {
    ".claude/skills/linked": "../../shared/skill",
    ".claude/skills/linked-group": "../../shared/group",
    ".claude/skills/linked-file/SKILL.md": "../../../shared/file-of-skill.md",
    ".claude/skills/linked-to-nothing": "../../shared/nothing",
    ".github/skills/linked": "../../shared/other-skill",
    ".claude/commands/linked.md": "../../shared/command.md",
    ".claude/commands/linked-to-nothing.md": "../../shared/nothing.md",
    ".claude/commands/linked-group": "../../shared/commands",
    ".claude/agents/linked.md": "../../shared/agent.md",
    ".claude/agents/linked-group": "../../shared/agents",
    ".opencode/agents/linked.md": "../../shared/agent.md",
    ".opencode/agents/linked-group": "../../shared/agents",
    ".github/agents/linked-agent.md": "../../shared/copilot-agent.md",
  },
};
