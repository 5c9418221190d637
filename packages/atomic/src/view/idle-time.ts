import type { RunEvent } from "@atomic/workflows/run/events";

/** While nobody worked on the run. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Written down when a run is taken up again, whenever they came. */
const letters: readonly RunEvent["type"][] = [
  "signal-received",
  "budget-set",
  "run-cancel-requested",
  "run-reopened",
  "run-claimed",
];

/** Gaps, event by event. A process that dies leaves no word: then it has worked until the last thing it wrote down. */
export class IdleTime {
  readonly gaps: Gap[] = [];
  #worked: number | undefined;

  take({ type, at }: RunEvent): void {
    if (type === "run-claimed" && this.#worked !== undefined) this.gaps.push({ from: this.#worked, to: at });
    if (!letters.includes(type)) this.#worked = at;
  }
}

/** How much of this time nobody worked. */
export function idleBetween(from: number, to: number, gaps: readonly Gap[]): number {
  return gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(to, gap.to) - Math.max(from, gap.from)), 0);
}
