import { createHash } from "node:crypto";
import type { CriteriaLoopDecisions, LoopStop } from "../graph/services.ts";
import type { Json } from "../run/json.ts";
import { PermanentError } from "../run/step-errors.ts";
import { hasSignal } from "./completion-signal.ts";
import { gitFingerprint } from "./git-fingerprint.ts";

export interface CriteriaLoopDecisionsOptions {
  /** The project's folder. */
  readonly folder: string;
  /**
   * Shows whether an iteration changed anything. Default: the files in the project's git repository, if it is one.
   * If it returns undefined, the agent's answers are compared instead.
   */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** After this many iterations without costs, the host evidently does not report them. */
const longWithoutCosts = 5;

/**
 * Ends criteria loops when the agent says that it is done, or earlier when it seems that it never will.
 * @example
 * const services = { host, criteriaLoop: criteriaLoopDecisions({ folder: "." }) };
 */
export function criteriaLoopDecisions(options: CriteriaLoopDecisionsOptions): CriteriaLoopDecisions {
  const { folder, fingerprint = (signal: AbortSignal) => gitFingerprint(folder, signal) } = options;
  const incomplete = (reason: string): LoopStop => ({ do: "stop", reason, complete: false });
  return {
    judge: async ({ loop, iteration, text, failure, elapsedMs, usd, memo }, { signal }) => {
      const { id, maxDurationMs, maxCostUsd, maxIterations, noProgressLimit: limit } = loop;
      // Compiling a graph finds this, too, but a graph can come from elsewhere.
      if (maxIterations === 0 && maxDurationMs === undefined && maxCostUsd === undefined) {
        const message = `The loop "${id}" may never end: maxIterations 0 means no limit. Add maxDurationMs or maxCostUsd.`;
        throw new PermanentError(message, { code: "unbounded" });
      }
      if (text !== undefined && hasSignal(text, loop.signal)) return { do: "stop", reason: "signal", complete: true };
      if (maxDurationMs !== undefined && elapsedMs >= maxDurationMs) return incomplete("max-duration");
      if (maxCostUsd !== undefined && usd >= maxCostUsd) return incomplete("max-cost");
      const isCostOnlyBound = maxCostUsd !== undefined && maxIterations === 0 && maxDurationMs === undefined;
      if (isCostOnlyBound && usd <= 0 && iteration >= longWithoutCosts) {
        return incomplete(`the cost of ${iteration} iterations is unknown, and maxCostUsd is the loop's only limit`);
      }

      // Files say more than words: an agent that says "Continuing." each time may make progress, and one that finds new
      // words may not.
      const files = limit === 0 ? undefined : await fingerprint(signal);
      // Times and ids differ between two failures that are the same. Other numbers show progress.
      const essential = failure?.message
        .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b0x[0-9a-f]+\b/gi, "#")
        .replaceAll(/\b[0-9a-f]{7,64}\b/gi, (word) => (/\d/.test(word) && /[a-f]/i.test(word) ? "#" : word))
        .replaceAll(/\b(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?/g, "#")
        .replaceAll(/\b\d{1,15}(?:\.\d{1,9})? ?(?:ms|s|sec|seconds?|min|minutes?)\b/g, "#")
        .replaceAll(/\bpid \d+/gi, "#")
        .replaceAll(/\s+/g, " ")
        .trim();
      const said =
        essential === undefined ? `text ${text?.replaceAll(/\s+/g, " ").trim() ?? ""}` : `failure ${essential}`;
      const before = typeof memo === "object" && memo !== null && !Array.isArray(memo) ? (memo as Streaks) : {};
      const streaks = {
        ...(failure && { failure: streak(before.failure, `${failure.name} ${failure.code ?? ""} ${essential}`) }),
        outcome: streak(before.outcome, files === undefined ? said : `files ${files}`),
      };
      const proceed = { do: "continue", memo: streaks satisfies Json } as const;
      if (limit === 0) return proceed;
      const often = limit === 1 ? "in the last iteration" : `in the last ${limit} iterations`;
      if (failure !== undefined && (streaks.failure?.times ?? 0) >= limit) {
        return incomplete(`no-progress: the same failure ${often}: ${shorten(failure.message)}`);
      }
      if (streaks.outcome.times < limit) return proceed;
      if (files !== undefined) return incomplete(`no-progress: no files changed ${often}`);
      const answer = text === undefined ? `no answer ${often}` : `the same answer ${often}: ${shorten(text)}`;
      return incomplete(`no-progress: ${answer}`);
    },
  };
}

/** Carried from one iteration to the next: how often in a row the same failure and the same outcome occurred. */
type Streaks = { readonly failure?: Streak; readonly outcome?: Streak };
type Streak = { readonly hash: string; readonly times: number };

function streak(before: Streak | undefined, value: string): Streak {
  const hash = createHash("sha256").update(value).digest("hex").slice(0, 16);
  return { hash, times: before?.hash === hash ? before.times + 1 : 1 };
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
