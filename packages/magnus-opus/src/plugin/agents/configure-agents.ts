// The package's agents with a person's settings on top. What stands in opencode.json comes on top of that again.

import { didYouMean } from "@atomic/terminal/suggest";
import { layerPermission } from "@atomic/workflows/permission/layers";
import type { AgentConfig } from "@atomic/workflows/plugin/opencode-config";
import type { AgentOverride, Category, Config } from "../../config/schema.ts";
import { agentSkills } from "./agent-skills.ts";
import { type SkillText, withSkills } from "./skill-texts.ts";

export interface ConfiguredAgents {
  readonly agents: Agents;
  /** By agent, what goes with each of its requests to a model. */
  readonly parameters: Readonly<Record<string, Parameters>>;
  /** Names in the settings that stand for nothing. */
  readonly problems: readonly string[];
}

/** OpenCode would send these to a provider as they stand in an agent's options, under names that it may not know. */
export interface Parameters {
  readonly maxTokens?: number;
  readonly thinking?: NonNullable<Category["thinking"]>;
  readonly reasoningEffort?: NonNullable<Category["reasoningEffort"]>;
}

type Agents = Readonly<Record<string, AgentConfig>>;
type Skills = ReadonlyMap<string, SkillText>;

export function configureAgents(agents: Agents, config: Config, skills: Skills): ConfiguredAgents {
  const named = [...(config.disabled_agents ?? []), ...Object.keys(config.agents ?? {})];
  const strangers = named.filter((name) => !Object.hasOwn(agents, name));
  const problems = strangers.map((name) => nothingOf("agent", name, Object.keys(agents)));
  const settings = Object.keys(agents).map((name) => [name, settingsOf(name, config, skills)] as const);
  problems.push(...settings.flatMap(([, { problems: each }]) => each));
  return {
    agents: Object.fromEntries(settings.map(([name, each]) => [name, configureAgent(agents[name]!, each)])),
    parameters: Object.fromEntries(settings.map(([name, each]) => [name, parametersOf(each)])),
    problems,
  };
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
  return {
    ...agent,
    ...withoutUndefined(said),
    prompt: withSkills(appended.join("\n\n"), skills),
    ...(permission && { permission: layerPermission(agent.permission ?? {}, permission) }),
  };
}

function parametersOf({ override, category }: AgentSettings): Parameters {
  const { thinking, reasoningEffort } = category;
  return withoutUndefined({ thinking, reasoningEffort, maxTokens: override.maxTokens ?? category.maxTokens });
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
