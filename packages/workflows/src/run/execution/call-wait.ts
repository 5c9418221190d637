import { remaining } from "../clock.ts";
import type { Json } from "../json.ts";
import { never } from "../promises.ts";
import type { WaitOptions, WaitResult } from "../run-ctx.ts";
import type { AbortScope } from "./abort-scope.ts";
import { checkTime } from "./check-options.ts";
import type { ClaimedRun } from "./claimed-run.ts";
import { encode } from "./encode.ts";

export async function callSleep(run: ClaimedRun, scope: AbortScope, key: string, ms: number): Promise<void> {
  if (scope.frozen !== undefined) return await never();
  checkTime(key, "ms", ms);
  const call = run.beginCall(key, "sleep");
  if (call === "refused") return await never();
  if (call?.phase === "ended") return run.fold.forget(key);
  scope.opened(key);
  const asked = call?.ms ?? Math.max(0, ms);
  const until = call?.until ?? run.clock.now() + asked;
  if (call === undefined) run.record({ type: "sleep-started", key, ms: asked, until });
  run.options.parking.idle();
  await run.sleep(call === undefined ? asked : remaining(run.clock, until, asked));
  if (scope.frozen !== undefined) return await never();
  run.record({ type: "sleep-ended", key });
  scope.closed(key);
  run.fold.forget(key);
}

export async function callWait(
  run: ClaimedRun,
  scope: AbortScope,
  key: string,
  options: WaitOptions,
): Promise<WaitResult<Json>> {
  if (scope.frozen !== undefined) return await never();
  if (options.timeoutMs !== undefined) checkTime(key, "timeoutMs", options.timeoutMs);
  // Any length that can be kept, but it must be JSON: a journal that cannot be written ends its run.
  const { maxBytes } = run.options.limits;
  const about =
    options.about === undefined
      ? undefined
      : encode(options.about, { inlineBytes: maxBytes, maxBytes }, "question").value;
  const call = run.beginCall(key, "wait");
  if (call === "refused") return await never();
  const { signals } = run.state;
  let ok = call?.phase === "signalled";
  if (!ok && call?.phase !== "timed-out") {
    scope.opened(key);
    const ms = call === undefined ? options.timeoutMs : call.ms;
    const until = call !== undefined ? call.until : ms === undefined ? undefined : run.clock.now() + ms;
    const deadline = ms === undefined || until === undefined ? undefined : { ms, until };
    if (call === undefined) {
      run.record({ type: "wait-started", key, ...deadline, ...(about !== undefined && { about }) });
    }
    run.options.parking.idle();
    // An answer that was sent in time counts, however late it is read; one that was sent after the deadline, while no process
    // worked on the run, does not.
    const { answeredAt } = call ?? {};
    const isLate = deadline !== undefined && answeredAt !== undefined && answeredAt > deadline.until;
    if (!signals.has(key)) {
      await new Promise<void>((resolve) => {
        const left = deadline && remaining(run.clock, deadline.until, deadline.ms);
        const cancel = left === undefined ? undefined : run.timer(left, resolve);
        run.signalWaiters.set(key, () => {
          cancel?.();
          resolve();
        });
      });
    }
    if (scope.frozen !== undefined) return await never();
    ok = signals.has(key) && !isLate;
    run.record({ type: "wait-ended", key, ok });
    scope.closed(key);
  }
  const value = signals.get(key) ?? null;
  run.fold.forget(key);
  return ok ? { ok, value } : { ok };
}
