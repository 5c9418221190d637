import type { Report } from "@atomic/terminal/command";
import { count } from "@atomic/terminal/count";
import type { Page } from "@atomic/terminal/page";
import { formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { ListedRun, RunsResult } from "../commands/runs.ts";
import { describeStatus, statusColour, statusWord } from "../view/run-status.ts";
import { formatAgo, formatBytes } from "./amounts.ts";

export const runsReport: Report<RunsResult> = {
  text: (result, page) => (result.runs.length === 0 ? "" : table(result, page)),
  notes: (result, page) => {
    const space = page.columns === undefined || result.runs.length === 0 ? "" : "\n";
    return space + paragraph(summary(result), page, { indent: "  " });
  },
  json: ({ where, folder, runs, total }) => ({
    version: 1,
    project: where.project,
    home: where.home,
    folder,
    total,
    runs: runs.map(recordOf),
  }),
  exitCode: () => 0,
};

function recordOf({ runId, name, status, createdAt, updatedAt, bytes, questions }: ListedRun): object {
  return { runId, ...(name !== undefined && { workflow: name }), status, createdAt, updatedAt, bytes, questions };
}

function table({ runs, now }: RunsResult, page: Page): string {
  const columns = [
    { title: "RUN" },
    { title: "WORKFLOW", least: 8 },
    { title: "STATUS" },
    { title: "STARTED" },
    { title: "ABOUT", least: 8 },
  ];
  const rows = runs.map((run) => [
    { text: run.runId, colour: "bold" as const },
    run.name ?? "",
    { text: statusWord(run.status), colour: statusColour(run.status) },
    run.createdAt === 0 ? "" : formatAgo(now - run.createdAt),
    aboutOf(run),
  ]);
  return formatTable(columns, rows, page);
}

/** What a person wants to know next: the question, the reason. */
function aboutOf({ status, questions }: ListedRun): string {
  const [question] = questions;
  if (question !== undefined) return question.text;
  const text = describeStatus(status);
  return text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : "";
}

function summary({ runs, total, bytes, all }: RunsResult): string {
  if (total === 0) return "There are no runs in this project yet; `atomic run <workflow>` starts one.";
  const waiting = runs.filter(({ questions }) => questions.length > 0).length;
  const parts = [
    `${count(total, "run")}, ${formatBytes(bytes)}`,
    ...(waiting === 0 ? [] : [`${waiting} waiting for an answer (see \`atomic show <run>\`)`]),
    ...(all || runs.length === total ? [] : [`${total - runs.length} older (see --all)`]),
  ];
  return parts.join("; ");
}
