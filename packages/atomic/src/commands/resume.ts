import type { ArgumentSpec, FlagSpec, InputOf, LiveCommand } from "@atomic/terminal/command";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import type { Context } from "../context.ts";
import {
  type BudgetOptions,
  budgetOf,
  budgetOptions,
  noWaitOption,
  type PolicyOptions,
  permissionsOf,
  policyOptions,
  refuseGrants,
} from "../run-options.ts";

type Arguments = { readonly run: ArgumentSpec & { readonly count: "one" } };
type Options = BudgetOptions & PolicyOptions & { readonly retry: FlagSpec; readonly "no-wait": FlagSpec };

export const resume: LiveCommand<Context, Arguments, Options> = {
  name: "resume",
  summary: "Go on with a run that was interrupted, given back or stopped",
  arguments: { run: { count: "one", summary: "Its id, or the beginning of it" } },
  options: {
    ...budgetOptions,
    ...policyOptions,
    retry: { kind: "flag", summary: "Try again what has made the run fail" },
    "no-wait": noWaitOption,
  },
  details: [
    "Limits that are given replace those of the run; what it has spent before counts towards them. While another process works on the run, that one is told of them. Answers about tools count for as long as this process works on it.",
  ],
  examples: [
    { command: "atomic resume calm-otter", shows: "It goes on where it was, also after a crash." },
    { command: "atomic resume calm-otter --budget-usd 10", shows: "It had stopped for its budget of 5." },
  ],
  live: resumeIt,
};

async function resumeIt(
  context: Context,
  input: InputOf<Arguments, Options> & { readonly json: boolean },
): Promise<ExitCode> {
  refuseGrants(context, input, true);
  const { resumeRun } = await import("../runtime/resume-run.ts");
  const request = { run: input.run, budget: budgetOf(input), permissions: permissionsOf(input), retry: input.retry };
  return await resumeRun(context, request, { json: input.json, noWait: input["no-wait"], fromStart: false });
}
