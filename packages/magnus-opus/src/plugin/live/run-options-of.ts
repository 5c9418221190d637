import type { Config } from "../../config/schema.ts";
import type { Limits } from "../../run/budget.ts";
import { type PhaseName, phaseNames, type Role } from "../../run/phase-name.ts";
import { phases } from "../../run/phases.ts";
import { defaultRunOptions, type MagnusRunOptions } from "../../run/run-options.ts";

export interface StartChoices {
  readonly skipPlanReview: boolean;
  readonly figmaUrl?: string | undefined;
  /** Agents that have another name than their role. */
  readonly roles: MagnusRunOptions["roles"];
  /** The model of an agent; unknown by default. Two reviewers with the same model count as one. */
  readonly modelOf?: (agent: string) => string | undefined;
}

const judged = phaseNames.flatMap((name) => {
  const { judge } = phases[name];
  return judge === undefined ? [] : [[name, judge.role] as const];
});

/** The options fixed when a run starts, from the settings and the typed command. */
export function runOptionsOf(
  config: Config,
  { skipPlanReview, figmaUrl, roles, modelOf = () => undefined }: StartChoices,
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
    // Phases whose only agent the settings disable.
    skip: phaseNames.filter((name) => {
      const [role] = Object.keys(phases[name].access) as (Role | "implementers")[];
      if (role === undefined || role === "implementers" || role === "orchestrator") return false;
      const { disabled_agents = [], agents = {} } = config;
      return disabled_agents.includes(role) || (Object.hasOwn(agents, role) && agents[role]?.disable === true);
    }),
    // Each phase asks its own reviewers, and no more of them than it has.
    quorum: Object.fromEntries(
      judged.flatMap(([name, role]) => {
        const reviewers = Object.keys(roles).filter((agent) => roles[agent] === role);
        const distinct = new Set(reviewers.map((each) => modelOf(each) ?? each)).size;
        const needed = Math.min(gates?.quorum ?? distinct, distinct);
        return needed > 1 ? [[name, needed]] : [];
      }),
    ),
    maxIterations: gates?.maxIterations ?? defaultRunOptions.maxIterations,
    skippedTests: tests?.skipped ?? defaultRunOptions.skippedTests,
    redProof: tests?.redProof ?? defaultRunOptions.redProof,
    budget: { run: { ...defaultRunOptions.budget.run, ...limitsOf(whole) }, phases: Object.fromEntries(ofPhases) },
    roles,
  };
}

function limitsOf({ minutes, ...limits }: Omit<NonNullable<Config["budget"]>, "phases">): Limits {
  return { ...limits, ...(minutes !== undefined && { ms: minutes * 60_000 }) };
}

/** Phase names in the settings that do not exist. */
export function unknownPhases(config: Config): readonly string[] {
  return Object.keys(config.budget?.phases ?? {}).filter((name) => !phaseNames.includes(name as PhaseName));
}

/** A quorum that more reviewers would be needed for than there are. */
export function unreachedQuorum({ gates }: Config, roles: MagnusRunOptions["roles"]): readonly string[] {
  const most = Math.max(1, ...judged.map(([, role]) => Object.values(roles).filter((each) => each === role).length));
  if ((gates?.quorum ?? 1) <= most) return [];
  const many = most === 1 ? "one reviewer" : `${most} reviewers`;
  return [`gates.quorum is ${gates?.quorum}, but a phase has at most ${many}. Name more models in reviewModels.`];
}
