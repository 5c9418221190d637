// Runs once OpenCode has merged all settings: hides our tools from other agents, and finds agents that cannot do their job.
// The user may forbid what ours need; the run would stall silently.

import { decide } from "@atomic/workflows/internal/permission/decide";
import { type Permission, readPermission, rulesOf } from "@atomic/workflows/internal/permission/rules";
import type { AgentConfig, OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { type CommandNames, withCommands } from "../../run/command-names.ts";
import type { Role } from "../../run/phase-name.ts";
import { phases } from "../../run/phases.ts";
import { sessionsFolder } from "../../sessions/workplace.ts";
import type { UnableAgents } from "../../words/help-words.ts";

/**
 * Denies the workflow's tools and skills to every agent whose own permission does not allow them, so others do not pay for them.
 * The user's own rules about them stay.
 */
export function hideFromOthers(config: OpencodeConfig, tools: readonly string[], skills: readonly string[]): void {
  const { permission = {} } = config;
  const user: Permission = typeof permission === "string" ? { "*": permission } : permission;
  const skill = typeof user.skill === "string" ? { "*": user.skill } : user.skill;
  config.permission = { ...user, ...denied(tools, user), skill: { ...skill, ...denied(skills, skill ?? {}) } };
}

function denied(names: readonly string[], said: Permission): Readonly<Record<string, "deny">> {
  return Object.fromEntries(names.filter((name) => !Object.hasOwn(said, name)).map((name) => [name, "deny"]));
}

/** Gives tools to agents that are not ours, as the settings say. The user's own rules about the tools stay. */
export function allowTools(config: OpencodeConfig, agents: readonly string[], tools: readonly string[]): void {
  for (const name of agents) {
    const agent = config.agent?.[name] ?? {};
    const { permission = {} } = agent as AgentConfig;
    const own: Permission = typeof permission === "string" ? { "*": permission } : permission;
    const allowed = Object.fromEntries(
      tools.filter((tool) => !Object.hasOwn(own, tool)).map((tool) => [tool, "allow"]),
    );
    config.agent = { ...config.agent, [name]: { ...agent, permission: { ...own, ...allowed } } };
  }
}

export interface OurAgents {
  readonly commandNames: CommandNames;
  readonly agents: Readonly<Record<string, AgentConfig>>;
  /** Undefined if the agent is not ours. */
  roleOf(agent: string): string | undefined;
}

/** Disabling any other agent leaves its phase out. */
const alwaysNeeded: ReadonlySet<string> = new Set<Role>(["architect", "developer", "backend", "ui-developer"]);

/** `config`: as OpenCode gets it, with everything merged. */
export function unableAgents(config: OpencodeConfig, ours: OurAgents): UnableAgents {
  const unable: Record<string, string> = {};
  for (const [name, agent] of Object.entries(ours.agents)) {
    const role = ours.roleOf(name) ?? name;
    if (agent.disable === true) {
      if (!alwaysNeeded.has(role)) continue;
      unable[name] =
        `The agent \`${name}\` is disabled in the Magnus Opus settings (\`disabled_agents\`, or \`agents.${role}.disable\`), but its phase is still part of the run. The user can enable it and restart OpenCode, do its work by hand, or continue without it: ${withCommands("`/waive phase <reason>`", ours.commandNames)}.`;
    } else {
      const given = config.agent?.[name] as AgentConfig | undefined;
      const rules = [config.permission, given?.permission].flatMap((said) => rulesOf(readPermission(said)));
      const lacking = needsOf(role).filter(({ permission, pattern }) => decide(rules, permission, pattern) === "deny");
      if (lacking.length === 0) continue;
      const what = lacking.map((need) => need.what).join(", ");
      unable[name] =
        `The agent \`${name}\` may not ${what}: the user's settings forbid it. The user can change that there (\`agent.${name}\` in opencode.json, \`agent/${name}.md\`), or in \`agents.${role}.permission\` in the Magnus Opus settings.`;
    }
  }
  return unable;
}

interface Need {
  readonly permission: string;
  readonly pattern: string;
  readonly what: string;
}

/** From the phase table: who reports, who builds, who judges. */
export function needsOf(role: string): readonly Need[] {
  const own = Object.values(phases).filter(({ access }) => Object.hasOwn(access, role));
  const isBuilder = ["developer", "backend", "ui-developer"].includes(role);
  const reports = own.some(({ access }) => ["report", "try"].includes(access[role as Role] ?? ""));
  const uses = (permission: string): Need => ({ permission, pattern: "*", what: `use \`${permission}\`` });
  return [
    ...(reports ? [{ permission: "edit", pattern: `${sessionsFolder}/run/report.md`, what: "write its reports" }] : []),
    ...(isBuilder ? [{ permission: "edit", pattern: "src/made.ts", what: "change files" }] : []),
    ...(own.some(({ judge }) => judge?.role === role) ? [uses("submit_review")] : []),
    ...(role === "tester" || isBuilder ? [uses("run_tests")] : []),
    ...(role === "orchestrator" ? [uses("magnus_start"), uses("magnus_next")] : []),
  ];
}
