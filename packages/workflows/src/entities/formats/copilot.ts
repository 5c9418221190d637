import type { Format } from "../format.ts";
import { normalizeTools } from "../normalize/tools.ts";
import { distinct, skillTools } from "./claude.ts";
import { givenName, markdownPlaces, skillFolderOf } from "./markdown.ts";

const provider = "copilot";

/** GitHub Copilot: `.github/{agents,skills}` in the project, `~/.copilot/{agents,skills}` in the home folder. */
export const copilot: Format = {
  provider,
  places: [
    ...markdownPlaces([".github/agents", ".copilot/agents"], "**/*.md", {
      provider,
      type: "agent",
      names: ({ relative }, values) =>
        distinct(givenName(values), relative.replace(/(?:\.agent)?\.md$/, "").replaceAll("/", "--")),
      tools: (values) => normalizeTools(values.tools, { provider }),
    }),
    ...markdownPlaces([".github/skills", ".copilot/skills"], "**/SKILL.md", {
      provider,
      type: "skill",
      names: ({ relative }, values) => {
        const folder = skillFolderOf(relative);
        return distinct((givenName(values) ?? folder).replace(/\s+/g, "-"), folder);
      },
      tools: skillTools,
    }),
  ],
};
