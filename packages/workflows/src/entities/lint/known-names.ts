import type { EntityType, Provider } from "../entity.ts";
import { lookupKey } from "../qualified-name.ts";
import type { EntityRegistry } from "../registry.ts";

/** The names and aliases that these providers give to entities of a type, in the form that lookups compare. */
export type KnownNames = (type: EntityType, providers: readonly Provider[] | undefined) => readonly string[];

/** Asked for every entity, answered from memory. */
export function knownNamesOf(registry: EntityRegistry): KnownNames {
  const known = new Map<string, readonly string[]>();
  return (type, providers) => {
    const key = `${type} ${providers}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const entities = registry
      .entries()
      .filter((entity) => entity.type === type && (providers?.includes(entity.source.provider) ?? true));
    const names = [...new Set(entities.flatMap(({ name, aliases }) => [name, ...aliases]).map(lookupKey))];
    known.set(key, names);
    return names;
  };
}

// What the tools bring along themselves, so a mention of it is not a dead reference. Seen in Claude Code 2.1 and
// OpenCode 1.18; a name that a tool drops later costs a finding at most, never a false one.
const set = (...lines: readonly string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(" ")));

const NONE: ReadonlySet<string> = new Set();

const agents: Readonly<Partial<Record<Provider, ReadonlySet<string>>>> = {
  claude: set("claude explore general-purpose plan statusline-setup output-style-setup claude-code-guide"),
  opencode: set("build plan general explore compaction summary title"),
  copilot: set("explore task general-purpose code-review"),
};

const skills: Readonly<Partial<Record<Provider, ReadonlySet<string>>>> = {
  claude: set(
    "deep-research dataviz update-config verify debug code-review simplify batch fewer-permission-prompts doctor loop",
    "claude-api workflow-authoring run run-skill-generator plugin-authoring init security-review review insights",
    "team-onboarding keybindings-help statusline",
  ),
  opencode: set("customize-opencode"),
};

/** In lower case. */
export function builtinAgents(provider: Provider): ReadonlySet<string> {
  return agents[provider] ?? NONE;
}

export function builtinSkills(provider: Provider): ReadonlySet<string> {
  return skills[provider] ?? NONE;
}

/** Slash commands of any of the tools: a text that mentions one may be for another tool than the one it lies with. */
export const builtinCommands: ReadonlySet<string> = new Set([
  ...Object.values(skills).flatMap((names) => [...names]),
  ...set(
    "add-dir agents auto-mode-setup autocompact background bashes bug chrome clear color compact config connect",
    "context copy cost delegate desktop details diff doctor editor effort exit experimental export extra-usage fast",
    "feedback focus fork goal heapdump help hooks ide init insights install-github-app install-slack-app keybindings",
    "list-agents list-dirs login logout loop lsp mcp memory mobile model models new output-style passes permissions",
    "plan plugin plugins pr_comments pr-comments privacy-settings quit recap redo release-notes reload-plugins",
    "reload-skills remote-control remote-env rename reset-allowed-tools resume review rewind sandbox security-review",
    "session sessions share skills stats status statusline stickers tasks team-onboarding teleport terminal-setup theme",
    "themes thinking todos undo unshare upgrade usage user vim workflow-launch-exec workflows",
  ),
]);
