import type { Config } from "../../config/schema.ts";
import type { Limits } from "../../run/budget.ts";
import { type PhaseName, phaseNames, type Role } from "../../run/phase-name.ts";
import { phases } from "../../run/phases.ts";
import { defaultRunOptions, type MagnusRunOptions } from "../../run/run-options.ts";

export interface StartChoices {
  readonly skipPlanReview: boolean;
  readonly figmaUrl?: string | undefined;
  /** Agents under other names than their role's. */
  readonly roles: MagnusRunOptions["roles"];
  /** Unless the settings say. */
  readonly quorum?: number | undefined;
}

/** What is settled for a run when it starts, from the settings and from what a person typed. */
export function runOptionsOf(
  config: Config,
  { skipPlanReview, figmaUrl, roles, quorum }: StartChoices,
): MagnusRunOptions {
  const { gates, tests, budget } = config;
  const { phases: _, ...whole } = budget ?? {};
  const ofPhases = phaseNames.flatMap((name) => {
    const limits = budget?.phases?.[name];
    return limits === undefined ? [] : [[name, limitsOf(limits)] as const];
  });
  return {
    ...defaultRunOptions,
    skipPlanReview,
    ...(figmaUrl !== undefined && { figmaUrl }),
    // Phases that one agent is for, which the settings have switched off.
    skip: phaseNames.filter((name) => {
      const [role] = Object.keys(phases[name].access) as (Role | "implementers")[];
      if (role === undefined || role === "implementers" || role === "orchestrator") return false;
      const { disabled_agents = [], agents = {} } = config;
      return disabled_agents.includes(role) || (Object.hasOwn(agents, role) && agents[role]?.disable === true);
    }),
    quorum: gates?.quorum ?? quorum ?? defaultRunOptions.quorum,
    maxIterations: gates?.maxIterations ?? defaultRunOptions.maxIterations,
    skippedTests: tests?.skipped ?? defaultRunOptions.skippedTests,
    redProof: tests?.redProof ?? defaultRunOptions.redProof,
    budget: {
      run: { ...defaultRunOptions.budget.run, ...limitsOf(whole) },
      phases: Object.fromEntries(ofPhases),
    },
    roles,
  };
}

type SetLimits = Omit<NonNullable<Config["budget"]>, "phases">;

function limitsOf({ minutes, ...limits }: SetLimits): Limits {
  return { ...limits, ...(minutes !== undefined && { ms: minutes * 60_000 }) };
}

/** Names of phases in the settings that there are not. */
export function unknownPhases(config: Config): readonly string[] {
  return Object.keys(config.budget?.phases ?? {}).filter((name) => !phaseNames.includes(name as PhaseName));
}
