// Shows what happens in a run that this process works on, until it ends, stops or is left.

import { hostname } from "node:os";
import type { ExitCode, Interrupt } from "@atomic/terminal/exit-codes";
import { canAsk } from "@atomic/terminal/questions";
import type { LocalEngine, RunHandle } from "@atomic/workflows/internal/run/engine";
import type { JournalEntry } from "@atomic/workflows/internal/run/events";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { AtomicContext } from "../context.ts";
import { describeEnd } from "../foreign-code.ts";
import { questionsOf } from "../view/questions.ts";
import type { SummarizedRun } from "../view/run-summary.ts";
import { type RunView, RunViewer } from "../view/run-view.ts";
import { Asking } from "./asking.ts";
import { watcherFor } from "./watcher.ts";

export interface RunWatching {
  readonly json: boolean;
  /** Leave the run instead of waiting for an answer. */
  readonly noWait: boolean;
  /** Also show what is in the journal already. */
  readonly fromStart: boolean;
  /** A signal that came while the run was being prepared. */
  readonly interrupt?: () => Interrupt | undefined;
}

export interface TakenRun {
  readonly engine: LocalEngine;
  readonly take: () => Promise<RunHandle>;
  /** What the journal contained before the run was taken. */
  readonly before: readonly JournalEntry[];
}

/** A run that waits this long for nothing but an answer really waits: between two steps nothing runs either. */
const settledMs = 100;

/** `report` is called instead of a return that never comes; it returns the exit code. */
export async function watchRun(
  context: AtomicContext,
  { engine, take, before }: TakenRun,
  watching: RunWatching,
  report: (watched: SummarizedRun) => ExitCode,
): Promise<SummarizedRun> {
  const viewer = new RunViewer();
  for (const entry of before) viewer.take(entry);
  const run = await take();
  // An agent in a terminal it created must not answer for you, and has nothing to wait for.
  const mayWait = !watching.noWait && context.caller.agent() === undefined;
  const watcher = watcherFor(context, watching.json, mayWait);
  const mayAsk = mayWait && !watching.json && canAsk(context);
  const asking = mayAsk ? new Asking(context, engine, run.runId, watcher) : undefined;
  let left: SummarizedRun["left"];
  let waiting: NodeJS.Timeout | undefined;
  let announced: string | undefined;

  const viewNow = (): RunView => {
    const { view } = viewer;
    if (view === undefined) throw new Error(`The run ${run.runId} has no events.`);
    return view;
  };
  const leave = (why: Interrupt | "no-wait"): void => {
    left ??= why;
    asking?.close();
    void run.release();
  };
  /** The run waits for answers to these questions, and nothing else happens. */
  const wait = (asked: string): void => {
    if (!mayWait) leave("no-wait");
    else if (asked !== announced) watcher.waiting(viewNow());
    announced = asked;
  };
  const close = (): void => {
    clearTimeout(waiting);
    asking?.close();
    watcher.close();
  };
  /** The program ends now, and can no longer release the run. */
  const breakOff = (why: Pick<SummarizedRun, "left" | "broken">): ExitCode => {
    close();
    const status: RunStatus = { kind: "interrupted", owner: { pid: process.pid, host: hostname() } };
    return report({ view: viewNow(), status, ...why });
  };
  /** The first signal releases the run. The second one ends the program at once; the next process to resume finds out. */
  const interrupt = (signal: Interrupt): void => {
    if (left !== undefined) {
      context.exit(breakOff({ left: signal }));
      return;
    }
    watcher.pause(false);
    if (!watching.json) context.stderr.write("Stopping… press Ctrl-C again to quit.\n");
    watcher.resume();
    leave(signal);
  };

  const unlisten = context.signals.listen(interrupt);
  const early = watching.interrupt?.();
  if (early !== undefined) interrupt(early);
  const unlistenToEnd = context.onAbruptEnd((end) => breakOff({ broken: describeEnd(end) }));
  context.redirectPrints((text) => watcher.print(text));
  try {
    if (watching.fromStart) for (const { n, event } of before) watcher.event(event, n, viewNow());
    for await (const happened of run) {
      if (happened.type === "step-note") {
        viewer.note(happened);
        watcher.note(happened, viewNow());
        continue;
      }
      const n = viewNow().state.records + 1;
      viewer.take({ n, event: happened });
      const view = viewNow();
      watcher.event(happened, n, view);
      const { state } = view;
      if (asking !== undefined) {
        // Looked for only while something is awaited: a long run has many events, and as many calls.
        const isAsking = left === undefined && state.waits.some(({ kind }) => kind === "signal");
        asking.look(isAsking ? questionsOf(state) : [], state);
      }
      if (asking === undefined) {
        clearTimeout(waiting);
        const { status } = state;
        const asked =
          status.kind === "waiting" ? status.for.flatMap(({ kind, key }) => (kind === "signal" ? key : [])) : [];
        if (asked.length > 0) waiting = setTimeout(() => wait(asked.join("\n")), settledMs);
      }
    }
    const status = await run.ended;
    // It may have ended at the very moment in which it was left.
    const isLeft = !["done", "failed", "cancelled", "stopped"].includes(status.kind);
    return { view: viewNow(), status, ...(left !== undefined && isLeft && { left }) };
  } finally {
    close();
    unlistenToEnd();
    unlisten();
    context.redirectPrints((text) => context.stderr.write(text));
  }
}
