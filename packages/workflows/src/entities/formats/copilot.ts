import { type Format, inBoth } from "../format.ts";
import { normalizeTools } from "../normalize/tools.ts";
import { distinct, skillTools } from "./claude.ts";
import { givenName, readMarkdown, skillFolderOf } from "./markdown.ts";

const provider = "copilot";

/** GitHub Copilot: `.github/{agents,skills}` in the project, `~/.copilot/{agents,skills}` in the home folder. */
export const copilot: Format = {
  provider,
  places: [
    ...inBoth(
      {
        path: ".github/agents",
        type: "agent",
        pattern: "**/*.md",
        read: readMarkdown({
          provider,
          type: "agent",
          names: ({ relative }, values) =>
            distinct(givenName(values), relative.replace(/(?:\.agent)?\.md$/, "").replaceAll("/", "--")),
          tools: (values) => normalizeTools(values.tools, { provider }),
        }),
      },
      ".copilot/agents",
    ),
    ...inBoth(
      {
        path: ".github/skills",
        type: "skill",
        pattern: "**/SKILL.md",
        read: readMarkdown({
          provider,
          type: "skill",
          names: ({ relative }, values) => {
            const folder = skillFolderOf(relative);
            return distinct((givenName(values) ?? folder).replace(/\s+/g, "-"), folder);
          },
          tools: skillTools,
        }),
      },
      ".copilot/skills",
    ),
  ],
};
