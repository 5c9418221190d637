import type { Format } from "../format.ts";
import { skillNames, skillTools } from "./claude.ts";
import { markdownPlaces } from "./markdown.ts";

const provider = "agent-skills";

/** The cross-tool folder of the Agent Skills specification: `.agents/skills`. */
export const agentSkills: Format = {
  provider,
  places: markdownPlaces([".agents/skills"], "**/SKILL.md", {
    provider,
    type: "skill",
    names: skillNames,
    tools: skillTools,
  }),
};
