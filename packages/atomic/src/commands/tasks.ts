import { resolve } from "node:path";
import type { ArgumentSpec, Command, InputOf } from "@atomic/terminal/command";
import type { RunStatus } from "@atomic/workflows/run/run-state";
import { summarizeTasks, type TaskSummary } from "@atomic/workflows/tasks/summary";
import type { Task } from "@atomic/workflows/tasks/task";
import type { Context } from "../context.ts";
import type { Where } from "../report/path.ts";
import { tasksReport } from "../report/tasks.ts";
import { runsOf } from "../runs/runs-folder.ts";

type Arguments = { readonly path: ArgumentSpec & { readonly count: "maybe" } };
type Options = Readonly<Record<never, never>>;

export interface TasksResult {
  readonly where: Where;
  /** As messages name it. */
  readonly file: string;
  readonly path: string;
  readonly tasks: readonly Task[];
  readonly summary: TaskSummary;
  /** Ids of runs that have left tasks, and can be resumed. */
  readonly resumable: readonly string[];
}

export const defaultTasks = "research/tasks.json";

export const tasks: Command<Context, Arguments, Options, TasksResult> = {
  name: "tasks",
  summary: "List the tasks in a file, and which can be started next",
  arguments: { path: { count: "maybe", summary: `The file (default: the project's ${defaultTasks})` } },
  options: {},
  examples: [
    { command: "atomic tasks", shows: "Every task with its status and what it is waiting for." },
    { command: "atomic tasks plans/tasks.json --json", shows: "Another file, for a program." },
  ],
  run: readTasks,
  report: tasksReport,
};

const resumed: readonly RunStatus["kind"][] = ["pending", "interrupted", "stopped"];

async function readTasks(context: Context, { path }: InputOf<Arguments, Options>): Promise<TasksResult> {
  const [{ where, engine }, { taskStore }, { liveRuns }, { claimingRuns }] = await Promise.all([
    runsOf(context),
    import("@atomic/workflows/tasks/store"),
    import("@atomic/workflows/tasks/live-runs"),
    import("@atomic/workflows/tasks/claim"),
  ]);
  const file = path === undefined ? resolve(where.project, defaultTasks) : resolve(where.cwd, path);
  const store = taskStore({ folder: where.project, path: file });
  const found = await store.read();
  const isLive = liveRuns(() => engine);
  const live = new Set<string>();
  const claiming = [...claimingRuns(found)];
  for (const run of claiming) if (await isLive(run)) live.add(run);
  const open = (await engine.list()).filter(({ status }) => resumed.includes(status.kind)).map(({ runId }) => runId);
  return {
    where,
    file: store.file,
    path: file,
    tasks: found,
    summary: summarizeTasks(found, { isLive: (run) => live.has(run) }),
    resumable: claiming.filter((run) => !live.has(run) && open.includes(run)),
  };
}
