// Watches a run that another process works on, and asks you its questions: attached until it ends, or you detach.
import { Interrupted } from "@atomic/terminal/console";
import type { Interrupt } from "@atomic/terminal/exit-codes";
import { canAsk } from "@atomic/terminal/questions";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { AtomicContext } from "../context.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { Asking } from "./asking.ts";
import { mayAskNext } from "./may-ask-next.ts";
import { RunReader } from "./run-reader.ts";
import { type Watcher, watcherFor } from "./watcher.ts";

const everyMs = 100;
/** After an answer: for a process that does nothing more, because it is stopped or has to wait for others. */
const patienceMs = 5000;

/**
 * Returns how the run was when it was left: ended, with no process working on it, or detached with Ctrl-C. Another signal ends
 * the program, and is thrown.
 *
 * @param until With `answered`, it is left as soon as it does something else than asking.
 */
export async function attendRun(
  context: AtomicContext,
  { engine }: ProjectRuns,
  runId: string,
  until: "ended" | "answered",
): Promise<RunStatus> {
  const reader = new RunReader(engine, runId);
  // If you only answer, the run is already shown above the prompt line.
  const watcher = until === "ended" ? watcherFor(context, false) : silentWatcher(context);
  // An agent in a terminal it created must not answer for you.
  const canAnswer = canAsk(context) && context.caller.agent() === undefined;
  const asking = canAnswer ? new Asking(context, engine, runId, watcher) : undefined;
  let interrupt: Interrupt | undefined;
  let hasAsked = false;
  /** At the last look, it did something else than asking. */
  let isBusy = false;
  let changedAt = performance.now();
  let wake: () => void = () => undefined;
  const unlisten = context.signals.listen((signal) => {
    if (interrupt === undefined || interrupt === "SIGINT") interrupt = signal;
    asking?.close();
    wake();
  });
  try {
    for (;;) {
      const hasChanged = await reader.read(watcher);
      const state = await engine.state(runId);
      const { status } = state;
      const open = questionsOf(state);
      const isWorkedOn = ["running", "waiting", "paused", "cancelling"].includes(status.kind);
      if (hasChanged || open.length > 0) changedAt = performance.now();
      hasAsked ||= open.length > 0;
      const wasBusy = isBusy;
      isBusy = open.length === 0 && !mayAskNext(state);
      // A quick step between two questions is not worth leaving.
      const hasMovedOn = (wasBusy && isBusy) || performance.now() - changedAt > patienceMs;
      const mayAsk = hasAsked && isWorkedOn && !hasMovedOn;
      const isOver = open.length === 0 && (until === "answered" ? !mayAsk : !hasChanged && !isWorkedOn);
      asking?.look(open, state);
      const isDetached = interrupt !== undefined;
      if (isOver || isDetached) await asking?.said();
      if (interrupt !== undefined && interrupt !== "SIGINT") throw new Interrupted(interrupt);
      if (isDetached || isOver || asking?.isLeft === true) return status;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, everyMs);
      });
    }
  } finally {
    unlisten();
    asking?.close();
    // It gives the keyboard back, whose owner then sets it up for something else.
    await asking?.said();
    watcher.close();
  }
}

function silentWatcher({ stderr }: Pick<AtomicContext, "stderr">): Watcher {
  const nothing = (): void => undefined;
  return {
    event: nothing,
    note: nothing,
    waiting: nothing,
    print: (text) => stderr.write(text),
    pause: nothing,
    resume: nothing,
    close: nothing,
  };
}
