import type { Ending, ForkEnding, Join } from "../events.ts";
import type { ErrorRecord } from "../step-errors.ts";

/** What branches that have ended mean for the fork that they belong to; undefined if it has to wait for more. */
export function decide(join: Join, endings: readonly (Ending | undefined)[]): ForkEnding | undefined {
  switch (join) {
    case "all":
      return firstFailure(endings) ?? whenComplete(endings);
    case "settled":
      return whenComplete(endings);
    case "race":
      return firstEnded(endings);
    case "any":
      return firstSuccess(endings) ?? (isComplete(endings) ? { ok: false, error: allFailed(endings) } : undefined);
  }
}

/** The same when one more has ended, without a look at the others: a fork may have many. `missing`: how many have not. */
export function decideNext(
  join: Join,
  endings: readonly (Ending | undefined)[],
  last: number,
  missing: number,
): ForkEnding | undefined {
  const ended = endings[last]!;
  if (join === "race") return won(ended, last);
  if (join === "all" && !ended.ok) return { ok: false, error: ended.error };
  if (join === "any" && ended.ok) return { ok: true, winner: last };
  return missing > 0 ? undefined : decide(join, endings);
}

function whenComplete(endings: readonly (Ending | undefined)[]): ForkEnding | undefined {
  return isComplete(endings) ? { ok: true } : undefined;
}

function isComplete(endings: readonly (Ending | undefined)[]): boolean {
  return endings.every((ending) => ending !== undefined);
}

function won(ending: Ending, winner: number): ForkEnding {
  return ending.ok ? { ok: true, winner } : { ok: false, error: ending.error };
}

function firstEnded(endings: readonly (Ending | undefined)[]): ForkEnding | undefined {
  if (endings.length === 0) return { ok: false, error: noBranches };
  const winner = endings.findIndex((ending) => ending !== undefined);
  return winner < 0 ? undefined : won(endings[winner]!, winner);
}

function firstSuccess(endings: readonly (Ending | undefined)[]): ForkEnding | undefined {
  const winner = endings.findIndex((ending) => ending?.ok === true);
  return winner < 0 ? undefined : { ok: true, winner };
}

function firstFailure(endings: readonly (Ending | undefined)[]): ForkEnding | undefined {
  const failed = endings.find((ending) => ending?.ok === false);
  return failed?.ok === false ? { ok: false, error: failed.error } : undefined;
}

const noBranches: ErrorRecord = { name: "Error", message: "there are no branches", code: "no-branches" };

function allFailed(endings: readonly (Ending | undefined)[]): ErrorRecord {
  const errors = endings.flatMap((ending) => (ending?.ok === false ? [ending.error] : []));
  const [first] = errors;
  if (first === undefined) return noBranches;
  const message = `every branch failed: ${errors.map((error) => error.message).join("; ")}`;
  return { name: "Error", message, code: "all-failed", ...(first.key !== undefined && { key: first.key }) };
}
