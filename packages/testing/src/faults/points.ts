import { canMeet, type Fault, type Operation } from "./operation.ts";

/** Which operations meet a fault. A sample is spread evenly, is the same in every run, and differs between faults. */
export type Points = "all" | { readonly every: number } | { readonly max: number };

export interface Point {
  readonly fault: Fault;
  /** As it was when the command ran undisturbed. */
  readonly operation: Operation;
}

/** `SWEEP=full` asks for every point; everyday test runs take a sample. */
export function sweepPoints(sample: Points = { max: 8 }): Points {
  return process.env.SWEEP === "full" ? "all" : sample;
}

export function choosePoints(operations: readonly Operation[], faults: readonly Fault[], points: Points): Point[] {
  return faults.flatMap((fault, shift) => {
    const candidates = operations.filter((operation) => canMeet(operation, fault));
    return choose(candidates, points, shift).map((operation) => ({ fault, operation }));
  });
}

function choose<T>(candidates: readonly T[], points: Points, shift: number): readonly T[] {
  if (points === "all") return candidates;
  if ("every" in points) return candidates.filter((_, index) => (index + shift) % points.every === 0);
  if (candidates.length <= points.max) return candidates;
  const step = candidates.length / points.max;
  return Array.from({ length: points.max }, (_, index) => {
    const at = Math.floor(index * step + (shift % Math.ceil(step)));
    return candidates[at % candidates.length]!;
  });
}
