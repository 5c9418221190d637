import type { Context } from "../context.ts";
import { type Interview, interview } from "../opencode/testimony.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import type { Snapshot } from "../workspace/snapshot.ts";
import { widerThanProject } from "./health/copied-findings.ts";
import { examine, startExamination } from "./health/examine.ts";
import type { WorkflowHealth } from "./health/finding.ts";
import { undisturbed } from "./health/undisturbed.ts";
import { reportHealth } from "./report/health.ts";
import { findWorkflows } from "./shared/find-workflows.ts";
import type { InputOf, Operation } from "./shared/operation.ts";

type Arguments = { readonly name: { readonly count: "maybe"; readonly summary: string } };
type Flag = { readonly kind: "flag"; readonly summary: string };
type Options = { readonly all: Flag; readonly static: Flag };

export interface Health {
  /** `not-asked` if nothing in question is enabled, or nobody wanted it. */
  readonly opencode: Exclude<Interview, { kind: "asked" }> | { readonly kind: "asked" | "not-asked" };
  readonly workflows: readonly WorkflowHealth[];
  /** What went wrong in plugins, of which OpenCode does not say whose. */
  readonly failedHooks: readonly string[];
  readonly notices: readonly string[];
}

export const health: Operation<Arguments, Options, Health> = {
  name: "health",
  summary: "Ask OpenCode whether it really runs what is installed",
  arguments: { name: { count: "maybe", summary: "One workflow (default: every enabled one)" } },
  options: {
    all: { kind: "flag", summary: "Include disabled workflows" },
    static: { kind: "flag", summary: "Do not start OpenCode (which runs this project's plugins)" },
  },
  examples: [
    { command: "hugo health", shows: "which workflows are loaded, their versions, and which one wins each name" },
    { command: "hugo health review", shows: "one workflow, even if it is disabled" },
    { command: "hugo health --all --json", shows: "everything, for a program" },
  ],
  mutates: false,
  run: runHealth,
  report: reportHealth,
};

async function runHealth(context: Context, input: InputOf<Arguments, Options>): Promise<Health> {
  const place = placeFor(context, input);
  const snapshot = await readSnapshot(place);
  const names = scopeOf(snapshot, input);
  const enabled = names.filter((name) => snapshot.isEnabled(name));
  const isNeeded = !input.static && enabled.length > 0;
  const withSkills = enabled.some((name) => snapshot.lock.workflows.get(name)?.skills.length !== 0);
  const cwd = place.scope === "global" ? place.root : context.cwd;
  const ask = (): Promise<Interview> => interview(context, { cwd, withSkills });
  const answer = isNeeded ? await undisturbed(place, ask) : ({ kind: "not-asked" } as const);
  const testimony = answer.kind === "asked" ? answer.testimony : undefined;
  const examination = startExamination(context, snapshot, testimony);
  const workflows: WorkflowHealth[] = [];
  for (const name of names) workflows.push(await examine(examination, name));
  return {
    opencode: answer.kind === "asked" ? { kind: "asked" } : answer,
    workflows,
    failedHooks: testimony?.failedHooks ?? [],
    notices: [...snapshot.notices, ...(await widerThanProject(context, snapshot))],
  };
}

function scopeOf(
  snapshot: Snapshot,
  { name, all }: { readonly name: string | undefined; readonly all: boolean },
): string[] {
  if (name !== undefined) return findWorkflows(snapshot.lock, [name]);
  return [...snapshot.lock.workflows.keys()].sort().filter((workflow) => all || snapshot.isEnabled(workflow));
}
