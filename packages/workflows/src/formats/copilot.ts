import { normalizeTools } from "../normalize/tools.ts";
import { distinct, skillTools } from "./claude.ts";
import { type Format, inBoth } from "./format.ts";
import { givenName, readMarkdown, skillFolderOf, stemOf } from "./markdown.ts";

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
          // The file name identifies an agent; `name` is only what people see.
          names: ({ relative }, values) => {
            const key = relative.toLowerCase().endsWith(".agent.md") ? stemOf(relative, ".agent.md") : stemOf(relative);
            const shown = givenName(values);
            return shown === undefined || shown === key ? [key] : [key, shown];
          },
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
          names: ({ relative }, values) => distinct(givenName(values), skillFolderOf(relative)),
          tools: skillTools,
        }),
      },
      ".copilot/skills",
    ),
  ],
};
