import { resolve } from "node:path";
import type { Page } from "@atomic/terminal/page";
import { UsageError } from "@atomic/terminal/refusal";
import { hostNames } from "@atomic/workflows/internal/hosts/host-makers";
import { type AtomicCommand, liveCommandOf } from "../command.ts";
import { engineOption, textOption } from "../options.ts";
import type { Fact } from "../report/facts.ts";
import { documentOf } from "../report/path.ts";
import {
  budgetOf,
  budgetOptions,
  idleOption,
  maxPromptsOption,
  noWaitOption,
  permissionsOf,
  policyOptions,
  refuseGrants,
} from "../run-options.ts";
import type { RunRequest } from "../runtime/start-run.ts";

export const run: AtomicCommand = liveCommandOf({
  name: "run",
  summary: "Run a workflow and show its progress",
  arguments: {
    workflow: { count: "one", summary: "The workflow's name; `atomic entities --type workflow` lists them all" },
    arguments: { count: "rest", summary: "Arguments and options for the workflow itself" },
  },
  options: {
    host: { kind: "choice", value: "host", choices: hostNames, summary: "The agent that runs the prompts" },
    model: textOption("model", "The model for nodes that do not specify one; use the host's name for it"),
    script: textOption("file", "Answers for the scripted host: a JSON file with [{ prompt, reply }], or a module"),
    "max-prompts": maxPromptsOption,
    ...budgetOptions,
    ...policyOptions,
    "idle-timeout": idleOption,
    resume: textOption("run", "Continue a run of this workflow, like `atomic resume`"),
    engine: engineOption,
    "no-wait": noWaitOption,
    detach: { kind: "flag", summary: "Start the run, print its id and exit; `atomic resume` works on it later" },
    snapshot: {
      kind: "flag",
      summary: "With --detach and --engine, send files along that are not pushed or committed",
    },
    "dry-run": { kind: "flag", summary: "Check everything and show what would run, without starting it" },
  },
  details: [
    "The host comes from --host or $ATOMIC_HOST; the default is opencode. Without --allow, --deny and --ask, agents may do what the workflow allows, and you are asked about everything else. If several rules apply to a tool, the strictest one wins.",
    "When the run needs an answer, you are asked in the terminal. Without a terminal, `atomic` prints the commands for answering, and the run waits for an answer from elsewhere; --no-wait exits instead. Ctrl-C stops the run so you can resume it later; press it twice to quit at once.",
  ],
  examples: [
    { command: "atomic run ralph --max-iterations 20", shows: "Work through research/tasks.json, one task at a time." },
    {
      command: "atomic run release 1.4.0 --host claude --budget-usd 5",
      shows: "Run one of the project's workflows on Claude.",
    },
    { command: "atomic run ralph --help", shows: "Show this workflow's arguments and options." },
  ],
  live: async (context, input) => {
    if (!input["dry-run"]) refuseGrants(context, input, input.resume !== undefined);
    const watching = { json: input.json, noWait: input["no-wait"], fromStart: true };
    if (input.resume !== undefined) {
      // A run continues with what it was started with, so anything that would be ignored is refused.
      const given = (["host", "model", "script", "idle-timeout"] as const).filter((name) => input[name] !== undefined);
      const flags = ["detach", "dry-run"] as const;
      const own = [...given, ...flags.filter((name) => input[name])].map((name) => `--${name}`);
      const [first] = [...own, ...input.arguments];
      if (first !== undefined) {
        const message = `'${first}' cannot be combined with --resume: a resumed run keeps its host and input`;
        throw new UsageError(message, { hint: `Leave it out, or start a new run: atomic run ${input.workflow}` });
      }
      const { resumeRun } = await import("../runtime/resume-run.ts");
      const maxPrompts = input["max-prompts"];
      const limits = { budget: budgetOf(input), maxPrompts, permissions: permissionsOf(input) };
      const again = { ...limits, engine: input.engine, retry: false, revision: { keepGraph: false, from: undefined } };
      const request = { run: input.resume, workflow: input.workflow, ...again };
      return await resumeRun(context, request, { ...watching, fromStart: false });
    }
    if (input.script !== undefined && input.host !== undefined && input.host !== "scripted") {
      const hint = "Only the scripted host reads a script. Leave one of them out.";
      throw new UsageError(`'--script' cannot be combined with '--host ${input.host}'`, { hint });
    }
    const [{ loadGraph }, { startDetached, startRun }] = await Promise.all([
      import("../runtime/load-graph.ts"),
      import("../runtime/start-run.ts"),
    ]);
    const loaded = await loadGraph(context, input.workflow, { isSilent: input.json });
    const { readInput } = await import("../runtime/read-input.ts");
    const ownFlags = [...Object.keys(run.options), "json", "help"].map((name) => `--${name}`);
    const { name: workflow, arguments: declared } = loaded.graph;
    const request: RunRequest = {
      loaded,
      input: readInput({ workflow, declared, words: input.arguments, ownFlags }),
      budget: budgetOf(input),
      engine: input.engine,
      setup: {
        workflow: loaded.qualifiedName,
        host: input.host ?? (input.script === undefined ? context.env.ATOMIC_HOST || "opencode" : "scripted"),
        ...(input.model !== undefined && { model: input.model }),
        ...(input.script !== undefined && { script: resolve(context.cwd, input.script) }),
        ...(input["max-prompts"] !== undefined && { maxPrompts: input["max-prompts"] }),
        permissions: permissionsOf(input),
        idleTimeoutMs: input["idle-timeout"],
      },
    };
    if (input["dry-run"]) {
      context.stdout.write(await describePlan(request, input.json, context.stdout));
      return 0;
    }
    if (input.detach) return await startDetached(context, request, input.snapshot, input.json);
    return await startRun(context, request, watching);
  },
  /** What a workflow takes, below the help of `atomic run`. */
  helpFor: async (context, [name], json) => {
    if (name === undefined) return undefined;
    const [{ loadGraph }, { flagHint }] = await Promise.all([
      import("../runtime/load-graph.ts"),
      import("@atomic/workflows/internal/entities/workflow-arguments"),
    ]);
    const { graph } = await loadGraph(context, name, { isSilent: json });
    const { description, arguments: declared, argumentHint } = graph;
    const rows = Object.entries(declared ?? {}).map(([key, argument]): readonly [string, string] => {
      const isNeeded = "required" in argument && argument.required === true;
      const word = "value" in argument ? (argument.value ?? key) : key;
      const term = argument.type === "rest" ? (isNeeded ? `<${word}>` : `[${word}]`) : flagHint(key, argument);
      const preset = "default" in argument && argument.default !== undefined ? `(default: ${argument.default})` : "";
      const parts = [argument.description ?? "", preset, isNeeded ? "(required)" : ""];
      return [term, parts.filter((part) => part !== "").join(" ")];
    });
    // An option of `atomic run` itself; a workflow may list it among its own.
    if (argumentHint?.includes("--resume <run>")) {
      rows.push(["--resume <run>", "Continue one of its runs, like `atomic resume`"]);
    }
    return {
      title: `The workflow ${graph.name}`,
      about: description,
      usage: `atomic run ${graph.name}${argumentHint === undefined ? "" : ` ${argumentHint}`}`,
      arguments: { heading: `Arguments of ${graph.name}:`, rows },
      remarks: declared === undefined ? ["It takes any text or JSON as its input."] : [],
    };
  },
});

