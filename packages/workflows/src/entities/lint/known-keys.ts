// Which frontmatter keys each tool reads, as documented and as seen in its program.
import type { EntityType, Provider } from "../entity.ts";
import type { ToolName } from "../tools/places.ts";

const words = (text: string): readonly string[] => text.split(" ");

const spec = words("name description license compatibility metadata allowed-tools");
const claudeSkill = words(
  "name description when_to_use argument-hint arguments disable-model-invocation user-invocable allowed-tools " +
    "disallowed-tools model effort context agent hooks paths shell version aliases",
);
const claudeAgent = words(
  "name description tools disallowedTools model permissionMode mcpServers hooks skills maxTurns initialPrompt memory " +
    "background effort isolation color omitClaudeMd observer observerMessage autoCompactWindow",
);
const opencodeAgent = words(
  "name description mode model variant prompt tools permission temperature top_p steps maxSteps color hidden disable " +
    "options",
);
const opencodeCommand = words("name template description agent model variant subtask");
const copilotAgent = words(
  "name description target tools model skills disable-model-invocation user-invocable infer mcp-servers metadata " +
    "argument-hint handoffs",
);
const copilotSkill = words("argument-hint disable-model-invocation user-invocable");

/** `.claude/skills` and `.agents/skills` are read by several tools, so the keys of all of them are at home there. */
const anySkill = [...spec, ...claudeSkill, ...copilotSkill];

type Keys = Readonly<Partial<Record<EntityType, ReadonlySet<string>>>>;

const knownKeys: Readonly<Record<Provider, Keys>> = {
  claude: { agent: new Set(claudeAgent), command: new Set(claudeSkill), skill: new Set(anySkill) },
  opencode: { agent: new Set(opencodeAgent), command: new Set(opencodeCommand), skill: new Set(spec) },
  copilot: { agent: new Set(copilotAgent), skill: new Set([...spec, ...copilotSkill]) },
  "agent-skills": { skill: new Set(anySkill) },
  atomic: { agent: new Set(claudeAgent), command: new Set(claudeSkill), skill: new Set(anySkill) },
  // Other readers of a command have a use for its hint.
  hugo: {
    agent: new Set(opencodeAgent),
    command: new Set([...opencodeCommand, "argument-hint"]),
    skill: new Set(spec),
  },
};

/** `undefined` for what has no frontmatter. */
export function knownKeysOf(provider: Provider, type: EntityType): ReadonlySet<string> | undefined {
  return knownKeys[provider][type];
}

const titles: Readonly<Record<Provider, string>> = {
  claude: "Claude Code",
  opencode: "OpenCode",
  copilot: "Copilot",
  "agent-skills": "Agent Skills",
  atomic: "Atomic",
  hugo: "Hugo",
};

export function titleOf(provider: Provider): string {
  return titles[provider];
}

/** Whose files do have this key, in whatever type. */
export function homesOfKey(key: string): readonly Provider[] {
  return (["claude", "opencode", "copilot"] as const).filter((provider) =>
    Object.values(knownKeys[provider]).some((keys) => keys.has(key)),
  );
}

/** Keys that still work, with what the tool's makers want instead. */
export const retiredKeys: ReadonlyMap<string, string> = new Map([
  ["opencode agent tools", "Use `permission`."],
  ["opencode agent maxSteps", "Use `steps`."],
  ["copilot agent infer", "Use `disable-model-invocation` and `user-invocable`."],
]);

/** The keys by which each tool restricts what an entity may do, by what it loads the file as. */
const restrictingKeys: Readonly<Record<ToolName | "atomic", Keys>> = {
  claude: {
    agent: new Set(["tools", "disallowedTools", "permissionMode"]),
    command: new Set(["allowed-tools", "disallowed-tools"]),
    skill: new Set(["allowed-tools", "disallowed-tools"]),
  },
  opencode: { agent: new Set(["tools", "permission"]), command: new Set(), skill: new Set() },
  copilot: { agent: new Set(["tools"]), skill: new Set(["allowed-tools"]) },
  atomic: {
    agent: new Set(["tools", "disallowedTools"]),
    command: new Set(["allowed-tools", "disallowed-tools"]),
    skill: new Set(["allowed-tools", "disallowed-tools"]),
  },
};

export function restrictsBy(tool: ToolName | "atomic", type: EntityType, key: string): boolean {
  return restrictingKeys[tool][type]?.has(key) ?? false;
}

const RESTRICTION = /^(?:(?:allowed|disallowed|denied|excluded|forbidden)tools?|tools|permissions?|permissionmode)$/;

/** Whether the author of this key means to restrict something, however it is spelled. */
export function looksRestricting(key: string): boolean {
  return RESTRICTION.test(key.toLowerCase().replaceAll(/[-_ ]/g, ""));
}
