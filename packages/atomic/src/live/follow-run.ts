// Watches a run that another process works on.
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { writePieces } from "@atomic/terminal/process-output";
import { safe } from "@atomic/terminal/safe-text";
import { RunError } from "@atomic/workflows/internal/run/run-error";
import type { AtomicContext } from "../context.ts";
import { runAnswer, wholeStatus } from "../runs/run-result.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { exitCodeOf } from "../view/run-status.ts";
import {
  answerPieces,
  resultPieces,
  type SummarizedRun,
  summaryBelowLines,
  summaryBelowPicture,
} from "../view/run-summary.ts";
import { pauseAfterLook } from "./pause-after-look.ts";
import { RunReader } from "./run-reader.ts";
import { canDraw, watcherFor } from "./watcher.ts";

const everyMs = 250;

/** Until the run ends or stops; in a folder, also until no process works on it. */
export async function followRun(
  context: AtomicContext,
  runs: ProjectRuns,
  runId: string,
  json: boolean,
): Promise<ExitCode> {
  const { engine, database } = runs;
  const reader = new RunReader(engine, runId);
  const watcher = watcherFor(context, json);
  const unlisten = context.signals.listen((interrupt) => {
    watcher.close();
    const { view } = reader;
    const code = signalCodes[interrupt];
    if (json && view !== undefined)
      for (const piece of resultPieces({ view, status: view.state.status }, code, context.stdout))
        context.stdout.write(piece);
    context.exit(code);
  });
  let isAway = false;
  /** Undefined while the database is away, which is not a reason to stop watching. */
  const look = async () => {
    try {
      const hasChanged = await reader.read(watcher);
      const status = await engine.status(runId);
      isAway = false;
      return { hasChanged, status };
    } catch (error) {
      if (database === undefined || !(error instanceof RunError)) throw error;
      const postgres = await import("@atomic/engine-postgres/database");
      if (!postgres.isAway(error.cause)) throw error;
      watcher.pause(false);
      if (!isAway && !json) context.stderr.write(safe`${error.message}. Waiting for it…\n`);
      watcher.resume();
      isAway = true;
      return undefined;
    }
  };
  try {
    for (;;) {
      const began = performance.now();
      const looked = await look();
      if (looked === undefined) {
        await new Promise((resolve) => setTimeout(resolve, everyMs));
        continue;
      }
      const { hasChanged, status } = looked;
      // In a database, a worker takes what no process works on.
      const isWorkedOn =
        ["running", "waiting", "paused", "cancelling"].includes(status.kind) ||
        (database !== undefined && ["pending", "interrupted"].includes(status.kind));
      if (!hasChanged && !isWorkedOn) {
        watcher.close();
        const { view } = reader;
        if (view === undefined) return 1;
        const isAsking = status.kind === "pending" && questionsOf(view.state).length > 0;
        const watched: SummarizedRun = {
          view,
          status: json ? await wholeStatus(engine, runId, status) : status,
          answer: await runAnswer(engine, view.state, status),
          ...(isAsking && { left: "no-wait" }),
          hasWorkers: database !== undefined,
        };
        const code = isAsking ? 4 : exitCodeOf(status);
        const summary = canDraw(context) ? summaryBelowPicture : summaryBelowLines;
        if (!json) context.stderr.write(summary(watched, context.stderr));
        const pieces = json ? resultPieces(watched, code, context.stdout) : answerPieces(watched, context.stdout);
        await writePieces(context.stdout, pieces);
        return code;
      }
      const pauseMs = pauseAfterLook(performance.now() - began, everyMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } catch (error) {
    // Or it would draw over the message.
    watcher.close();
    throw error;
  } finally {
    unlisten();
  }
}