/** What `--dry-run` prints. */
async function describePlan({ loaded, input, budget, setup }: RunRequest, json: boolean, page: Page): Promise<string> {
  const { where, compiled } = loaded;
  const graph = compiled.json;
  if (json) {
    const { jsonLine } = await import("@atomic/terminal/json");
    return jsonLine({ ok: true, ...documentOf(where, { dryRun: true, setup, input, budget, graph }) });
  }
  const [{ drawGraph }, { factSheet }, { budgetText }] = await Promise.all([
    import("@atomic/workflows/internal/graph/pictures"),
    import("../report/facts.ts"),
    import("../report/format.ts"),
  ]);
  const words = { allow: "allowed", deny: "denied", ask: "asked about" };
  const { "*": rest, ...named } = setup.permissions;
  const tools = Object.entries(named).map(([tool, answer]) => `${tool} ${words[answer]}`);
  const others = rest === undefined ? "allowed if the workflow says so; otherwise you are asked" : words[rest];
  const facts: Fact[] = [
    ["workflow", loaded.qualifiedName],
    ["input", input === null ? "" : JSON.stringify(input)],
    ["host", [setup.host, setup.model ?? ""].join(" ").trimEnd()],
    ["tools", [...tools, `${tools.length > 0 ? "others" : "all"} ${others}`].join(", ")],
    ["budget", budgetText(budget) || "no limit"],
    ["uses", Object.values(graph.entities ?? {}).join(", ")],
  ];
  const picture = drawGraph(graph, { columns: page.columns ?? Number.MAX_SAFE_INTEGER });
  return `${factSheet("plan", graph.name, facts, page)}\n${picture}\nNothing was started.\n`;
}
