// Somebody starts or resumes a run: tells what happens until it ends, stops, or is given back.

import { hostname } from "node:os";
import type { ExitCode, Interrupt } from "@atomic/terminal/exit-codes";
import { canAsk } from "@atomic/terminal/questions";
import type { LocalEngine, Run } from "@atomic/workflows/run/engine";
import type { JournalEntry } from "@atomic/workflows/run/events";
import type { RunStatus } from "@atomic/workflows/run/run-state";
import type { Context } from "../context.ts";
import type { AbruptEnd } from "../foreign-code.ts";
import { type Question, questionsOf } from "../view/questions.ts";
import { type RunView, RunViewer } from "../view/run-view.ts";
import { Asking } from "./asking.ts";
import type { Watcher } from "./watcher.ts";
import { watcherFor } from "./watcher-for.ts";

export interface Attendance {
  readonly json: boolean;
  /** Give the run back instead of waiting for an answer. */
  readonly noWait: boolean;
  /** Tell also what is in the journal already. */
  readonly fromStart: boolean;
  /** A signal that came while the run was being prepared. */
  readonly interrupt?: () => Interrupt | undefined;
}

export interface Attended {
  readonly view: RunView;
  readonly status: RunStatus;
  /** Why it was given back, if it was. */
  readonly left?: Interrupt | "no-wait";
  /** How the workflow's own code put an end to it, if it did. */
  readonly broken?: AbruptEnd;
}

/**
 * `before`: what the journal held when the run was taken. `tell` is called in place of a return that never comes; it
 * gives the exit code.
 */
export async function attendRun(
  context: Context,
  engine: LocalEngine,
  before: readonly JournalEntry[],
  take: () => Promise<Run>,
  attendance: Attendance,
  tell: (attended: Attended) => ExitCode,
): Promise<Attended> {
  const viewer = new RunViewer();
  for (const entry of before) viewer.take(entry);
  const run = await take();
  const watcher = watcherFor(context, attendance.json);
  const attending = new Attending(context, engine, run, viewer, watcher, attendance, tell);
  const unlisten = context.signals.listen((interrupt) => attending.interrupt(interrupt));
  const early = attendance.interrupt?.();
  if (early !== undefined) attending.interrupt(early);
  const unlistenToEnd = context.onAbruptEnd((broken) => attending.breakOff({ broken }));
  context.redirectPrints((text) => watcher.print(text));
  try {
    if (attendance.fromStart) for (const { n, event } of before) watcher.event(event, n, attending.view);
    return await attending.untilEnd();
  } finally {
    attending.close();
    unlistenToEnd();
    unlisten();
    context.redirectPrints((text) => context.stderr.write(text));
  }
}

const settledMs = 100;

class Attending {
  readonly #context: Context;
  readonly #run: Run;
  readonly #viewer: RunViewer;
  readonly #watcher: Watcher;
  readonly #attendance: Attendance;
  readonly #tell: (attended: Attended) => ExitCode;
  readonly #mayWait: boolean;
  readonly #asking: Asking | undefined;
  #left: Interrupt | "no-wait" | undefined;
  #waiting: NodeJS.Timeout | undefined;

  constructor(
    context: Context,
    engine: LocalEngine,
    run: Run,
    viewer: RunViewer,
    watcher: Watcher,
    attendance: Attendance,
    tell: (attended: Attended) => ExitCode,
  ) {
    this.#context = context;
    this.#run = run;
    this.#viewer = viewer;
    this.#watcher = watcher;
    this.#attendance = attendance;
    this.#tell = tell;
    // An agent that types on a terminal of its own making must not answer for you, and has nothing to wait for.
    this.#mayWait = !attendance.noWait && context.caller.agent() === undefined;
    const mayAsk = this.#mayWait && !attendance.json && canAsk(context);
    this.#asking = mayAsk ? new Asking(context, engine, run.runId, watcher) : undefined;
  }

  get view(): RunView {
    const { view } = this.#viewer;
    if (view === undefined) throw new Error(`The run ${this.#run.runId} has no events.`);
    return view;
  }

  async untilEnd(): Promise<Attended> {
    for await (const happened of this.#run) {
      if (happened.type === "step-note") {
        this.#viewer.note(happened);
        this.#watcher.note(happened, this.view);
        continue;
      }
      const n = this.view.state.records + 1;
      this.#viewer.take({ n, event: happened });
      this.#watcher.event(happened, n, this.view);
      this.#asking?.look(this.#questions());
      if (!this.#mayWait) this.#leaveIfWaiting();
    }
    const status = await this.#run.ended;
    return { view: this.view, status, ...(this.#left !== undefined && isGivenBack(status) && { left: this.#left }) };
  }

  /** Once: gives the run back. Twice: goes at once, and leaves it to whoever resumes the run to find that out. */
  interrupt(interrupt: Interrupt): void {
    if (this.#left !== undefined) {
      this.#context.exit(this.breakOff({ left: interrupt }));
      return;
    }
    this.#watcher.pause(false);
    if (!this.#attendance.json) this.#context.stderr.write("Stopping… press Ctrl-C again to quit.\n");
    this.#watcher.resume();
    this.#leave(interrupt);
  }

  /** The program ends now, and cannot give the run back any more. */
  breakOff(why: Pick<Attended, "left" | "broken">): ExitCode {
    this.close();
    const status: RunStatus = { kind: "interrupted", owner: { pid: process.pid, host: hostname() } };
    return this.#tell({ view: this.view, status, ...why });
  }

  close(): void {
    clearTimeout(this.#waiting);
    this.#asking?.close();
    this.#watcher.close();
  }

  /** Looked for only where something is waited for: a long run has many events, and as many calls. */
  #questions(): readonly Question[] {
    const { state } = this.view;
    const isAsking = this.#left === undefined && state.waits.some(({ kind }) => kind === "signal");
    return isAsking ? questionsOf(state) : [];
  }

  /** Between the end of one step and the beginning of the next nothing runs either: what lasts is meant. */
  #leaveIfWaiting(): void {
    clearTimeout(this.#waiting);
    if (isWaiting(this.view)) this.#waiting = setTimeout(() => this.#leave("no-wait"), settledMs);
  }

  #leave(why: Interrupt | "no-wait"): void {
    this.#left ??= why;
    this.#asking?.close();
    void this.#run.release();
  }
}

function isWaiting({ state: { status } }: RunView): boolean {
  return status.kind === "waiting" && status.for.some(({ kind }) => kind === "signal");
}

/** It may as well have ended at the same moment. */
function isGivenBack({ kind }: RunStatus): boolean {
  return kind !== "done" && kind !== "failed" && kind !== "cancelled" && kind !== "stopped";
}
