// Watches a run that another process works on, and asks you its questions: attached until it ends, or you detach.
import { canAsk } from "@atomic/terminal/questions";
import type { RunStatus } from "@atomic/workflows/internal/run/run-state";
import type { AtomicContext } from "../context.ts";
import type { ProjectRuns } from "../runs/runs-folder.ts";
import { questionsOf } from "../view/questions.ts";
import { Asking } from "./asking.ts";
import { RunReader } from "./run-reader.ts";
import { type Watcher, watcherFor } from "./watcher.ts";

const everyMs = 100;

/**
 * Returns how the run was when it was left: ended, with no process working on it, or detached.
 *
 * @param until With `answered`, it is left as soon as it asks nothing.
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
  const mayAsk = canAsk(context) && context.caller.agent() === undefined;
  const asking = mayAsk ? new Asking(context, engine, runId, watcher) : undefined;
  let isDetached = false;
  let wake: () => void = () => undefined;
  const unlisten = context.signals.listen(() => {
    isDetached = true;
    asking?.close();
    wake();
  });
  try {
    for (;;) {
      const hasChanged = await reader.read(watcher);
      const status = await engine.status(runId);
      const open = questionsOf(await engine.state(runId));
      const isWorkedOn = ["running", "waiting", "paused", "cancelling"].includes(status.kind);
      const isOver = until === "answered" ? open.length === 0 : !hasChanged && !isWorkedOn && open.length === 0;
      if (isDetached || isOver || asking?.isLeft === true) return status;
      asking?.look(open);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, everyMs);
      });
    }
  } finally {
    unlisten();
    asking?.close();
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
