import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import type { Colour } from "@atomic/terminal/paint";
import { safe } from "@atomic/terminal/safe-text";
import { formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import { runOf } from "@atomic/workflows/tasks/claim";
import type { Task, TaskStatus } from "@atomic/workflows/tasks/task";
import type { TasksResult } from "../commands/tasks.ts";
import { shorten } from "./shorten.ts";

export const tasksReport: Report<TasksResult> = {
  text: (result, page) => (result.tasks.length === 0 ? "" : table(result, page)),
  notes: (result, page) => {
    const space = page.columns === undefined || result.tasks.length === 0 ? "" : "\n";
    return space + paragraph(summary(result), page, { indent: "  " });
  },
  json: ({ where, path, tasks, summary: { counts, complete, next } }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    path,
    tasks,
    counts,
    complete,
    next: next.map(({ id }) => id),
  }),
  exitCode: () => 0,
};

const colours: Readonly<Record<TaskStatus, Colour>> = {
  pending: "dim",
  in_progress: "cyan",
  passing: "green",
  failing: "red",
  skipped: "dim",
};

function table(result: TasksResult, page: Page): string {
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
    aboutOf(task, result),
  ]);
  return formatTable(columns, rows, page);
}

function aboutOf(
  task: Task,
  { resumable, summary: { inProgress, stale, waiting, blocked, next } }: TasksResult,
): string {
  const isIt = (each: { readonly task: Task }): boolean => each.task === task;
  const run = inProgress.find(isIt)?.run;
  if (run !== undefined) return `run ${run}`;
  if (stale.includes(task)) {
    const left = resumable.find((each) => each === runOf(task.claimedBy ?? ""));
    return left === undefined ? "left by a run that is over" : `left by run ${left}: atomic resume ${left}`;
  }
  if (task.error !== undefined) return shorten(task.error);
  const waits = waiting.find(isIt)?.for;
  if (waits !== undefined) return `waits for ${waits.join(", ")}`;
  const blockers = blocked.find(isIt)?.by;
  if (blockers !== undefined) return `held back by ${blockers.join(", ")}`;
  return task === next[0] ? "next" : "";
}

function summary({ file, tasks, summary: { counts, complete } }: TasksResult): string {
  if (tasks.length === 0) return safe`There are no tasks in ${file}.`;
  const parts = Object.entries(counts).flatMap(([status, number]) =>
    number === 0 ? [] : [`${number} ${status.replace("_", " ")}`],
  );
  return safe`${file}: ${count(tasks.length, "task")}: ${parts.join(", ")}${complete ? "; all is done" : ""}`;
}
