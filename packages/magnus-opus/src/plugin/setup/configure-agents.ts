// The package's agents with the user's settings applied. Settings in opencode.json override these.

import { didYouMean } from "@atomic/terminal/suggest";
import { listFiles } from "@atomic/workflows/internal/entities/discover";
import { parseFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/parse";
import { recoverLikeOpenCode } from "@atomic/workflows/internal/entities/frontmatter/recover";
import { splitFrontmatter } from "@atomic/workflows/internal/entities/frontmatter/split";
import { readTextFile } from "@atomic/workflows/internal/entities/read-file";
import { layerPermission } from "@atomic/workflows/internal/permission/layers";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Category, Config } from "../../config/schema.ts";
import { lookUp } from "../../run/state.ts";
import { type Stack, stackAgent } from "../../stacks/stack.ts";
import type { ModelParameters } from "../live/settings.ts";

/** Which skills an agent has in every stack, unless `agents.<name>.skills` says otherwise. The stack adds its own. */
export const agentSkills: Readonly<Record<string, readonly string[]>> = {
  orchestrator: ["multi-agent-coordination", "todowrite-orchestration", "quality-gates"],
  architect: ["quality-gates"],
};

/** It touches nothing of the project. */
const withoutStack: ReadonlySet<string> = new Set(["cleaner"]);
const building: ReadonlySet<string> = new Set(["developer", "backend", "ui-developer"]);

type Agents = Readonly<Record<string, AgentConfig>>;

export interface ConfiguredAgents {
  readonly agents: Agents;
  /** By agent: what is sent with each of its model requests. */
  readonly parameters: Readonly<Record<string, ModelParameters>>;
  /** Unknown names in the settings. */
  readonly problems: readonly string[];
}

export function configureAgents(
  agents: Agents,
  config: Config,
  skills: ReadonlyMap<string, SkillText>,
  stack: Stack,
): ConfiguredAgents {
  const configured: Record<string, AgentConfig> = {};
  const parameters: Record<string, ModelParameters> = {};
  const named = [...(config.disabled_agents ?? []), ...Object.keys(config.agents ?? {})];
  const strangers = named.filter((name) => !Object.hasOwn(agents, name));
  const problems = strangers.map((name) => nothingOf("agent", name, Object.keys(agents)));
  for (const [name, ofPackage] of Object.entries(agents)) {
    const agent = withoutStack.has(name) ? ofPackage : onStack(name, ofPackage, stack);
    const override = lookUp(config.agents ?? {}, name) ?? {};
    const found = override.category === undefined ? {} : lookUp(config.categories ?? {}, override.category);
    if (found === undefined) {
      const categories = Object.keys(config.categories ?? {});
      problems.push(nothingOf(`category of ${name}`, override.category ?? "", categories));
    }
    const category: Partial<Category> = found ?? {};
    const wanted = override.skills ?? [...(lookUp(agentSkills, name) ?? []), ...(lookUp(stack.skills, name) ?? [])];
    const enabled = [...new Set(wanted)].filter((each) => !config.disabled_skills?.includes(each));
    const missing = enabled.filter((each) => !skills.has(each));
    problems.push(...missing.map((each) => nothingOf(`skill of ${name}`, each, skills.keys())));
    const { thinking, reasoningEffort } = category;
    const maxTokens = override.maxTokens ?? category.maxTokens;
    parameters[name] = withoutUndefined({ thinking, reasoningEffort, maxTokens });
    if (override.disable === true || config.disabled_agents?.includes(name) === true) {
      configured[name] = { ...agent, disable: true };
      continue;
    }
    const { model, variant, temperature, top_p, description, mode, color, permission } = { ...category, ...override };
    const said = { model, variant, temperature, top_p, description, mode, color };
    const prompt = [override.prompt ?? agent.prompt ?? "", category.prompt_append, override.prompt_append];
    // Skills are part of the agent's prompt, so other agents do not pay for them.
    const blocks = enabled.flatMap((each) => {
      const skill = skills.get(each);
      return skill === undefined ? [] : [`<skill name="${skill.name}">\n${skill.text}\n</skill>`];
    });
    const text = prompt.filter((part) => part !== undefined).join("\n\n");
    configured[name] = {
      ...agent,
      ...withoutUndefined(said),
      prompt: [text.trimEnd(), ...blocks].join("\n\n"),
      ...(permission && { permission: layerPermission(agent.permission ?? {}, permission) }),
    };
  }
  return { agents: configured, parameters, problems };
}

/** The agent with what the stack adds to its prompt and its shell. */
function onStack(role: string, agent: AgentConfig, stack: Stack): AgentConfig {
  const { text, description = agent.description } = stackAgent(stack, role);
  const prompt = [agent.prompt?.trimEnd(), text === "" ? "" : `## In this project: ${stack.title}\n\n${text}\n`];
  const rules = (patterns: readonly string[] = [], action: "allow" | "ask") =>
    Object.fromEntries(patterns.map((pattern) => [pattern, action]));
  const more = building.has(role) ? rules(stack.ask, "ask") : role === "tester" ? rules(stack.try, "allow") : {};
  const bash = agent.permission?.bash;
  return {
    ...agent,
    ...(description !== undefined && { description }),
    prompt: prompt.filter(Boolean).join("\n\n"),
    // Right behind `*`: the last match wins, and what the package forbids stays forbidden.
    ...(typeof bash === "object" &&
      Object.keys(more).length > 0 && {
        permission: { ...agent.permission, bash: { "*": bash["*"] ?? "ask", ...more, ...bash } },
      }),
  };
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function nothingOf(kind: string, name: string, known: Iterable<string>): string {
  const [best] = didYouMean(name, known);
  return `There is no ${kind} "${name}"${best === undefined ? "" : ` (did you mean ${best}?)`}.`;
}

export interface SkillText {
  readonly name: string;
  readonly text: string;
  readonly path: string;
}

/** Skills by name. The first folder wins: the project's, then the user's, then the package's. */
export function skillTexts(folders: readonly string[]): ReadonlyMap<string, SkillText> {
  const found = new Map<string, SkillText>();
  for (const { path } of folders.flatMap((folder) => listFiles(folder, { pattern: "**/SKILL.md" }).files)) {
    const file = readTextFile(path);
    if (file.kind === "unreadable") continue;
    const { name } = parseFrontmatter(file.text, { recover: recoverLikeOpenCode }).values;
    if (typeof name !== "string" || found.has(name)) continue;
    found.set(name, { name, text: file.text.slice(splitFrontmatter(file.text).bodyStart).trim(), path });
  }
  return found;
}
