import type { Lock } from "@atomic/workflows/hugo-lock/lock";
import type { Context } from "../context.ts";
import { placeFor } from "../workspace/place.ts";
import { readSnapshot } from "../workspace/read-snapshot.ts";
import { outdatedReport } from "./report/outdated.ts";
import { oneOrAll } from "./shared/find-workflows.ts";
import { type Freshness, freshnessOf } from "./shared/freshness.ts";
import type { Operation } from "./shared/operation.ts";

export interface WorkflowFreshness extends Freshness {
  readonly name: string;
  readonly package: string;
  readonly source: string;
}

export interface OutdatedResult {
  readonly workflows: readonly WorkflowFreshness[];
  readonly notices: readonly string[];
}

const names = { name: { count: "maybe", summary: "Only this workflow" } } as const;

export const outdated: Operation<typeof names, Record<never, never>, OutdatedResult> = {
  name: "outdated",
  summary: "Show which workflows have a newer version",
  details: "Wanted is what `hugo update` would install; latest is the newest version.",
  arguments: names,
  options: {},
  examples: [{ command: "hugo outdated", shows: "installed, wanted and latest version of each workflow" }],
  mutates: false,
  async run(context, input) {
    const { lock, notices } = await readSnapshot(placeFor(context, input));
    const workflows = await askAll(lock, oneOrAll(lock, input.name), context);
    return { workflows, notices };
  },
  report: outdatedReport,
};

/** Enough to be quick, and few enough not to be taken for an attack. */
const AT_ONCE = 6;

async function askAll(lock: Lock, names: readonly string[], context: Context): Promise<WorkflowFreshness[]> {
  const now = Date.now();
  const answers = new Map<string, WorkflowFreshness>();
  const waiting = [...names];
  const ask = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const workflow = lock.workflows.get(name)!;
      const freshness = await freshnessOf(workflow, context, now);
      answers.set(name, { name, package: workflow.package, source: workflow.source, ...freshness });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, names.length) }, ask));
  return names.map((name) => answers.get(name)!);
}
