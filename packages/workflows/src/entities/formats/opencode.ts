import type { EntityType, Provider } from "../entity.ts";
import type { ConfigPlace, FolderPlace, Format, FormatPlace } from "../format.ts";
import { recoverLikeOpenCode } from "../frontmatter/recover.ts";
import { skillNames, skillTools } from "./claude.ts";
import { givenName, type MarkdownRules, readMarkdown } from "./markdown.ts";
import { opencodeTools, readOpencodeConfig } from "./opencode-config.ts";

const provider = "opencode";

const { readAgent, readCommand, readSkill } = opencodeReaders(provider);

/**
 * OpenCode: Markdown below `.opencode`, `~/.config/opencode`, `~/.opencode` and the folder that OPENCODE_CONFIG_DIR
 * names, each folder in both spellings, and the agents and commands in its config files. Markdown is merged last there,
 * so it wins.
 */
export const opencode: Format = {
  provider,
  places: [
    ...folders("project", ".opencode"),
    ...folders("user", "OPENCODE_CONFIG_DIR"),
    ...folders("user", ".opencode"),
    ...folders("user", ".config/opencode"),
    ...configs("project", ".opencode", ["opencode.jsonc", "opencode.json"]),
    ...configs("project", "", ["opencode.jsonc", "opencode.json"]),
    ...configs("user", "OPENCODE_CONFIG_DIR", ["opencode.jsonc", "opencode.json"]),
    ...configs("user", ".opencode", ["opencode.jsonc", "opencode.json"]),
    ...configs("user", "", ["OPENCODE_CONFIG"]),
    ...configs("user", ".config/opencode", ["opencode.jsonc", "opencode.json", "config.json"]),
  ],
};

function folders(location: FolderPlace["location"], root: string): FormatPlace[] {
  const rows: readonly (readonly [name: string, type: EntityType, pattern: string, read: FolderPlace["read"]])[] = [
    ["agents", "agent", "**/*.md", readAgent],
    ["agent", "agent", "**/*.md", readAgent],
    ["modes", "agent", "*.md", readAgent],
    ["mode", "agent", "*.md", readAgent],
    ["commands", "command", "**/*.md", readCommand],
    ["command", "command", "**/*.md", readCommand],
    ["skills", "skill", "**/SKILL.md", readSkill],
    ["skill", "skill", "**/SKILL.md", readSkill],
  ];
  return rows.map(([name, type, pattern, read]) => {
    return { kind: "folder", location, path: `${root}/${name}`, type, pattern, read };
  });
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

/** Readers for files in OpenCode's format, whatever their source. */
export function opencodeReaders(from: Provider): { readAgent: Read; readCommand: Read; readSkill: Read } {
  const shared = { provider: from, recover: recoverLikeOpenCode } as const;
  const entry: Omit<MarkdownRules, "type"> = {
    ...shared,
    // `review/security.md` is `review/security`, unless it has a `name`.
    names: ({ relative }, values) => [givenName(values) ?? relative.slice(0, -".md".length)],
    tools: opencodeTools,
  };
  return {
    readAgent: readMarkdown({ ...entry, type: "agent" }),
    readCommand: readMarkdown({ ...entry, type: "command" }),
    readSkill: readMarkdown({
      ...shared,
      type: "skill",
      names: skillNames,
      // OpenCode itself ignores them, but a skill must not be allowed more here just because of its folder.
      tools: skillTools,
    }),
  };
}
