import { type EntityType, type Provider, providers } from "../entity.ts";
import { lookupKey } from "../qualified-name.ts";
import type { EntityRegistry } from "../registry.ts";

/** The names and aliases that these providers give to entities of a type, in the form that lookups compare. */
export type KnownNames = (type: EntityType, providers: readonly Provider[] | undefined) => ReadonlySet<string>;

/** Remembers its answers, because lint asks for each entity. */
export function knownNamesOf(registry: EntityRegistry): KnownNames {
  const known = new Map<string, ReadonlySet<string>>();
  return (type, providers) => {
    const key = `${type} ${providers}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const entities = registry
      .entries()
      .filter((entity) => entity.type === type && (providers?.includes(entity.source.provider) ?? true));
    const names = new Set(entities.flatMap(({ name, aliases }) => [name, ...aliases]).map(lookupKey));
    known.set(key, names);
    return names;
  };
}

// The agents, skills and commands that come with each tool, so mentioning one is not a dead reference. Seen in Claude
// Code 2.1 and OpenCode 1.18. A name that a tool drops later can hide a finding, but never causes a false one.
type NamesByProvider = Readonly<Record<Provider, ReadonlySet<string>>>;

const none = Object.fromEntries(providers.map((provider) => [provider, new Set()])) as unknown as NamesByProvider;

/** In lower case. */
export const builtinAgents: NamesByProvider = {
  ...none,
  claude: new Set(
    "claude explore general-purpose plan statusline-setup output-style-setup claude-code-guide".split(" "),
  ),
  opencode: new Set("build plan general explore compaction summary title".split(" ")),
  copilot: new Set("explore task general-purpose code-review".split(" ")),
};

const claudeSkills = `deep-research dataviz update-config verify debug code-review simplify batch
  fewer-permission-prompts doctor loop claude-api workflow-authoring run run-skill-generator plugin-authoring init
  security-review review insights team-onboarding keybindings-help statusline`.split(/\s+/);

export const builtinSkills: NamesByProvider = {
  ...none,
  claude: new Set(claudeSkills),
  opencode: new Set(["customize-opencode"]),
};

/** The slash commands of every tool: a text may mention a command of a tool other than the one that reads it. */
export const builtinCommands: ReadonlySet<string> = new Set([
  ...claudeSkills,
  "customize-opencode",
  ...`add-dir agents auto-mode-setup autocompact background bashes bug chrome clear color compact config connect
    context copy cost delegate desktop details diff doctor editor effort exit experimental export extra-usage fast
    feedback focus fork goal heapdump help hooks ide init insights install-github-app install-slack-app keybindings
    list-agents list-dirs login logout loop lsp mcp memory mobile model models new output-style passes permissions
    plan plugin plugins pr_comments pr-comments privacy-settings quit recap redo release-notes reload-plugins
    reload-skills remote-control remote-env rename reset-allowed-tools resume review rewind sandbox security-review
    session sessions share skills stats status statusline stickers tasks team-onboarding teleport terminal-setup theme
    themes thinking todos undo unshare upgrade usage user vim workflow-launch-exec workflows`.split(/\s+/),
]);
