// Which frontmatter keys each tool reads, as documented and as seen in its program.
import type { Entity, EntityType, Provider, ToolName } from "../entity.ts";

const spec = "name description license compatibility metadata allowed-tools".split(" ");
const claudeSkill = `name description when_to_use argument-hint arguments disable-model-invocation user-invocable
  allowed-tools disallowed-tools model effort context agent hooks paths shell version aliases`.split(/\s+/);
const claudeAgent = `name description tools disallowedTools model permissionMode mcpServers hooks skills maxTurns
  initialPrompt memory background effort isolation color omitClaudeMd observer observerMessage
  autoCompactWindow`.split(/\s+/);
const opencodeAgent = `name description mode model variant prompt tools permission temperature top_p steps maxSteps
  color hidden disable options`.split(/\s+/);
const opencodeCommand = "name template description agent model variant subtask".split(" ");
const copilotAgent = `name description target tools model skills disable-model-invocation user-invocable infer
  mcp-servers metadata argument-hint handoffs`.split(/\s+/);
const copilotSkill = "argument-hint disable-model-invocation user-invocable".split(" ");

/** Several tools read `.claude/skills` and `.agents/skills`, so a skill there may use the keys of each. */
const anySkill = [...spec, ...claudeSkill, ...copilotSkill];

type Keys = Readonly<Partial<Record<EntityType, ReadonlySet<string>>>>;

/** A type without frontmatter has no entry. */
export const knownKeys: Readonly<Record<Provider, Keys>> = {
  claude: { agent: new Set(claudeAgent), command: new Set(claudeSkill), skill: new Set(anySkill) },
  opencode: { agent: new Set(opencodeAgent), command: new Set(opencodeCommand), skill: new Set(spec) },
  copilot: { agent: new Set(copilotAgent), skill: new Set([...spec, ...copilotSkill]) },
  "agent-skills": { skill: new Set(anySkill) },
  atomic: { agent: new Set(claudeAgent), command: new Set(claudeSkill), skill: new Set(anySkill) },
  // Tools other than OpenCode use a command's hint.
  hugo: {
    agent: new Set(opencodeAgent),
    command: new Set([...opencodeCommand, "argument-hint"]),
    skill: new Set(spec),
  },
};

/** Deprecated keys of agents that still work, and what to use instead. */
export const retiredKeys: Readonly<Partial<Record<Provider, Readonly<Record<string, string>>>>> = {
  opencode: { tools: "Use `permission`.", maxSteps: "Use `steps`." },
  copilot: { infer: "Use `disable-model-invocation` and `user-invocable`." },
};

const denied: ReadonlySet<string> = new Set(["disallowed-tools"]);
const atomicLists: ReadonlySet<string> = new Set(["allowed-tools", "disallowed-tools"]);

/** The keys with which each tool restricts an entity, by the type that the tool loads it as; the best one first. */
export const restrictingKeys: Readonly<Record<ToolName | "atomic", Keys>> = {
  claude: {
    agent: new Set(["tools", "disallowedTools", "permissionMode"]),
    command: denied,
    skill: denied,
  },
  opencode: { agent: new Set(["permission", "tools"]), command: new Set(), skill: new Set() },
  copilot: { agent: new Set(["tools"]), skill: new Set() },
  atomic: { agent: new Set(["tools", "disallowedTools"]), command: atomicLists, skill: atomicLists },
};

const RESTRICTION =
  /^(?:(?:allowed|disallowed|denied|excluded|forbidden)[-_ ]*tools?|tools|permissions?|permission[-_ ]*mode)$/i;

/** Whether the author of this key wants to restrict something, however the key is spelled. */
export function looksRestricting(key: string): boolean {
  return RESTRICTION.test(key);
}

/**
 * The same for one entity. In a command or skill, `allowed-tools` restricts nothing: it lists the tools that may be used
 * without asking. Only Atomic allows no others.
 */
export function restrictsEntity(key: string, { type, source }: Pick<Entity, "type" | "source">): boolean {
  const isGrant = type !== "agent" && source.provider !== "atomic" && /^allowed[-_ ]?tools?$/i.test(key);
  return !isGrant && looksRestricting(key);
}
