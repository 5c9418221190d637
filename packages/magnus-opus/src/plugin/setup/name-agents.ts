// Where you have an agent with the name of one of ours, yours stays as it is, and ours gets another name: in its permissions, its
// prompts, its commands and its settings.
import type { AgentConfig, OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Workflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { type AgentNames, nameInOpencode, otherNames, withNames } from "../../run/agent-names.ts";
import { lookUp } from "../../run/state.ts";
import type { MagnusSettings } from "../live/settings.ts";

/** Workflows record here who owns an entry. A global symbol, because each workflow may bundle its own copy of that module. */
const owners: unique symbol = Symbol.for("@atomic/workflows owners") as never;
type Owned = OpencodeConfig & { readonly [owners]?: ReadonlyMap<string, string> };

/** The workflow that has put an entry into the config; undefined if none has. */
export function ownerOf(config: Owned, kind: "agent" | "command", name: string): string | undefined {
  return config[owners]?.get(`${kind} ${name}`);
}

/**
 * Whether the config has another agent with this name: another workflow's, or one of yours. An entry without a prompt and a
 * description is not an agent of its own; it only changes settings of ours.
 */
export function isTaken(config: OpencodeConfig, name: string): boolean {
  const owner = ownerOf(config, "agent", name);
  if (owner !== undefined) return owner !== "magnus-opus";
  const { prompt, description } = lookUp(config.agent ?? {}, name) ?? {};
  return [prompt, description].some((text) => typeof text === "string" && text.trim() !== "");
}

/** The workflow as OpenCode gets it; `settings` are changed accordingly. */
export function nameAgents(
  workflow: Workflow,
  settings: Pick<MagnusSettings, "names" | "agents" | "parameters">,
  taken: (name: string) => boolean,
): Workflow {
  const names = otherNames(Object.keys(workflow.agents), taken);
  const renamed = <Value>(record: Readonly<Record<string, Value>>, change = (value: Value) => value) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [nameInOpencode(names, name), change(value)]));
  const agents = renamed(workflow.agents, (agent) => withTheirNames(agent, names));
  settings.names = names;
  settings.agents = agents;
  settings.parameters = renamed(settings.parameters);
  const commands = Object.entries(workflow.commands).map(([name, command]) => {
    const { agent } = command;
    return [name, { ...command, ...(agent !== undefined && { agent: nameInOpencode(names, agent) }) }] as const;
  });
  return { ...workflow, agents, commands: Object.fromEntries(commands) };
}

function withTheirNames(agent: AgentConfig, names: AgentNames): AgentConfig {
  const { prompt, permission } = agent;
  const task = permission?.task;
  const rules = typeof task !== "object" ? undefined : Object.entries(task);
  const renamed = rules?.map(([name, action]) => [nameInOpencode(names, name), action] as const);
  return {
    ...agent,
    ...(prompt !== undefined && { prompt: withNames(prompt, names) }),
    ...(renamed !== undefined && { permission: { ...permission, task: Object.fromEntries(renamed) } }),
  };
}
