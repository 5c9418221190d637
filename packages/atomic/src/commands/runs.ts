import { isExplained } from "@atomic/durable-files/explained-error";
import type { Command, FlagSpec, InputOf } from "@atomic/terminal/command";
import type { LocalEngine, RunSummary } from "@atomic/workflows/run/engine";
import type { RunStatus } from "@atomic/workflows/run/run-state";
import type { Context } from "../context.ts";
import type { Where } from "../report/path.ts";
import { runsReport } from "../report/runs.ts";
import { runsOf } from "../runs/runs-folder.ts";
import { type Question, questionsOf } from "../view/questions.ts";

type Options = { readonly all: FlagSpec };

export interface ListedRun extends RunSummary {
  readonly questions: readonly Question[];
}

export interface RunsResult {
  readonly where: Where;
  readonly folder: string;
  /** The newest first. */
  readonly runs: readonly ListedRun[];
  readonly total: number;
  readonly bytes: number;
  readonly all: boolean;
  readonly now: number;
}

/** Of those that have ended, so many are shown without `--all`. */
const recent = 10;

export const runs: Command<Context, Record<never, never>, Options, RunsResult> = {
  name: "runs",
  summary: "List the project's runs, newest first",
  arguments: {},
  options: { all: { kind: "flag", summary: `Also list runs that ended before the last ${recent}` } },
  examples: [
    { command: "atomic runs", shows: "Runs that are running, waiting or stopped, and those that ended recently." },
    { command: "atomic runs --all --json", shows: "Every run, for a program." },
  ],
  run: listRuns,
  report: runsReport,
};

async function listRuns(context: Context, { all }: InputOf<Record<never, never>, Options>): Promise<RunsResult> {
  const { where, folder, engine } = await runsOf(context);
  const found = await engine.list();
  const ended = found.filter(({ status }) => isEnd(status));
  const shown = all ? found : found.filter((run) => !isEnd(run.status) || ended.indexOf(run) < recent);
  return {
    where,
    folder,
    runs: await Promise.all(shown.map((run) => withQuestions(run, engine))),
    total: found.length,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    all,
    now: context.now(),
  };
}

/** To read a journal of this size takes a moment at most; the engine has looked at both of its ends only. */
const quicklyRead = 1_000_000;

async function withQuestions(run: RunSummary, engine: LocalEngine): Promise<ListedRun> {
  if (isEnd(run.status)) return { ...run, status: await checked(run, engine), questions: [] };
  if (run.status.kind === "damaged") return { ...run, questions: [] };
  const state = await engine.state(run.runId);
  // What came in meanwhile counts, too: an answer, a cancellation.
  return { ...run, status: state.status, questions: questionsOf(state) };
}

async function checked({ runId, status, bytes }: RunSummary, engine: LocalEngine): Promise<RunStatus> {
  if (bytes > quicklyRead) return status;
  try {
    return await engine.status(runId);
  } catch (error) {
    if (!(isExplained(error) && error.code === "damaged")) throw error;
    return { kind: "damaged", reason: error.message };
  }
}

function isEnd({ kind }: RunStatus): boolean {
  return kind === "done" || kind === "failed" || kind === "cancelled";
}
