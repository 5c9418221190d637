import { refuseAgent } from "@atomic/terminal/agent-at-keyboard";
import { formatTable } from "@atomic/terminal/table";
import { hostNames } from "@atomic/workflows/internal/hosts/host-makers";
import { type AtomicCommand, commandOf } from "../command.ts";
import type { AtomicContext } from "../context.ts";
import { engineOption, textOption } from "../options.ts";
import { documentOf, type Where } from "../report/path.ts";
import { budgetOf, budgetOptions, permissionsOf, policyOptions, refuseGrants } from "../run-options.ts";
import { requireEngine } from "../runs/engine-for.ts";

export const schedule: AtomicCommand = commandOf({
  name: "schedule",
  summary: "Start a workflow on a schedule",
  arguments: {
    cron: { count: "one", summary: "Five fields: minute, hour, day, month, weekday, in UTC" },
    workflow: { count: "one", summary: "The workflow's name" },
    arguments: { count: "rest", summary: "Arguments and options for the workflow itself" },
  },
  options: {
    name: textOption("name", "The schedule's name, with which its runs' ids begin; the default is the workflow's"),
    host: { kind: "choice", value: "host", choices: hostNames, summary: "The agent that runs the prompts" },
    model: textOption("model", "The model for nodes that do not specify one"),
    ...budgetOptions,
    ...policyOptions,
    engine: engineOption,
  },
  details: [
    "Workers start the runs, by the database's clock. Each uses the commit that the project has now; schedule it again after a change. If several times pass while no worker is running, one run makes up for all of them.",
  ],
  examples: [{ command: 'atomic schedule "0 3 * * *" nightly', shows: "Run the workflow nightly at 3:00 UTC." }],
  run: async (context, input) => {
    refuseAgent(context.caller, "atomic schedule");
    refuseGrants(context, input, false);
    const [{ loadGraph }, { readInput }, { shareRun, startRequestOf }, { addSchedule }] = await Promise.all([
      import("../runtime/load-graph.ts"),
      import("../runtime/read-input.ts"),
      import("../runtime/start-run.ts"),
      import("@atomic/engine-postgres/schedules"),
    ]);
    const loaded = await loadGraph(context, input.workflow, { isSilent: true });
    const { name: workflow, arguments: declared } = loaded.graph;
    const ownFlags = [...Object.keys(schedule.options), "json", "help"].map((name) => `--${name}`);
    const { url } = await requireEngine(context, input.engine);
    const shared = await shareRun(url, loaded, false);
    const request = startRequestOf({
      loaded,
      input: readInput({ workflow, declared, words: input.arguments, ownFlags }),
      budget: budgetOf(input),
      engine: input.engine,
      setup: {
        workflow: loaded.qualifiedName,
        host: input.host ?? (context.env.ATOMIC_HOST || "opencode"),
        ...(input.model !== undefined && { model: input.model }),
        ...shared.setup,
        permissions: permissionsOf(input),
      },
    });
    const name = input.name ?? workflow;
    const next = await withDatabase(context, input.engine, ({ database }) =>
      addSchedule(database, name, input.cron, request),
    );
    return { where: loaded.where, name, next };
  },
  report: {
    text: ({ name, next }) => `${name} starts next at ${utcTime(next)}.\n`,
    notes: () => "",
    json: ({ where, name, next }) => documentOf(where, { name, next: next.getTime() }),
    exitCode: () => 0,
  },
});

export const scheduleList: AtomicCommand = commandOf({
  name: "schedule list",
  summary: "List the schedules in a database",
  arguments: {},
  options: { engine: engineOption },
  examples: [{ command: "atomic schedule list", shows: "Show when each workflow starts next." }],
  run: async (context, { engine }) =>
    await withDatabase(context, engine, async ({ database, where }) => {
      const { listSchedules } = await import("@atomic/engine-postgres/schedules");
      return { where, schedules: await listSchedules(database) };
    }),
  report: {
    text: ({ schedules }, page) =>
      schedules.length === 0
        ? ""
        : formatTable(
            [{ title: "NAME" }, { title: "WHEN" }, { title: "WORKFLOW", least: 8 }, { title: "NEXT" }],
            schedules.map(({ name, cron, request, isPaused, next }) => [
              { text: name, colour: "bold" as const },
              cron,
              request.name ?? "",
              isPaused ? "paused" : next === undefined ? "unknown" : utcTime(next),
            ]),
            page,
          ),
    notes: ({ schedules }) => (schedules.length === 0 ? "There are no schedules.\n" : ""),
    json: ({ where, schedules }) => {
      const listed = schedules.map(({ name, cron, request, isPaused, next, creator }) => {
        return { name, cron, workflow: request.name, isPaused, next: next?.getTime() ?? null, creator };
      });
      return documentOf(where, { schedules: listed });
    },
    exitCode: () => 0,
  },
});

export const schedulePause: AtomicCommand = commandOf({
  name: "schedule pause",
  summary: "Stop a schedule for a while, or continue it",
  arguments: { name: { count: "one", summary: "The schedule's name" } },
  options: {
    continue: { kind: "flag", summary: "Continue it; what it missed is not made up for" },
    engine: engineOption,
  },
  examples: [{ command: "atomic schedule pause nightly", shows: "Start no more runs until it is continued." }],
  run: async (context, { name, engine, continue: isContinued }) => {
    refuseAgent(context.caller, "atomic schedule");
    return await withDatabase(context, engine, async ({ database, where }) => {
      const { pauseSchedule } = await import("@atomic/engine-postgres/schedules");
      await pauseSchedule(database, name, !isContinued);
      return { where, name, isPaused: !isContinued };
    });
  },
  report: {
    text: ({ name, isPaused }) => `${name} ${isPaused ? "is paused" : "continues"}.\n`,
    notes: () => "",
    json: ({ where, name, isPaused }) => documentOf(where, { name, isPaused }),
    exitCode: () => 0,
  },
});

export const scheduleRemove: AtomicCommand = commandOf({
  name: "schedule remove",
  summary: "Remove a schedule; its runs stay",
  arguments: { name: { count: "one", summary: "The schedule's name" } },
  options: { engine: engineOption },
  examples: [{ command: "atomic schedule remove nightly", shows: "Start no more of its runs." }],
  run: async (context, { name, engine }) => {
    refuseAgent(context.caller, "atomic schedule");
    return await withDatabase(context, engine, async ({ database, where }) => {
      const { removeSchedule } = await import("@atomic/engine-postgres/schedules");
      await removeSchedule(database, name);
      return { where, name };
    });
  },
  report: {
    text: ({ name }) => `${name} was removed.\n`,
    notes: () => "",
    json: ({ where, name }) => documentOf(where, { name }),
    exitCode: () => 0,
  },
});

/** As the schedule itself: `2027-01-01 03:00 UTC`. */
function utcTime(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

type EngineDatabase = InstanceType<typeof import("@atomic/engine-postgres/database").Database>;

async function withDatabase<Result>(
  context: AtomicContext,
  given: string | undefined,
  use: (found: { readonly database: EngineDatabase; readonly where: Where }) => Promise<Result>,
): Promise<Result> {
  const { where, url } = await requireEngine(context, given);
  const [{ Database }, { parseEngineUrl }, { requireVersion }] = await Promise.all([
    import("@atomic/engine-postgres/database"),
    import("@atomic/engine-postgres/engine-url"),
    import("@atomic/engine-postgres/migrate"),
  ]);
  const database = new Database(parseEngineUrl(url));
  try {
    await requireVersion(database);
    return await use({ database, where });
  } finally {
    await database.close();
  }
}
