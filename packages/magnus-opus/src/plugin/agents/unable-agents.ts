// Agents that cannot do their part: another workflow or the user has one of that name, or has taken away what it needs.
// Their runs would stand still, and nobody would know why.
import { decide } from "@atomic/workflows/permission/fold";
import { readPermission, rulesOf } from "@atomic/workflows/permission/rules";
import type { AgentConfig, OpencodeConfig } from "@atomic/workflows/plugin/opencode-config";
import type { Role } from "../../run/phase-name.ts";
import { phases } from "../../run/phases.ts";
import { sessionsFolder } from "../../sessions/sessions.ts";
import type { UnableAgents } from "../../words/help-words.ts";

/** Workflows note here whose an entry is; they may come with copies of their own of that module. */
const owners: unique symbol = Symbol.for("@atomic/workflows owners") as never;
type Owned = OpencodeConfig & { readonly [owners]?: ReadonlyMap<string, string> };

export interface OurAgents {
  readonly agents: Readonly<Record<string, AgentConfig>>;
  /** Agents under other names than their role's. */
  readonly roles: Readonly<Record<string, Role>>;
}

/** `config`: as OpenCode gets it, with everything merged. */
export function unableAgents(config: OpencodeConfig, { agents, roles }: OurAgents): UnableAgents {
  const found = Object.keys(agents).flatMap((name) => {
    const role = Object.hasOwn(roles, name) ? roles[name]! : name;
    const problem = agents[name]?.disable === true ? switchedOff(name, role) : problemOf(config, name, role);
    return problem === undefined ? [] : [[name, problem] as const];
  });
  return Object.fromEntries(found);
}

/** The phases of the others are left out with them. */
const alwaysNeeded: ReadonlySet<string> = new Set<Role>(["architect", "developer", "backend", "ui-developer"]);

function switchedOff(name: string, role: string): string | undefined {
  if (!alwaysNeeded.has(role)) return undefined;
  return `The agent \`${name}\` is switched off in the settings of Magnus Opus (\`disabled_agents\`, or \`agents.${name}.disable\`), but its phase is not left out with it. A person can switch it on and start OpenCode again, do its work by hand, or go on without: \`/waive phase <why>\`.`;
}

function problemOf(config: Owned, name: string, role: string): string | undefined {
  const owner = config[owners]?.get(`agent ${name}`);
  if (owner !== undefined && owner !== "magnus-opus") {
    return `The agent \`${name}\` is that of the workflow "${owner}", and does not know its part here. A person can switch that off: \`hugo disable ${owner}\`.`;
  }
  const given = config.agent?.[name] as AgentConfig | undefined;
  const rules = [config.permission, given?.permission].flatMap((said) => rulesOf(readPermission(said)));
  const lacking = needsOf(role).filter(({ permission, pattern }) => decide(rules, permission, pattern) === "deny");
  if (lacking.length === 0) return undefined;
  const what = lacking.map((need) => need.what).join(", ");
  return `The agent \`${name}\` may not ${what}: your own settings or agent of that name say so. A person can change that there (\`agent.${name}\` in opencode.json, \`agent/${name}.md\`), or in \`agents.${name}.permission\` of the settings of Magnus Opus.`;
}

interface Need {
  readonly permission: string;
  readonly pattern: string;
  readonly what: string;
}

/** From the phase table: who reports, who builds, who judges. */
function needsOf(role: string): readonly Need[] {
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
