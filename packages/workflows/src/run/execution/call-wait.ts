import { remaining } from "../clock.ts";
import type { Json } from "../json.ts";
import type { WaitOptions, WaitResult } from "../run-ctx.ts";
import { checkTime } from "./check-numbers.ts";
import type { LiveRun } from "./live-run.ts";
import { never } from "./never.ts";
import type { Scope } from "./scope.ts";
import { encode } from "./stored.ts";

export async function callSleep(live: LiveRun, scope: Scope, key: string, ms: number): Promise<void> {
  if (scope.frozen !== undefined) return await never();
  checkTime(key, "ms", ms);
  const call = live.claim(key, "sleep");
  if (call === "refused") return await never();
  if (call?.phase === "ended") return live.forget(key);
  scope.opened(key);
  const asked = call?.ms ?? Math.max(0, ms);
  const until = call?.until ?? live.clock.now() + asked;
  if (call === undefined) live.record({ type: "sleep-started", key, ms: asked, until });
  live.options.parking.idle();
  await live.sleep(call === undefined ? asked : remaining(live.clock, until, asked));
  if (scope.frozen !== undefined) return await never();
  live.record({ type: "sleep-ended", key });
  scope.closed(key);
  live.forget(key);
}

export async function callWait(
  live: LiveRun,
  scope: Scope,
  key: string,
  options: WaitOptions,
): Promise<WaitResult<Json>> {
  if (scope.frozen !== undefined) return await never();
  if (options.timeoutMs !== undefined) checkTime(key, "timeoutMs", options.timeoutMs);
  const about = options.about === undefined ? undefined : aboutOf(live, options.about);
  const call = live.claim(key, "wait");
  if (call === "refused") return await never();
  if (call?.phase === "signalled") return take(live, key);
  if (call?.phase === "timed-out") {
    live.forget(key);
    return { ok: false };
  }
  scope.opened(key);
  const ms = call === undefined ? options.timeoutMs : call.ms;
  const until = call === undefined ? deadlineAfter(live, ms) : call.until;
  if (call === undefined) {
    const deadline = ms === undefined || until === undefined ? {} : { ms, until };
    live.record({ type: "wait-started", key, ...deadline, ...(about !== undefined && { about }) });
  }
  live.options.parking.idle();
  // A signal that has come counts, whenever the deadline was.
  if (!live.state.signals.has(key)) {
    await signalOrDeadline(
      live,
      key,
      ms === undefined || until === undefined ? undefined : remaining(live.clock, until, ms),
    );
  }
  if (scope.frozen !== undefined) return await never();
  const ok = live.state.signals.has(key);
  live.record({ type: "wait-ended", key, ok });
  scope.closed(key);
  if (ok) return take(live, key);
  live.forget(key);
  return { ok: false };
}

/** Of any length that can be kept, but plain data: a journal that cannot be written is the end of its run. */
function aboutOf(live: LiveRun, about: Json): Json {
  const { maxBytes } = live.options.limits;
  return encode(about, { inlineBytes: maxBytes, maxBytes }, "question").value;
}

function deadlineAfter(live: LiveRun, ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : live.clock.now() + ms;
}

function take(live: LiveRun, key: string): WaitResult<Json> {
  const value = live.state.signals.get(key) ?? null;
  live.forget(key);
  return { ok: true, value };
}

function signalOrDeadline(live: LiveRun, key: string, ms: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const cancel = ms === undefined ? undefined : live.timer(ms, resolve);
    live.onSignal(key, () => {
      cancel?.();
      resolve();
    });
  });
}
