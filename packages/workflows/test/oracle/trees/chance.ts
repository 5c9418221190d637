import { described, type Tree } from "../tree.ts";

/** One name in places between which the tools do not choose on purpose. */
export const chance: Tree = {
  files: Object.fromEntries([
    // OpenCode reads all skills at once, and the last one to arrive stays.
    ...[".claude/skills", ".agents/skills", ".opencode/skills", ".opencode/skill", "~/.claude/skills"].map((root) =>
      described(`${root}/chance-skill/SKILL.md`, { name: "chance-skill" }),
    ),
    // OpenCode lists both folders in one go.
    ...[".opencode/agent", ".opencode/agents"].map((root) => described(`${root}/chance-folder.md`)),
    ...[".opencode/command", ".opencode/commands"].map((root) => described(`${root}/chance-folder.md`)),
    ...[".opencode/mode", ".opencode/modes"].map((root) => described(`${root}/chance-mode.md`)),
    // Claude takes the one that the disk lists last.
    ...["1", "2", "deeper/3"].map((file) => described(`.claude/agents/chance/${file}.md`, { name: "chance-name" })),
  ]),
};
