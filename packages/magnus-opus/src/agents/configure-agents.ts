// The package's agents with a person's settings on top. What stands in opencode.json comes on top of that again.
import type { AgentConfig } from "@atomic/workflows/plugin/opencode-config";
import { layerPermission } from "@atomic/workflows/plugin/permission-layers";
import { didYouMean } from "@atomic/workflows/suggest";
import type { AgentOverride, Category, Config } from "../config/schema.ts";
import { agentSkills } from "./agent-skills.ts";
import { type SkillText, withSkills } from "./skill-texts.ts";

export interface ConfiguredAgents {
  readonly agents: Agents;
  /** Names in the settings that stand for nothing. */
  readonly problems: readonly string[];
}

type Agents = Readonly<Record<string, AgentConfig>>;
type Skills = ReadonlyMap<string, SkillText>;

export function configureAgents(agents: Agents, config: Config, skills: Skills): ConfiguredAgents {
  const named = [...(config.disabled_agents ?? []), ...Object.keys(config.agents ?? {})];
  const strangers = named.filter((name) => !Object.hasOwn(agents, name));
  const problems = strangers.map((name) => nothingOf("agent", name, Object.keys(agents)));
  const configured = Object.entries(agents).map(([name, agent]) => {
    const settings = settingsOf(name, config, skills);
    problems.push(...settings.problems);
    return [name, configureAgent(agent, settings)] as const;
  });
  return { agents: Object.fromEntries(configured), problems };
}

interface AgentSettings {
  readonly isDisabled: boolean;
  readonly override: AgentOverride;
  readonly category: Partial<Category>;
  readonly skills: readonly SkillText[];
  readonly problems: readonly string[];
}

function settingsOf(name: string, config: Config, skills: Skills): AgentSettings {
  const override = own(config.agents, name) ?? {};
  const category = override.category === undefined ? {} : own(config.categories, override.category);
  const wanted = override.skills ?? own(agentSkills, name) ?? [];
  const enabled = [...new Set(wanted)].filter((each) => !config.disabled_skills?.includes(each));
  const missing = enabled.filter((each) => !skills.has(each));
  const groups = Object.keys(config.categories ?? {});
  return {
    isDisabled: override.disable === true || config.disabled_agents?.includes(name) === true,
    override,
    category: category ?? {},
    skills: enabled.flatMap((each) => skills.get(each) ?? []),
    problems: [
      ...(category === undefined ? [nothingOf(`category of ${name}`, override.category ?? "", groups)] : []),
      ...missing.map((each) => nothingOf(`skill of ${name}`, each, skills.keys())),
    ],
  };
}

function configureAgent(agent: AgentConfig, { isDisabled, override, category, skills }: AgentSettings): AgentConfig {
  if (isDisabled) return { ...agent, disable: true };
  const { model, variant, temperature, top_p, description, mode, color, permission } = { ...category, ...override };
  const said = { model, variant, temperature, top_p, description, mode, color };
  const prompt = override.prompt ?? agent.prompt ?? "";
  const appended = [prompt, category.prompt_append, override.prompt_append].filter((text) => text !== undefined);
  const options = { ...agent.options, ...providerOptions(override, category) };
  return {
    ...agent,
    ...withoutUndefined(said),
    prompt: withSkills(appended.join("\n\n"), skills),
    ...(permission && { permission: layerPermission(agent.permission ?? {}, permission) }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

/** What OpenCode hands on to the provider as it is. */
function providerOptions({ maxTokens }: AgentOverride, category: Partial<Category>): Readonly<Record<string, unknown>> {
  const { thinking, reasoningEffort } = category;
  return withoutUndefined({ thinking, reasoningEffort, maxTokens: maxTokens ?? category.maxTokens });
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function own<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function nothingOf(kind: string, name: string, known: Iterable<string>): string {
  const [best] = didYouMean(name, known);
  return `There is no ${kind} "${name}"${best === undefined ? "" : ` (did you mean ${best}?)`}.`;
}
