// Whether iterations of a loop still lead anywhere. Pure: what happened in them makes two counts.
import { createHash } from "node:crypto";
import type { Json } from "../run/json.ts";
import type { ErrorRecord } from "../run/step-errors.ts";

export interface Iteration {
  readonly text?: string | undefined;
  readonly failure?: ErrorRecord | undefined;
  /** Of all files that the work is about; equal if and only if they are. */
  readonly fingerprint?: string | undefined;
}

/** Carried from one iteration to the next. */
export interface Streaks {
  readonly failure?: Streak;
  readonly outcome?: Streak;
}

interface Streak {
  readonly hash: string;
  readonly times: number;
}

export function streaksOf(memo: Json): Streaks {
  return typeof memo === "object" && memo !== null && !Array.isArray(memo) ? (memo as unknown as Streaks) : {};
}

export function countIteration(before: Streaks, iteration: Iteration): Streaks {
  const { failure } = iteration;
  const failed = failure && streak(before.failure, `${failure.name} ${failure.code ?? ""} ${essence(failure.message)}`);
  return { ...(failed && { failure: failed }), outcome: streak(before.outcome, outcomeOf(iteration)) };
}

/** Why there is no progress; undefined if there may be some. */
export function noProgress(
  streaks: Streaks,
  { text, failure, fingerprint }: Iteration,
  limit: number,
): string | undefined {
  if (limit === 0) return undefined;
  if (failure !== undefined && (streaks.failure?.times ?? 0) >= limit) {
    return `the same failure ${times(limit)}: ${shorten(failure.message)}`;
  }
  if ((streaks.outcome?.times ?? 0) < limit) return undefined;
  if (fingerprint !== undefined) return `no file has changed ${times(limit)}`;
  return text === undefined ? `no answer ${times(limit)}` : `the same answer ${times(limit)}: ${shorten(text)}`;
}

/** Files say more than words: an agent that says "Continuing." each time may get on, one that finds new words need not. */
function outcomeOf({ text, failure, fingerprint }: Iteration): string {
  if (fingerprint !== undefined) return `files ${fingerprint}`;
  return failure === undefined
    ? `text ${text?.replaceAll(/\s+/g, " ").trim() ?? ""}`
    : `failure ${essence(failure.message)}`;
}

/** Times and ids differ from one failure to the next that is the same. Other numbers tell how far it has got. */
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

function streak(before: Streak | undefined, value: string): Streak {
  const hash = createHash("sha256").update(value).digest("hex").slice(0, 16);
  return { hash, times: before?.hash === hash ? before.times + 1 : 1 };
}

function times(limit: number): string {
  return limit === 1 ? "in an iteration" : `in ${limit} iterations in a row`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
}
