// Watches a run that another process works on.
import { statSync } from "node:fs";
import { join } from "node:path";
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import type { RunStatus } from "@atomic/workflows/run/run-state";
import type { Context } from "../context.ts";
import type { Runs } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { exitCodeOf } from "../view/run-status.ts";
import { resultLine, summaryBelowLines, summaryBelowPicture } from "../view/run-summary.ts";
import { RunViewer } from "../view/run-view.ts";
import type { Attended } from "./watch-run.ts";
import { canDraw, watcherFor } from "./watcher-for.ts";

const everyMs = 250;

/** Until the run ends or nobody works on it any more. */
export async function followRun(context: Context, runs: Runs, runId: string, json: boolean): Promise<ExitCode> {
  const { engine, folder } = runs;
  const viewer = new RunViewer();
  const watcher = watcherFor(context, json);
  const unlisten = context.signals.listen((interrupt) => {
    watcher.close();
    const { view } = viewer;
    const code = signalCodes[interrupt];
    if (json && view !== undefined) context.stdout.write(resultLine({ view, status: view.state.status }, code));
    context.exit(code);
  });
  const journal = join(folder, runId, "journal.jsonl");
  try {
    for (let seen = -1; ; ) {
      const began = performance.now();
      const { size } = statSync(journal);
      if (size !== seen) {
        for await (const entry of engine.journal(runId, { after: viewer.view?.state.records ?? 0 })) {
          viewer.take(entry);
          if (viewer.view !== undefined) watcher.event(entry.event, entry.n, viewer.view);
        }
      }
      const status = await engine.status(runId);
      if (size === seen && !isWorkedOn(status)) return end(context, viewer, status, json, () => watcher.close());
      seen = size;
      await pause(Math.max(everyMs, 3 * (performance.now() - began)));
    }
  } finally {
    unlisten();
  }
}

function end(context: Context, { view }: RunViewer, status: RunStatus, json: boolean, close: () => void): ExitCode {
  close();
  if (view === undefined) return 1;
  const isAsking = status.kind === "pending" && questionsOf(view.state).length > 0;
  const attended: Attended = { view, status, ...(isAsking && { left: "no-wait" }) };
  const code = isAsking ? 4 : exitCodeOf(status);
  if (json) context.stdout.write(resultLine(attended, code));
  else {
    const summary = canDraw(context) ? summaryBelowPicture : summaryBelowLines;
    context.stderr.write(summary(attended, context.stderr));
  }
  return code;
}

function isWorkedOn({ kind }: RunStatus): boolean {
  return kind === "running" || kind === "waiting" || kind === "paused" || kind === "cancelling";
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
