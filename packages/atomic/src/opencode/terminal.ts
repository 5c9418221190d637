// What the plugin adds to OpenCode's terminal, once OpenCode has started.
import { homedir } from "node:os";
import { painter } from "@atomic/terminal/paint";
import { DialogQueue } from "@atomic/workflows/internal/view/dialog-queue";
import { box, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import type { Guard } from "@atomic/workflows/internal/view/guard";
import { promptInput } from "@atomic/workflows/internal/view/prompt-input";
import { screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { locate } from "../entities/load-entities.ts";
import { Approvals } from "./approvals.ts";
import { type FollowedRun, FollowedRuns } from "./followed-runs.ts";
import { addPromptCommands } from "./prompt-commands.ts";
import { openRuns, sidebarText, statusLine } from "./run-words.ts";
import { addRunsPage } from "./runs-page.ts";
import { continueRun } from "./start-run.ts";

/** The width of OpenCode's sidebar without its margins. */
const sidebarColumns = 37;
const sidebarRows = 24;

export async function showRuns(api: TerminalApi, guard: Guard): Promise<void> {
  const cwd = api.state.path.directory || process.cwd();
  const { project } = await locate({ cwd, home: homedir() });
  const prompt = promptInput(api);
  const queue = new DialogQueue(api, prompt, guard);
  const runs = screenState<readonly FollowedRun[]>([]);
  /** Runs that were started here: they continue here once they are answered, wherever that was. */
  const own = new Map<string, { records: number }>();
  const followed: FollowedRuns = await FollowedRuns.open(project, process.env, {
    changed: (now) =>
      guard(() => {
        runs.set(now);
        approvals.look(now);
        showInPage(now);
        for (const run of now) {
          const { records } = run.view.state;
          const continued = own.get(run.runId);
          // Once for each answer: it takes a moment until the new process has recorded anything.
          if (followed.hasWorkers || continued === undefined || continued.records === records || !isAnswered(run))
            continue;
          continued.records = records;
          continueRun(api, project, run.runId);
        }
      }),
    failed: (error) =>
      guard(() => {
        throw error;
      }),
  });
  const approvals = new Approvals({
    ...{ api, queue, guard, engine: followed.engine },
    onIdle: (runId) => {
      // The watch sees the answer, and continues the runs that were started here.
      if (own.has(runId) || followed.hasWorkers) return;
      const message = `No process is working on ${runId}. Continue it with: atomic resume ${runId}`;
      api.ui.toast({ variant: "info", title: "Atomic", message, duration: 10_000 });
    },
  });
  api.lifecycle.onDispose(() => followed.close());
  const bold = painter(true);
  api.slots.register({
    order: 90,
    slots: {
      app_bottom: () => {
        const size = screenSize();
        const line = painted(api, () => statusLine(runs.get(), size().width - 4));
        return box({ paddingLeft: 2, height: () => (openRuns(runs.get()).length > 0 ? 1 : 0) }, line);
      },
      sidebar_content: () => {
        const tree = (): string => sidebarText(runs.get(), { columns: sidebarColumns, rows: sidebarRows });
        const shown = () =>
          runs.get().length === 0 ? null : painted(api, () => `${bold("bold", "Atomic")}\n${tree()}`);
        return box({}, shown);
      },
    },
  });
  const showInPage = addRunsPage({ api, guard, followed, runs, approvals });
  // Hints and commands do not need the runs.
  guard(async () => await followed.look());
  await addPromptCommands({
    api,
    guard,
    project,
    prompt,
    hasWorkers: followed.hasWorkers,
    onStarted: (runId) => own.set(runId, { records: 0 }),
  });
}

/** It was left because it asked, and now it asks nothing more. */
function isAnswered({ view, questions, isWorkedOn }: FollowedRun): boolean {
  const { status, claims } = view.state;
  return !isWorkedOn && questions.length === 0 && claims > 0 && status.kind === "pending";
}
