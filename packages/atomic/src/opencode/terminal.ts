// What the plugin adds to OpenCode's terminal, once OpenCode has started.
import { homedir } from "node:os";
import { painter } from "@atomic/terminal/paint";
import { safeLine } from "@atomic/terminal/safe-text";
import { DialogQueue } from "@atomic/workflows/internal/view/dialog-queue";
import { box, painted, screenSize } from "@atomic/workflows/internal/view/elements";
import { guard as guardWith } from "@atomic/workflows/internal/view/guard";
import { noticesOf } from "@atomic/workflows/internal/view/notices";
import { promptInput } from "@atomic/workflows/internal/view/prompt-input";
import { screenState } from "@atomic/workflows/internal/view/screen-state";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { locate } from "../entities/load-entities.ts";
import { hasEnded } from "../view/run-status.ts";
import { Approvals } from "./approvals.ts";
import { type FollowedRun, FollowedRuns } from "./followed-runs.ts";
import { addPromptCommands } from "./prompt-commands.ts";
import { endOf, notSent, sidebarText, statusLine } from "./run-words.ts";
import { addRunsPage } from "./runs-page.ts";
import { continueRun } from "./start-run.ts";

/** The width of OpenCode's sidebar without its margins. */
const sidebarColumns = 37;
const sidebarRows = 24;

export async function showRuns(api: TerminalApi): Promise<void> {
  const notices = noticesOf(api, "Atomic");
  const guard = guardWith(notices.show);
  const cwd = api.state.path.directory || process.cwd();
  const { project } = await locate({ cwd, home: homedir() });
  const prompt = promptInput(api);
  const queue = new DialogQueue(api, prompt, guard);
  const runs = screenState<readonly FollowedRun[]>([]);
  const startedHere = new Set<string>();
  const failures = new Set<string>();
  const followed: FollowedRuns = await FollowedRuns.open(project, process.env, {
    changed: (now, lost) =>
      guard(() => {
        runs.set(now);
        // Before the dialogs: what was typed into one that closes now is what stays on the screen.
        showInPage(now, lost);
        approvals.look(now);
        for (const run of now) {
          const end = startedHere.has(run.runId) ? endOf(run) : undefined;
          if (hasEnded(run.view.state.status)) startedHere.delete(run.runId);
          if (end !== undefined) notices.show(end);
        }
      }),
    failed: (error) =>
      guard(() => {
        const typed = notSent(approvals.unsent);
        const message = `${error instanceof Error ? error.message : error}${typed}`;
        // The next dialog would cover it. What fails again and again is shown once.
        if (!failures.has(message)) queue.hold();
        failures.add(message);
        throw typed === "" ? error : new Error(message);
      }),
  });
  /** What it says if it does not continue is yours to know. */
  const refused = (problem: string): void => notices.show({ variant: "error", message: safeLine(problem) });
  const carryOn = (runId: string): void => guard(async () => await continueRun(api, project, runId, refused), "you");
  const approvals = new Approvals({
    ...{ api, queue, guard, notices, engine: followed.engine, hasWorkers: followed.hasWorkers, carryOn },
  });
  api.lifecycle.onDispose(() => followed.close());
  const bold = painter(true);
  api.slots.register({
    order: 90,
    slots: {
      app_bottom: () => {
        const size = screenSize();
        const line = (): string => statusLine(runs.get(), size().width - 4);
        return box({ paddingLeft: 2, height: () => (line() === "" ? 0 : 1) }, painted(api, line));
      },
      sidebar_content: () => {
        const tree = (): string => sidebarText(runs.get(), { columns: sidebarColumns, rows: sidebarRows });
        const shown = () =>
          runs.get().length === 0 ? null : painted(api, () => `${bold("bold", "Atomic")}\n${tree()}`);
        return box({}, shown);
      },
    },
  });
  const showInPage = addRunsPage({ api, guard, notices, followed, runs, approvals });
  // Hints and commands do not need the runs.
  guard(async () => await followed.look());
  const started = (runId: string): void => {
    startedHere.add(runId);
    followed.expect(runId);
    if (!followed.hasWorkers) carryOn(runId);
  };
  await addPromptCommands({ api, guard, notices, project, prompt, started });
}
