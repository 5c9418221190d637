import { isExplained } from "@atomic/durable-files/explained-error";
import { count } from "@atomic/terminal/count";
import { withRunner } from "@atomic/terminal/page";
import { formatTable } from "@atomic/terminal/table";
import { paragraph } from "@atomic/terminal/wrap";
import type { LocalEngine, RunSummary } from "@atomic/workflows/internal/run/engine";
import { type AtomicCommand, commandOf } from "../command.ts";
import { engineOption } from "../options.ts";
import { formatAgo, formatBytes } from "../report/format.ts";
import { documentOf } from "../report/path.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { headline, questionsOf, type RunQuestion } from "../view/questions.ts";
import { damageOf, describeStatus, hasEnded, statusColour, statusWord } from "../view/run-status.ts";

interface ListedRun extends RunSummary {
  readonly questions: readonly RunQuestion[];
}

/** How many ended runs are shown without `--all`. */
const recent = 10;

export const runs: AtomicCommand = commandOf({
  name: "runs",
  summary: "List the project's runs, newest first",
  arguments: {},
  options: {
    all: { kind: "flag", summary: `List all ended runs, not just the last ${recent}` },
    engine: engineOption,
  },
  examples: [
    { command: "atomic runs", shows: "List active, waiting and stopped runs, and those that ended recently." },
    { command: "atomic runs --all --json", shows: "List every run, as JSON." },
  ],
  run: async (context, { all, engine: given }) => {
    const { where, folder, database, engine } = await runsOf(context, given);
    const found = await engine.list();
    const ended = found.filter(({ status }) => hasEnded(status));
    const shown = all ? found : found.filter((run) => !hasEnded(run.status) || ended.indexOf(run) < recent);
    return {
      where,
      folder,
      database,
      runs: (await Promise.all(shown.map((run) => readRun(run, engine)))).filter((run) => run !== undefined),
      total: found.length,
      bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
      all,
      now: context.now(),
    };
  },
  report: {
    text: ({ runs: listed, now }, page) => {
      if (listed.length === 0) return "";
      const columns = [
        { title: "RUN" },
        { title: "WORKFLOW", least: 8 },
        { title: "STATUS" },
        { title: "STARTED" },
        { title: "ABOUT", least: 8 },
      ];
      const rows = listed.map(({ runId, name, status, createdAt, questions: [question] }) => {
        // What you want to know next: the question, or the reason.
        const text = status.kind === "damaged" ? `damaged: ${damageOf(runId, status.reason)}` : describeStatus(status);
        const reason = text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : "";
        return [
          { text: runId, colour: "bold" as const },
          name ?? "",
          { text: statusWord(status), colour: statusColour(status) },
          createdAt === 0 ? "" : formatAgo(now - createdAt),
          question === undefined ? reason : headline(question),
        ];
      });
      return formatTable(columns, rows, page);
    },
    notes: ({ runs: listed, total, bytes, all }, page) => {
      const waiting = listed.filter(({ questions }) => questions.length > 0).length;
      const unreadable = listed.filter(({ status }) => status.kind === "damaged").length;
      const parts = [
        `${count(total, "run")}, ${formatBytes(bytes)}`,
        ...(waiting === 0 ? [] : [`${waiting} waiting for an answer (see \`atomic show <run>\`)`]),
        ...(unreadable === 0 ? [] : [`${unreadable} cannot be read (see \`atomic show <run>\`)`]),
        ...(all || listed.length === total ? [] : [`${total - listed.length} older (see --all)`]),
      ];
      const nothing = "There are no runs in this project yet; `atomic run <workflow>` starts one.";
      const space = page.columns === undefined || listed.length === 0 ? "" : "\n";
      return (
        space + paragraph(withRunner(total === 0 ? nothing : parts.join("; "), "atomic", page), page, { indent: "  " })
      );
    },
    json: ({ where, folder, database, runs: listed, total }) => {
      const shown = listed.map(({ runId, name: workflow, status, createdAt, updatedAt, bytes, questions }) => {
        return { runId, workflow, status, createdAt, updatedAt, bytes, questions };
      });
      return documentOf(where, { folder, engine: database, total, runs: shown });
    },
    exitCode: () => 0,
  },
});

/** A journal of this size is read in a moment; the list was made from the two ends of each journal only. */
const quicklyRead = 1_000_000;

/** Undefined if it was removed meanwhile. Whatever is wrong with one run, the others are listed. */
async function readRun(run: RunSummary, engine: LocalEngine): Promise<ListedRun | undefined> {
  const { runId, status, bytes } = run;
  if (status.kind === "damaged" || (hasEnded(status) && bytes > quicklyRead)) return { ...run, questions: [] };
  try {
    if (hasEnded(status)) return { ...run, status: await engine.status(runId), questions: [] };
    const state = await engine.state(runId);
    // This also counts what has arrived since: an answer, a cancellation.
    return { ...run, status: state.status, questions: questionsOf(state) };
  } catch (error) {
    if (isExplained(error) && error.code === "run-not-found") return undefined;
    // A database that is away says nothing about a run; a file that cannot be opened does.
    const isUnreadable = isExplained(error)
      ? error.code !== "unreachable"
      : error instanceof Error && "syscall" in error;
    if (!isUnreadable) throw error;
    return { ...run, status: { kind: "damaged", reason: (error as Error).message }, questions: [] };
  }
}
