import { resolve } from "node:path";
import { count } from "@atomic/terminal/count";
import type { Colour } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import { claimingRuns, liveRuns, runOf } from "@atomic/workflows/internal/tasks/claim";
import { summarizeTasks, type TaskSummary } from "@atomic/workflows/internal/tasks/summary";
import type { Task, TaskStatus } from "@atomic/workflows/internal/tasks/task";
import { type AtomicCommand, commandOf } from "../command.ts";
import { shorten } from "../report/format.ts";
import { documentOf, type Where } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";

interface TasksResult {
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

export const tasks: AtomicCommand = commandOf({
  name: "tasks",
  summary: "List a file's tasks, and show which ones can start next",
  arguments: { path: { count: "maybe", summary: `The file (default: the project's ${defaultTasks})` } },
  options: {},
  examples: [
    { command: "atomic tasks", shows: "Show every task with its status and what it is waiting for." },
    { command: "atomic tasks plans/tasks.json --json", shows: "Show a different tasks file as JSON." },
  ],
  run: async (context, { path }) => {
    const [{ where, engine }, { taskStore }] = await Promise.all([
      runsOf(context, undefined),
      import("@atomic/workflows/internal/tasks/store"),
    ]);
    const file = path === undefined ? resolve(where.project, defaultTasks) : resolve(where.cwd, path);
    const store = taskStore({ folder: where.project, path: file });
    const found = await store.read();
    const isLive = liveRuns(() => engine);
    const live = new Set<string>();
    const claiming = [...claimingRuns(found)];
    for (const run of claiming) if (await isLive(run)) live.add(run);
    const resumed: readonly RunStatus["kind"][] = ["pending", "interrupted", "stopped"];
    const open = (await engine.list()).filter(({ status }) => resumed.includes(status.kind)).map(({ runId }) => runId);
    return {
      where,
      file: store.file,
      path: file,
      tasks: found,
      summary: summarizeTasks(found, { isLive: (run) => live.has(run) }),
      resumable: claiming.filter((run) => !live.has(run) && open.includes(run)),
    };
  },
  report: {
    text: (result, page) => {
      if (result.tasks.length === 0) return "";
      const columns = [
        { title: "TASK", least: 4 },
        { title: "STATUS" },
        { title: "NAME", least: 12 },
        { title: "ABOUT", least: 8 },
      ];
      const rows = result.tasks.map((task) => [
        { text: task.id, colour: "bold" as const },
        { text: task.status.replace("_", " "), colour: colours[task.status] },
        task.name,
        aboutTask(task, result),
      ]);
      return formatTable(columns, rows, page);
    },
    notes: ({ file, tasks: found, summary: { counts, complete } }, page) => {
      const parts = Object.entries(counts).flatMap(([status, number]) =>
        number === 0 ? [] : [`${number} ${status.replace("_", " ")}`],
      );
      const text =
        found.length === 0
          ? safe`There are no tasks in ${file}.`
          : safe`${file}: ${count(found.length, "task")}: ${parts.join(", ")}${complete ? "; all done" : ""}`;
      const space = page.columns === undefined || found.length === 0 ? "" : "\n";
      return space + paragraph(text, page, { indent: "  " });
    },
    json: ({ where, path, tasks: found, summary: { counts, complete, next } }) =>
      documentOf(where, { path, tasks: found, counts, complete, next: next.map(({ id }) => id) }),
    exitCode: () => 0,
  },
});

const colours: Readonly<Record<TaskStatus, Colour>> = {
  pending: "dim",
  in_progress: "cyan",
  passing: "green",
  failing: "red",
  skipped: "dim",
};

function aboutTask(
  task: Task,
  { resumable, summary: { inProgress, stale, waiting, blocked, next } }: TasksResult,
): string {
  const isIt = (each: { readonly task: Task }): boolean => each.task === task;
  const run = inProgress.find(isIt)?.run;
  if (run !== undefined) return `run ${run}`;
  if (stale.includes(task)) {
    const left = resumable.find((each) => each === runOf(task.claimedBy ?? ""));
    return left === undefined
      ? "left unfinished by a run that has ended"
      : `left unfinished by run ${left}: atomic resume ${left}`;
  }
  if (task.error !== undefined) return shorten(task.error);
  const waits = waiting.find(isIt)?.for;
  if (waits !== undefined) return `waits for ${waits.join(", ")}`;
  const blockers = blocked.find(isIt)?.by;
  if (blockers !== undefined) return `blocked by ${blockers.join(", ")}`;
  return task === next[0] ? "next" : "";
}
