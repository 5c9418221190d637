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
  /** The minimum number of reviews for every plan and every change; undefined if not configured. */
  readonly quorum: number | undefined;
}

export function withReviewers(agents: Agents, { reviewModels }: Config): Reviewers {
  if (reviewModels?.autoUse !== true) return { agents, roles: {}, quorum: undefined };
  const plan = copies(agents, "plan-reviewer", reviewModels.planReview ?? []);
  const code = copies(agents, "reviewer", reviewModels.codeReview ?? []);
  const made = [...plan, ...code];
  if (made.length === 0) return { agents, roles: {}, quorum: undefined };
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
    quorum: Math.max(1, Math.min(...[plan, code].map(({ length }) => length).filter((count) => count > 0))),
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
