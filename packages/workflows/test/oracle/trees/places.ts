import { described, type Tree } from "../tree.ts";

const roots = [
  ".claude",
  ".opencode",
  ".github",
  ".agents",
  ".copilot",
  "~/.claude",
  "~/.opencode",
  "~/.config/opencode",
  "~/.github",
  "~/.copilot",
  "~/.agents",
];
const agentFolders = ["agents", "agent", "modes", "mode"];
const commandFolders = ["commands", "command", "prompts"];
const skillFolders = ["skills", "skill"];

/** Every kind of file in every folder, whether or not a tool reads it, nested ones included. Each has its own name. */
export const places: Tree = {
  files: Object.fromEntries([
    ...roots.flatMap((root) => {
      const id = root.replace(/\W+/g, "-").replace(/^-/, "");
      return [
        ...agentFolders.flatMap((folder) => {
          const name = `${root.startsWith("~") ? "home" : "here"}-${id}-${folder}`;
          return [
            described(`${root}/${folder}/${name}.md`, { name }),
            described(`${root}/${folder}/${name}-dotted.agent.md`, { name: `${name}-dotted` }),
            described(`${root}/${folder}/group/${name}-nested.md`, { name: `${name}-nested` }),
            described(`${root}/${folder}/group/deep/${name}-deep.md`, { name: `${name}-deep` }),
          ];
        }),
        ...commandFolders.flatMap((folder) => {
          const name = `${root.startsWith("~") ? "home" : "here"}-${id}-${folder}`;
          return [
            described(`${root}/${folder}/${name}.md`),
            described(`${root}/${folder}/${name}.prompt.md`),
            described(`${root}/${folder}/group/${name}-nested.md`),
            described(`${root}/${folder}/group/deep/${name}-deep.md`),
          ];
        }),
        ...skillFolders.flatMap((folder) => {
          const name = `${root.startsWith("~") ? "home" : "here"}-${id}-${folder}`;
          return [
            described(`${root}/${folder}/${name}/SKILL.md`, { name }),
            described(`${root}/${folder}/group/${name}-nested/SKILL.md`, { name: `${name}-nested` }),
            described(`${root}/${folder}/group/deep/${name}-deep/SKILL.md`, { name: `${name}-deep` }),
            described(`${root}/${folder}/${name}-flat.md`, { name: `${name}-flat` }),
          ];
        }),
      ];
    }),
    // Agents that the tools name after the path.
    described(".github/agents/group/unnamed.md"),
    described(".github/agents/group/unnamed-dotted.agent.md"),
    described(".opencode/agents/group/unnamed.md"),
    described(".claude/agents/unnamed-and-not-loaded-by-claude.md"),
  ]),
};
