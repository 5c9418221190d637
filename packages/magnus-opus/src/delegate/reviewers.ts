// One reviewer for each configured model. OpenCode's `task` does not accept a model, so each reviewer is a separate agent.

import { layerPermission } from "@atomic/workflows/internal/permission/layers";
import type { AgentConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import type { Config } from "../config/schema.ts";
import type { Role } from "../run/phase-name.ts";

type Agents = Readonly<Record<string, AgentConfig>>;

export interface Reviewers {
  readonly agents: Agents;
  /** The role of each of the new agents. */
  readonly roles: Readonly<Record<string, Role>>;
}

export function withReviewers(agents: Agents, { reviewModels }: Config): Reviewers {
  if (reviewModels?.autoUse !== true) return { agents, roles: {} };
  const plan = copies(agents, "plan-reviewer", reviewModels.planReview ?? []);
  const code = copies(agents, "reviewer", reviewModels.codeReview ?? []);
  const made = [...plan, ...code];
  if (made.length === 0) return { agents, roles: {} };
  const { orchestrator = {} } = agents;
  const allowed = Object.fromEntries(made.map(({ name }) => [name, "allow" as const]));
  const permission = layerPermission(orchestrator.permission ?? {}, { task: allowed });
  return {
    agents: {
      ...agents,
      ...Object.fromEntries(made.map(({ name, agent }) => [name, agent])),
      orchestrator: { ...orchestrator, permission },
    },
    roles: Object.fromEntries(made.map(({ name, role }) => [name, role])),
  };
}

interface Copy {
  readonly name: string;
  readonly role: Role;
  readonly agent: AgentConfig;
}

/** Copies of the role's agent, one for each model. */
function copies(agents: Agents, role: Role, models: readonly string[]): readonly Copy[] {
  const base = agents[role];
  if (base === undefined || base.disable === true) return [];
  return [...new Set(models)].map((model, at) => ({ name: `${role}-${at + 1}`, role, agent: { ...base, model } }));
}
