import { createHash } from "node:crypto";
import type { CriteriaLoopDecisions, LoopStop } from "../graph/services.ts";
import type { Json } from "../run/json.ts";
import { PermanentError } from "../run/step-errors.ts";
import { hasSignal } from "./completion-signal.ts";
import { gitFingerprint } from "./git-fingerprint.ts";

export interface CriteriaLoopDecisionsOptions {
  /** Of the project. */
  readonly folder: string;
  /**
   * Tells whether an iteration changed anything. Default: the files of the project's git repository, if it is one.
   * Undefined: it cannot be told, and what the agent says is compared instead.
   */
  readonly fingerprint?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** How many iterations without costs show that the host does not report them. */
const longWithoutCosts = 5;

/**
 * Criteria loops end when the agent says so, and before that when there is reason to believe that it never will.
 * @example
 * const services = { host, criteriaLoop: criteriaLoopDecisions({ folder: "." }) };
 */
export function criteriaLoopDecisions(options: CriteriaLoopDecisionsOptions): CriteriaLoopDecisions {
  const { folder, fingerprint = (signal: AbortSignal) => gitFingerprint(folder, signal) } = options;
  const incomplete = (reason: string): LoopStop => ({ do: "stop", reason, complete: false });
  return {
    judge: async ({ loop, iteration, text, failure, elapsedMs, usd, memo }, { signal }) => {
      const { id, maxDurationMs, maxCostUsd, maxIterations, noProgressLimit: limit } = loop;
      // Found when a graph is compiled, too; but a graph can come from elsewhere.
      if (maxIterations === 0 && maxDurationMs === undefined && maxCostUsd === undefined) {
        const message = `The loop "${id}" may never end: maxIterations 0 means no limit. Add maxDurationMs or maxCostUsd.`;
        throw new PermanentError(message, { code: "unbounded" });
      }
      if (text !== undefined && hasSignal(text, loop.signal)) return { do: "stop", reason: "signal", complete: true };
      if (maxDurationMs !== undefined && elapsedMs >= maxDurationMs) return incomplete("max-duration");
      if (maxCostUsd !== undefined && usd >= maxCostUsd) return incomplete("max-cost");
      const isCostOnlyBound = maxCostUsd !== undefined && maxIterations === 0 && maxDurationMs === undefined;
      if (isCostOnlyBound && usd <= 0 && iteration >= longWithoutCosts) {
        return incomplete(
          `the cost of the ${iteration} iterations is unknown, and only maxCostUsd would end this loop`,
        );
      }

      // Files say more than words: an agent that says "Continuing." each time may make progress, one that finds new
      // words may not.
      const files = limit === 0 ? undefined : await fingerprint(signal);
      const essential = failure && essence(failure.message);
      const said =
        essential === undefined ? `text ${text?.replaceAll(/\s+/g, " ").trim() ?? ""}` : `failure ${essential}`;
      const before = typeof memo === "object" && memo !== null && !Array.isArray(memo) ? (memo as Streaks) : {};
      const streaks = {
        ...(failure && { failure: streak(before.failure, `${failure.name} ${failure.code ?? ""} ${essential}`) }),
        outcome: streak(before.outcome, files === undefined ? said : `files ${files}`),
      };
      const goOn = { do: "continue", memo: streaks satisfies Json } as const;
      if (limit === 0) return goOn;
      const often = limit === 1 ? "in an iteration" : `in ${limit} iterations in a row`;
      if (failure !== undefined && (streaks.failure?.times ?? 0) >= limit) {
        return incomplete(`no-progress: the same failure ${often}: ${shorten(failure.message)}`);
      }
      if (streaks.outcome.times < limit) return goOn;
      if (files !== undefined) return incomplete(`no-progress: no file has changed ${often}`);
      const answer = text === undefined ? `no answer ${often}` : `the same answer ${often}: ${shorten(text)}`;
      return incomplete(`no-progress: ${answer}`);
    },
  };
}

/** Carried from one iteration to the next: how often in a row the same failure and the same outcome came. */
type Streaks = { readonly failure?: Streak; readonly outcome?: Streak };
type Streak = { readonly hash: string; readonly times: number };

function streak(before: Streak | undefined, value: string): Streak {
  const hash = createHash("sha256").update(value).digest("hex").slice(0, 16);
  return { hash, times: before?.hash === hash ? before.times + 1 : 1 };
}

/** Times and ids differ between two failures that are the same. Other numbers show how far it has come. */
function essence(message: string): string {
  return message
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b0x[0-9a-f]+\b/gi, "#")
    .replaceAll(/\b[0-9a-f]{7,64}\b/gi, (word) => (/\d/.test(word) && /[a-f]/i.test(word) ? "#" : word))
    .replaceAll(/\b(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?/g, "#")
    .replaceAll(/\b\d{1,15}(?:\.\d{1,9})? ?(?:ms|s|sec|seconds?|min|minutes?)\b/g, "#")
    .replaceAll(/\bpid \d+/gi, "#")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
