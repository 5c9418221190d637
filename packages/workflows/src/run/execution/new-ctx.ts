import type { Json } from "../json.ts";
import type { RunCtx, StepInfo, WaitResult } from "../run-ctx.ts";
import { callFork } from "./call-fork.ts";
import { callStep } from "./call-step.ts";
import { callSleep, callWait } from "./call-wait.ts";
import type { LiveRun } from "./live-run.ts";
import type { Scope } from "./scope.ts";

/** The context of a run, or of one of its branches. */
export function newCtx(live: LiveRun, scope: Scope): RunCtx {
  return {
    runId: live.runId,
    step: <T extends Json>(key: string, fn: (info: StepInfo) => Promise<T> | T, options = {}) =>
      callStep(live, scope, key, fn, options) as Promise<T>,
    sleep: (key, ms) => callSleep(live, scope, key, ms),
    wait: <T extends Json>(key: string, options = {}) => callWait(live, scope, key, options) as Promise<WaitResult<T>>,
    fork: (key, branches, join, options = {}) =>
      callFork(live, scope, { key, branches, join, options }, (branch) => newCtx(live, branch)),
  };
}
