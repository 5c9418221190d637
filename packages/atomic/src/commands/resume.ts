import { UsageError } from "@atomic/terminal/refusal";
import { type AtomicCommand, liveCommandOf } from "../command.ts";
import { engineOption, textOption } from "../options.ts";
import {
  budgetOf,
  budgetOptions,
  maxPromptsOption,
  noWaitOption,
  permissionsOf,
  policyOptions,
  refuseGrants,
} from "../run-options.ts";

export const resume: AtomicCommand = liveCommandOf({
  name: "resume",
  summary: "Continue a run that was interrupted or stopped",
  arguments: { run: { count: "one", summary: "The run's id or any unique prefix of it" } },
  options: {
    "max-prompts": maxPromptsOption,
    ...budgetOptions,
    ...policyOptions,
    retry: { kind: "flag", summary: "Retry the step that made the run fail" },
    from: textOption("node", "Run this node and all that follow it again, as the workflow's file has them now"),
    "keep-graph": {
      kind: "flag",
      summary: "If the workflow has changed, continue with the graph the run began with and today's functions",
    },
    engine: engineOption,
    "no-wait": noWaitOption,
  },
  details: [
    "New limits replace the run's own limits, and everything it has spent so far counts toward them. If another process is working on the run, that process gets the new limits. --allow, --deny, --ask and --max-prompts apply only while this process is working on the run.",
  ],
  examples: [
    { command: "atomic resume calm-otter --from review", shows: "Run it again from this node on, after a change." },
    { command: "atomic resume calm-otter", shows: "Continue where the run left off, even after a crash." },
    { command: "atomic resume calm-otter --budget-usd 10", shows: "Continue a run that used up its budget of $5." },
  ],
  live: async (context, input) => {
    refuseGrants(context, input, true);
    // A worker or a page's server that is gone cannot stop its children any more.
    if (context.env.ATOMIC_WORKER !== undefined || context.env.ATOMIC_WATCHED !== undefined)
      process.stdin.resume().once("end", () => process.kill(process.pid, "SIGTERM"));
    // What the run itself starts has another input.
    delete process.env.ATOMIC_WATCHED;
    const { resumeRun } = await import("../runtime/resume-run.ts");
    const { run, retry, from, "keep-graph": keepGraph, "max-prompts": maxPrompts } = input;
    if (from !== undefined && (keepGraph || retry)) {
      const other = keepGraph ? "--keep-graph" : "--retry";
      throw new UsageError(`'--from' cannot be combined with '${other}'`, { hint: "Use one of them." });
    }
    const limits = { budget: budgetOf(input), maxPrompts, permissions: permissionsOf(input) };
    const request = { run, retry, revision: { keepGraph, from }, engine: input.engine, ...limits };
    return await resumeRun(context, request, { json: input.json, noWait: input["no-wait"], fromStart: false });
  },
});
