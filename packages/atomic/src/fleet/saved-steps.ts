import type { Interpret } from "@atomic/workflows/internal/run/engine";
import type { RunCtx } from "@atomic/workflows/internal/run/run-ctx";
import type { StepAttempt } from "./workspace.ts";

/** The same program, but whatever a step changed is saved before the step is recorded. Local steps change nothing. */
export function savingSteps(
  interpret: Interpret,
  save: (runId: string, step: StepAttempt) => Promise<void>,
): Interpret {
  // Branches share the run's files, and git cannot save twice at a time.
  let last: Promise<void> = Promise.resolve();
  const saveInTurn = async (runId: string, step: StepAttempt): Promise<void> => {
    const saved = last.then(() => save(runId, step));
    last = saved.catch(() => undefined); // the step that asked reports it
    await saved;
  };
  const saving = (ctx: RunCtx): RunCtx => ({
    runId: ctx.runId,
    step: (key, fn, options) => {
      if (options?.local === true) return ctx.step(key, fn, options);
      const saved: typeof fn = async (info) => {
        const result = await fn(info);
        await saveInTurn(ctx.runId, { key, attempt: info.attempt });
        return result;
      };
      return ctx.step(key, saved, options);
    },
    sleep: (key, ms) => ctx.sleep(key, ms),
    wait: (key, options) => ctx.wait(key, options),
    fork: (key, branches, join, options) =>
      ctx.fork(
        key,
        branches.map((branch) => (own: RunCtx) => branch(saving(own))),
        join,
        options,
      ),
  });
  return async (ctx, run) => await interpret(saving(ctx), run);
}
