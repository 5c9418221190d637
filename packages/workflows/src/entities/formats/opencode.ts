import type { EntityType, Provider } from "../entity.ts";
import type { ConfigPlace, FolderPlace, Format, FormatPlace, SourceFile } from "../format.ts";
import { recoverLikeOpenCode } from "../frontmatter/recover.ts";
import { normalizePermission } from "../normalize/permission.ts";
import { combineTools, type NormalizedTools } from "../normalize/restrictions.ts";
import { normalizeTools } from "../normalize/tools.ts";
import { distinct, skillTools } from "./claude.ts";
import { givenName, readMarkdown, skillFolderOf } from "./markdown.ts";
import { readOpencodeConfig } from "./opencode-config.ts";

type Values = Readonly<Record<string, unknown>>;

const provider = "opencode";

const { readAgent, readCommand, readSkill } = opencodeReaders(provider);

/**
 * OpenCode: Markdown below `.opencode`, `~/.config/opencode` and `~/.opencode`, each folder in both spellings, and the
 * agents and commands in its config files. Markdown is merged last there, so it wins.
 */
export const opencode: Format = {
  provider,
  places: [
    ...folders("project", ".opencode"),
    ...folders("user", ".opencode"),
    ...folders("user", ".config/opencode"),
    ...configs("project", ".opencode", ["opencode.jsonc", "opencode.json"]),
    ...configs("project", "", ["opencode.jsonc", "opencode.json"]),
    ...configs("user", ".opencode", ["opencode.jsonc", "opencode.json"]),
    ...configs("user", ".config/opencode", ["opencode.jsonc", "opencode.json", "config.json"]),
  ],
};

function folders(location: FolderPlace["location"], root: string): FormatPlace[] {
  const place = (name: string, type: EntityType, pattern: string, read: FolderPlace["read"]): FormatPlace => ({
    kind: "folder",
    location,
    path: `${root}/${name}`,
    type,
    pattern,
    read,
  });
  return [
    place("agents", "agent", "**/*.md", readAgent),
    place("agent", "agent", "**/*.md", readAgent),
    place("modes", "agent", "*.md", readAgent),
    place("mode", "agent", "*.md", readAgent),
    place("commands", "command", "**/*.md", readCommand),
    place("command", "command", "**/*.md", readCommand),
    place("skills", "skill", "**/SKILL.md", readSkill),
    place("skill", "skill", "**/SKILL.md", readSkill),
  ];
}

function configs(location: FormatPlace["location"], root: string, names: readonly string[]): ConfigPlace[] {
  return names.map((name) => ({
    kind: "config",
    location,
    path: root === "" ? name : `${root}/${name}`,
    types: ["agent", "command"],
    limitsAll: true,
    read: readOpencodeConfig,
  }));
}

type Read = FolderPlace["read"];

/** Readers of files that are written for OpenCode, whatever their source. */
export function opencodeReaders(from: Provider): { readAgent: Read; readCommand: Read; readSkill: Read } {
  const shared = { provider: from, recover: recoverLikeOpenCode } as const;
  return {
    readAgent: readMarkdown({ ...shared, type: "agent", names: byPath, tools: opencodeTools }),
    readCommand: readMarkdown({ ...shared, type: "command", names: byPath, tools: opencodeTools }),
    readSkill: readMarkdown({
      ...shared,
      type: "skill",
      names: ({ relative }, values) => distinct(givenName(values), skillFolderOf(relative)),
      // OpenCode itself ignores them, but a skill must not be allowed more here because of the folder that it lies in.
      tools: skillTools,
    }),
  };
}

/** `review/security.md` is `review/security`, unless it gives itself another name. */
function byPath({ relative }: SourceFile, values: Values): [string] {
  return [givenName(values) ?? relative.slice(0, -".md".length)];
}

function opencodeTools(values: Values): NormalizedTools {
  return combineTools(normalizeTools(values.tools, { provider }), normalizePermission(values.permission));
}
