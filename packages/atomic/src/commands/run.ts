import { resolve } from "node:path";
import type {
  ArgumentSpec,
  ChoiceSpec,
  FlagSpec,
  InputOf,
  LiveCommand,
  MoreHelp,
  ParsedSpec,
} from "@atomic/terminal/command";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { UsageError } from "@atomic/terminal/usage-error";
import type { Context } from "../context.ts";
import { oneOfOption, textOption } from "../options.ts";
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
import { hostNames } from "../runtime/hosts.ts";
import type { LoadedGraph } from "../runtime/load-graph.ts";

type Arguments = {
  readonly workflow: ArgumentSpec & { readonly count: "one" };
  readonly arguments: ArgumentSpec & { readonly count: "rest" };
};
type Options = {
  readonly host: ChoiceSpec<(typeof hostNames)[number]>;
  readonly model: ParsedSpec<string>;
  readonly script: ParsedSpec<string>;
} & BudgetOptions &
  PolicyOptions & {
    readonly resume: ParsedSpec<string>;
    readonly "no-wait": FlagSpec;
    readonly "dry-run": FlagSpec;
  };
type Input = InputOf<Arguments, Options> & { readonly json: boolean };

export const run: LiveCommand<Context, Arguments, Options> = {
  name: "run",
  summary: "Run a workflow and show its progress",
  arguments: {
    workflow: { count: "one", summary: "Its name; `atomic entities --type workflow` lists them" },
    arguments: { count: "rest", summary: "The workflow's own arguments and options" },
  },
  options: {
    host: oneOfOption("host", hostNames, "The agent that runs the prompts"),
    model: textOption("model", "The model for nodes that do not name one, in the host's spelling"),
    script: textOption("file", "Answers for the scripted host: JSON, [{ prompt, reply }], or a module"),
    ...budgetOptions,
    ...policyOptions,
    resume: textOption("run", "Continue a run of this workflow, like `atomic resume`"),
    "no-wait": noWaitOption,
    "dry-run": { kind: "flag", summary: "Check everything and show what would run, without starting it" },
  },
  details: [
    "The host is --host, or $ATOMIC_HOST, or opencode. Without --allow, --deny and --ask, agents may do what the workflow allows, and you are asked about everything else. If several rules apply to a tool, the strictest counts.",
    "When the run needs an answer, you are asked in the terminal. Without a terminal, the command that answers is printed, and the run waits. Ctrl-C stops the run so that you can resume it later; press it twice to quit at once.",
  ],
  examples: [
    {
      command: "atomic run ralph --max-iterations 20",
      shows: "Work through research/tasks.json, one task at a time.",
    },
    {
      command: "atomic run release 1.4.0 --host claude --budget-usd 5",
      shows: "One of the project's workflows, on Claude.",
    },
    { command: "atomic run ralph --help", shows: "What this workflow takes." },
  ],
  live: runWorkflow,
  helpFor,
};

async function runWorkflow(context: Context, input: Input): Promise<ExitCode> {
  if (!input["dry-run"]) refuseGrants(context, input, input.resume !== undefined);
  const attendance = { json: input.json, noWait: input["no-wait"], fromStart: true };
  if (input.resume !== undefined) {
    refuseBesideResume(input);
    const { resumeRun } = await import("../runtime/resume-run.ts");
    const again = { budget: budgetOf(input), permissions: permissionsOf(input), retry: false };
    const request = { run: input.resume, workflow: input.workflow, ...again };
    return await resumeRun(context, request, { ...attendance, fromStart: false });
  }
  const [{ loadGraph }, { startRun }] = await Promise.all([
    import("../runtime/load-graph.ts"),
    import("../runtime/start-run.ts"),
  ]);
  const loaded = await loadGraph(context, input.workflow, { isSilent: input.json });
  const { readInput } = await import("../runtime/read-input.ts");
  const request = {
    loaded,
    input: readInput({
      workflow: loaded.graph.name,
      declared: loaded.graph.arguments,
      words: input.arguments,
      ownFlags,
    }),
    budget: budgetOf(input),
    setup: {
      workflow: loaded.qualifiedName,
      host: input.host ?? (input.script === undefined ? hostFrom(context) : "scripted"),
      ...(input.model !== undefined && { model: input.model }),
      ...(input.script !== undefined && { script: resolve(context.cwd, input.script) }),
      permissions: permissionsOf(input),
    },
  };
  if (!input["dry-run"]) return await startRun(context, request, attendance);
  const { planText, planJson } = await import("../report/plan.ts");
  const { jsonLine } = await import("@atomic/terminal/json");
  context.stdout.write(input.json ? jsonLine(planJson(request)) : planText(request, context.stdout));
  return 0;
}

/** A run goes on with what it began with: what would be ignored is refused. */
function refuseBesideResume(input: Input): void {
  const given = (["host", "model", "script"] as const).filter((name) => input[name] !== undefined);
  const own = [...given, ...(input["dry-run"] ? ["dry-run"] : [])].map((name) => `--${name}`);
  const [first] = [...own, ...input.arguments];
  if (first === undefined) return;
  throw new UsageError(`'${first}' cannot be combined with --resume: a run continues with what it was started with`, {
    hint: `Leave it out, or start a new run: atomic run ${input.workflow}`,
  });
}

const ownFlags: readonly string[] = [...Object.keys(run.options), "json", "help"].map((name) => `--${name}`);

function hostFrom({ env }: Context): string {
  return env.ATOMIC_HOST || "opencode";
}

async function helpFor(context: Context, [name]: readonly string[], json: boolean): Promise<MoreHelp | undefined> {
  if (name === undefined) return undefined;
  const [{ loadGraph }, { workflowHelp }] = await Promise.all([
    import("../runtime/load-graph.ts"),
    import("../report/workflow-help.ts"),
  ]);
  const { graph }: LoadedGraph = await loadGraph(context, name, { isSilent: json });
  return workflowHelp(graph);
}
