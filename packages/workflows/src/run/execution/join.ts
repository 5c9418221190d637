import type { Ending, ForkEnding, Join } from "../events.ts";
import type { ErrorRecord } from "../step-errors.ts";

/** What the branches that have ended mean for the fork; undefined if it has to wait for more. `last` ended just now. */
export function decide(join: Join, endings: readonly (Ending | undefined)[], last?: number): ForkEnding | undefined {
  const ended = last === undefined ? undefined : endings[last];
  switch (join) {
    case "all":
      if (ended?.ok === false) return { ok: false, error: ended.error };
      return firstFailure(endings) ?? whenComplete(endings);
    case "settled":
      return whenComplete(endings);
    case "race":
      return ended === undefined || last === undefined ? firstEnded(endings) : won(ended, last);
    case "any":
      if (ended?.ok === true && last !== undefined) return { ok: true, winner: last };
      return firstSuccess(endings) ?? (isComplete(endings) ? { ok: false, error: allFailed(endings) } : undefined);
  }
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
