// Watches a run that another process works on.
import { type ExitCode, signalCodes } from "@atomic/terminal/exit-codes";
import { writePieces } from "@atomic/terminal/process-output";
import type { AtomicContext } from "../context.ts";
import { runAnswer, wholeStatus } from "../runs/run-result.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { exitCodeOf } from "../view/run-status.ts";
import {
  answerPieces,
  resultPieces,
  summaryBelowLines,
  summaryBelowPicture,
  type WatchedRun,
} from "../view/run-summary.ts";
import { RunViewer } from "../view/run-view.ts";
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
  const viewer = new RunViewer();
  const watcher = watcherFor(context, json);
  const unlisten = context.signals.listen((interrupt) => {
    watcher.close();
    const { view } = viewer;
    const code = signalCodes[interrupt];
    if (json && view !== undefined)
      for (const piece of resultPieces({ view, status: view.state.status }, code, context.stdout))
        context.stdout.write(piece);
    context.exit(code);
  });
  const read = engine.notes(runId);
  try {
    for (let seen: string | undefined; ; ) {
      const began = performance.now();
      const stamp = await engine.stamp(runId);
      // Read first: a note comes before the end of its step.
      const notes = await read();
      const tellUntil = (at: number): void => {
        while (viewer.view !== undefined && notes[0] !== undefined && notes[0].at <= at) {
          const note = notes.shift()!;
          viewer.note(note);
          watcher.note(note, viewer.view);
        }
      };
      if (stamp !== seen) {
        for await (const entry of engine.journal(runId, { after: viewer.view?.state.records ?? 0 })) {
          const { type, at } = entry.event;
          // What a step said belongs before its end, in the same millisecond too; and after its start.
          tellUntil(type === "step-started" ? at - 1 : at);
          viewer.take(entry);
          if (viewer.view !== undefined) watcher.event(entry.event, entry.n, viewer.view);
        }
      }
      tellUntil(Number.POSITIVE_INFINITY);
      const status = await engine.status(runId);
      // In a database, a worker takes what no process works on.
      const isWorkedOn =
        ["running", "waiting", "paused", "cancelling"].includes(status.kind) ||
        (database !== undefined && ["pending", "interrupted"].includes(status.kind));
      if (stamp === seen && !isWorkedOn) {
        watcher.close();
        const { view } = viewer;
        if (view === undefined) return 1;
        const isAsking = status.kind === "pending" && questionsOf(view.state).length > 0;
        const watched: WatchedRun = {
          view,
          status: json ? await wholeStatus(engine, runId, status) : status,
          answer: await runAnswer(engine, view.state, status),
          ...(isAsking && { left: "no-wait" }),
        };
        const code = isAsking ? 4 : exitCodeOf(status);
        const summary = canDraw(context) ? summaryBelowPicture : summaryBelowLines;
        if (!json) context.stderr.write(summary(watched, context.stderr));
        const pieces = json ? resultPieces(watched, code, context.stdout) : answerPieces(watched, context.stdout);
        await writePieces(context.stdout, pieces);
        return code;
      }
      seen = stamp;
      const pauseMs = Math.max(everyMs, 3 * (performance.now() - began));
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    unlisten();
  }
}
