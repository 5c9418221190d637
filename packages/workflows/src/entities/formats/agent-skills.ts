import { type Format, inBoth } from "../format.ts";
import { distinct, skillTools } from "./claude.ts";
import { givenName, readMarkdown, skillFolderOf } from "./markdown.ts";

/** The cross-tool folder of the Agent Skills specification: `.agents/skills`. */
export const agentSkills: Format = {
  provider: "agent-skills",
  places: inBoth({
    path: ".agents/skills",
    type: "skill",
    pattern: "**/SKILL.md",
    read: readMarkdown({
      provider: "agent-skills",
      type: "skill",
      names: ({ relative }, values) => distinct(givenName(values), skillFolderOf(relative)),
      tools: skillTools,
    }),
  }),
};
