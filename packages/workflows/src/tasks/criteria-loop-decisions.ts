import type { CriteriaLoopJson } from "../graph/graph-json.ts";
import type { CriteriaLoopDecisions, CriteriaVerdict, JudgeRequest, LoopStop } from "../graph/loop-decisions.ts";
import type { Json } from "../run/json.ts";
import { PermanentError } from "../run/step-errors.ts";
import { hasSignal } from "./completion-signal.ts";
import { gitFingerprint } from "./git-fingerprint.ts";
import { countIteration, noProgress, streaksOf } from "./no-progress.ts";

export interface CriteriaLoopDecisionsOptions {
  /** Of the project. */
  readonly folder: string;
  /**
   * Tells whether an iteration changed anything. Default: the files of the project's git repository, if it is one.
   * Undefined: it cannot be told, and what the agent says is compared instead.
   */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** How many iterations without costs show that nobody tells what they are. */
const longWithoutCosts = 5;

/**
 * Criteria loops end when the agent says so, and before that when there is reason to believe that it never will.
 * @example
 * const services = { host, criteriaLoop: criteriaLoopDecisions({ folder: "." }) };
 */
export function criteriaLoopDecisions(options: CriteriaLoopDecisionsOptions): CriteriaLoopDecisions {
  const { folder, fingerprint = (signal: AbortSignal) => gitFingerprint(folder, signal) } = options;
  return {
    judge: async (request, { signal }) => {
      refuseUnbounded(request.loop);
      const ended = endOf(request);
      if (ended !== undefined) return ended;
      const files = request.loop.noProgressLimit === 0 ? undefined : await fingerprint(signal);
      return verdictOn(request, files);
    },
  };
}

/** What can be said without a look at the files. */
function endOf({ loop, iteration, text, elapsedMs, usd }: JudgeRequest): LoopStop | undefined {
  const { signal, maxDurationMs, maxCostUsd, maxIterations } = loop;
  if (text !== undefined && hasSignal(text, signal)) return { do: "stop", reason: "signal", complete: true };
  if (maxDurationMs !== undefined && elapsedMs >= maxDurationMs) return incomplete("max-duration");
  if (maxCostUsd === undefined) return undefined;
  if (usd >= maxCostUsd) return incomplete("max-cost");
  const isOnlyBound = maxIterations === 0 && maxDurationMs === undefined;
  if (!isOnlyBound || usd > 0 || iteration < longWithoutCosts) return undefined;
  return incomplete(`nobody tells what the ${iteration} iterations cost, and only maxCostUsd would end this loop`);
}

function verdictOn({ loop, text, failure, memo }: JudgeRequest, fingerprint: string | undefined): CriteriaVerdict {
  const happened = { text, failure, fingerprint };
  const streaks = countIteration(streaksOf(memo), happened);
  const stuck = noProgress(streaks, happened, loop.noProgressLimit);
  if (stuck !== undefined) return incomplete(`no-progress: ${stuck}`);
  return { do: "continue", memo: streaks as unknown as Json };
}

/** Found when a graph is compiled, too; but a graph can come from elsewhere. */
function refuseUnbounded({ id, maxIterations, maxDurationMs, maxCostUsd }: CriteriaLoopJson): void {
  if (maxIterations !== 0 || maxDurationMs !== undefined || maxCostUsd !== undefined) return;
  const message = `The loop "${id}" may never end: maxIterations 0 means no limit. Add maxDurationMs or maxCostUsd.`;
  throw new PermanentError(message, { code: "unbounded" });
}

function incomplete(reason: string): LoopStop {
  return { do: "stop", reason, complete: false };
}
