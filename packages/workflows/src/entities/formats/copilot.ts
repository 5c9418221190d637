import { normalizeTools } from "../normalize/tools.ts";
import { distinct, skillTools } from "./claude.ts";
import { type Format, inBoth } from "./format.ts";
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
          names: ({ relative }, values) => distinct(givenName(values), agentId(relative)),
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
            return distinct(hyphenated(givenName(values) ?? folder), folder);
          },
          tools: skillTools,
        }),
      },
      ".copilot/skills",
    ),
  ],
};

/** `sub/review.agent.md` is `sub--review`; that also tells which of two agents is the same one. */
function agentId(relative: string): string {
  return relative.replace(/(?:\.agent)?\.md$/, "").replaceAll("/", "--");
}

function hyphenated(name: string): string {
  return name.replace(/\s+/g, "-");
}
