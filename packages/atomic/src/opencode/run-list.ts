// The runs of the page `/runs`, and which of them is chosen. Pure.
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { formatTable } from "@atomic/terminal/table";
import type { RunSummary } from "@atomic/workflows/internal/run/engine";
import { formatAgo } from "../report/format.ts";
import { headline, type RunQuestion } from "../view/questions.ts";
import { describeStatus, statusColour, statusWord } from "../view/run-status.ts";
import type { FollowedRun } from "./followed-runs.ts";
import { shownStatus } from "./run-words.ts";

export interface RunList {
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** The chosen run stays chosen when others are added. Undefined if there is none. */
  readonly selected: string | undefined;
}

/** The list with what is open now, or has just ended. */
export function withRuns({ runs, selected }: RunList, open: readonly FollowedRun[]): RunList {
  const now = new Map(open.map((run) => [run.runId, run]));
  const listed = runs.map((summary) => {
    const run = now.get(summary.runId);
    now.delete(summary.runId);
    return run === undefined ? summary : { ...summary, status: shownStatus(run) };
  });
  const fresh = [...now.values()].map((run) => {
    const { name, createdAt, updatedAt } = run.view.state;
    return { runId: run.runId, name, createdAt, updatedAt, status: shownStatus(run), bytes: 0 };
  });
  const all = [...fresh, ...listed];
  return { runs: all, selected: selected ?? all[0]?.runId };
}

/** The list with what is on disk now. If the chosen run is gone, the next one is chosen, or else the one before. */
export function relisted({ runs: before, selected }: RunList, runs: readonly RunSummary[]): RunList {
  const there = new Set(runs.map(({ runId }) => runId));
  const at = Math.max(
    0,
    before.findIndex(({ runId }) => runId === selected),
  );
  const around = [...before.slice(at), ...before.slice(0, at).toReversed()];
  return { runs, selected: around.find(({ runId }) => there.has(runId))?.runId };
}

/** Another run is chosen: so many rows below, or above. */
export function movedBy({ runs, selected }: RunList, rows: number): RunList {
  const at = runs.findIndex(({ runId }) => runId === selected) + rows;
  return { runs, selected: runs[Math.max(0, Math.min(runs.length - 1, at))]?.runId };
}

/** In a narrow terminal the status stays whole, and the run can still be told from others. */
const columnsOfRuns = [
  { title: "" },
  { title: "RUN", least: 8 },
  { title: "WORKFLOW", least: 6 },
  { title: "STATUS" },
  { title: "STARTED", least: 0 },
  { title: "ABOUT", least: 0 },
];

export interface TableSize {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

/** @param asked What each run asks. */
export function runTable(
  { runs, selected }: RunList,
  asked: ReadonlyMap<string, RunQuestion | undefined>,
  { columns, rows, now }: TableSize,
): string {
  if (runs.length === 0)
    return painter(true)("dim", "There are no runs in this project yet; /run <workflow> starts one.");
  const at = runs.findIndex(({ runId }) => runId === selected);
  const lines = shownAround(runs, at, rows - 1).map(({ runId, name, status, createdAt }) => {
    const text = describeStatus(status);
    const question = asked.get(runId);
    const about = text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : "";
    return [
      { text: runId === selected ? "❯" : " ", colour: "cyan" as const },
      { text: runId, colour: "bold" as const },
      safeLine(name ?? ""),
      { text: statusWord(status), colour: statusColour(status) },
      createdAt === 0 ? "" : formatAgo(now - createdAt),
      question === undefined ? safeLine(about) : headline(question) || "your answer",
    ];
  });
  return formatTable(columnsOfRuns, lines, { columns, colour: true }).trimEnd();
}

/** The question after the one that you were asked last, and after the last one the first. */
export function questionAfter(questions: readonly RunQuestion[], last: string | undefined): RunQuestion | undefined {
  return questions[(questions.findIndex(({ key }) => key === last) + 1) % questions.length];
}

/** As many as there is room for, with the chosen one in the middle where that is possible; always at least the chosen one. */
export function shownAround<Item>(items: readonly Item[], chosen: number, room: number): readonly Item[] {
  const rows = Math.max(1, room);
  const from = Math.max(0, Math.min(chosen - Math.floor(rows / 2), items.length - rows));
  return items.slice(from, from + rows);
}
