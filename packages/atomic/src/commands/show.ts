import type { ArgumentSpec, FlagSpec, InputOf, LiveCommand } from "@atomic/terminal/command";
import type { ExitCode } from "@atomic/terminal/exit-codes";
import { noRuns } from "@atomic/terminal/find-run";
import { formatJson } from "@atomic/terminal/json";
import type { JournalEntry } from "@atomic/workflows/run/events";
import type { Context } from "../context.ts";
import type { Where } from "../report/path.ts";
import { showJson, showText } from "../report/show.ts";
import { type RunSetup, setupOf } from "../runs/run-setup.ts";
import { type Runs, runHints, runsOf } from "../runs/runs-folder.ts";
import { type Question, questionsOf } from "../view/questions.ts";
import { type RunView, viewOf } from "../view/run-view.ts";
import { type TimelineRow, timelineOf } from "../view/timeline.ts";

type Arguments = { readonly run: ArgumentSpec & { readonly count: "maybe" } };
type Options = { readonly follow: FlagSpec; readonly full: FlagSpec };

export interface ShownRun {
  readonly where: Where;
  readonly view: RunView;
  readonly setup: RunSetup | undefined;
  readonly questions: readonly Question[];
  readonly timeline: readonly TimelineRow[];
  /** Word for word, where that is long. */
  readonly full: boolean;
  readonly now: number;
}

export const show: LiveCommand<Context, Arguments, Options> = {
  name: "show",
  summary: "Show what a run did, what it cost, and what it is waiting for",
  arguments: { run: { count: "maybe", summary: "Its id or any unique prefix; the newest run by default" } },
  options: {
    follow: { kind: "flag", summary: "Follow it while another process works on it" },
    full: { kind: "flag", summary: "Show failures in full, however long they are" },
  },
  examples: [
    { command: "atomic show", shows: "The newest run: its timeline with times, tokens and cost." },
    { command: "atomic show calm-otter --follow", shows: "Its progress, as in the terminal that runs it." },
  ],
  live: showRun,
};

async function showRun(
  context: Context,
  { run, follow, full, json }: InputOf<Arguments, Options> & { readonly json: boolean },
): Promise<ExitCode> {
  const runs = await runsOf(context);
  const runId = await chosenRun(runs, run);
  if (follow) {
    const { followRun } = await import("../live/follow-run.ts");
    return await followRun(context, runs, runId, json);
  }
  const shown = await shownRun(context, runs, runId, full);
  context.stdout.write(json ? formatJson({ ok: true, ...showJson(shown) }) : showText(shown, context.stdout));
  return 0;
}

async function chosenRun({ engine, find }: Runs, typed: string | undefined): Promise<string> {
  if (typed !== undefined) return await find(typed);
  const [newest] = await engine.list();
  if (newest !== undefined) return newest.runId;
  throw noRuns(runHints);
}

async function shownRun(context: Context, { engine, where }: Runs, runId: string, full: boolean): Promise<ShownRun> {
  const entries: JournalEntry[] = [];
  for await (const entry of engine.journal(runId)) entries.push(entry);
  const view = viewOf(entries);
  // Knows whether its owner is alive, and of messages that nobody has read yet.
  const state = await engine.state(runId);
  if (view === undefined) throw new Error(`The run ${runId} has a state, but no events.`);
  const current = { ...view, state };
  return {
    where,
    view: current,
    setup: setupOf(state.workspace),
    questions: questionsOf(state),
    timeline: timelineOf(entries, current),
    full,
    now: context.now(),
  };
}
