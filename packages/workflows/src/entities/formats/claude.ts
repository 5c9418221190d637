import type { Provider } from "../entity.ts";
import type { FolderPlace, Format, SourceFile } from "../format.ts";
import { recoverLikeClaude } from "../frontmatter/recover.ts";
import { combineTools, type NormalizedTools } from "../normalize/restrictions.ts";
import { normalizeDisallowedTools, normalizeTools } from "../normalize/tools.ts";
import { givenName, markdownPlaces, skillFolderOf, stemOf } from "./markdown.ts";

type Values = Readonly<Record<string, unknown>>;

const provider = "claude";

/** Claude Code: `.claude/{commands,skills,agents}` in the project and in the home folder. */
export const claude: Format = { provider, places: placesLikeClaude(provider, ".claude", true) };

/** Files in Claude's format. `firstLineDescribes` a skill or command that has no description. */
export function placesLikeClaude(provider: Provider, root: string, firstLineDescribes: boolean): FolderPlace[] {
  const shared = { provider, recover: recoverLikeClaude } as const;
  return [
    // Claude Code itself looks only one folder down; OpenCode and Copilot, which also read this folder, look deeper.
    ...markdownPlaces([`${root}/skills`], "**/SKILL.md", {
      ...{ ...shared, type: "skill", firstLineDescribes },
      names: skillNames,
      tools: skillTools,
    }),
    ...markdownPlaces([`${root}/commands`], "**/*.md", {
      ...{ ...shared, type: "command", firstLineDescribes },
      names: ({ relative }) => [commandName(relative)],
      tools: skillTools,
    }),
    ...markdownPlaces([`${root}/agents`], "**/*.md", {
      ...{ ...shared, type: "agent" },
      names: ({ relative }, values) => [givenName(values) ?? stemOf(relative)],
      tools: agentTools,
    }),
  ];
}

/** `git/commit.md` is `/git:commit`, and so is `git/commit/SKILL.md`. */
function commandName(relative: string): string {
  const end = relative.lastIndexOf("/");
  const stem = stemOf(relative);
  if (end === -1) return stem.toLowerCase() === "skill" ? "commands" : stem;
  const folders = relative.slice(0, end).replaceAll("/", ":");
  return stem.toLowerCase() === "skill" ? folders : `${folders}:${stem}`;
}

export function skillTools(values: Values): NormalizedTools {
  return combineTools(
    normalizeTools(values["allowed-tools"], { provider, key: "allowed-tools" }),
    normalizeDisallowedTools(values["disallowed-tools"], { provider, key: "disallowed-tools" }),
  );
}

function agentTools(values: Values): NormalizedTools {
  return combineTools(
    normalizeTools(values.tools, { provider }),
    normalizeDisallowedTools(values.disallowedTools, { provider }),
  );
}

/** A skill whose name differs from its folder has both names. */
export function skillNames({ relative }: SourceFile, values: Values): readonly [string, ...string[]] {
  return distinct(givenName(values), skillFolderOf(relative));
}

export function distinct(shown: string | undefined, folder: string): readonly [string, ...string[]] {
  if (shown === undefined || shown === folder) return [folder];
  return [shown, folder];
}
