import { canMeet, type Fault, type FileOperation } from "./operation.ts";

/** Which operations meet a fault. A sample is spread evenly, is the same in every run, and differs between faults. */
export type Points = "all" | { readonly every: number } | { readonly max: number };

export interface Point {
  readonly fault: Fault;
  /** As it was when the command ran undisturbed. */
  readonly operation: FileOperation;
}

/** `SWEEP=full` asks for every point; everyday test runs take a sample. */
export function sweepPoints(sample: Points = { max: 8 }): Points {
  return process.env.SWEEP === "full" ? "all" : sample;
}

/** How long a test of them may take, in milliseconds. */
export function sweepTimeout(): number {
  return sweepPoints() === "all" ? 600_000 : 60_000;
}

export function choosePoints(operations: readonly FileOperation[], faults: readonly Fault[], points: Points): Point[] {
  return faults.flatMap((fault, shift) => {
    const candidates = operations.filter((operation) => canMeet(operation, fault));
    return choose(candidates, points, shift).map((operation) => ({ fault, operation }));
  });
}

function choose<T>(candidates: readonly T[], points: Points, shift: number): readonly T[] {
  if (points === "all") return candidates;
  if ("every" in points) return candidates.filter((_, index) => (index + shift) % points.every === 0);
  const step = Math.max(1, candidates.length / points.max);
  const count = Math.min(points.max, candidates.length);
  // Each fault starts elsewhere within its step, so that together they visit more of the operations.
  const start = ((shift * 3) % 7) / 7;
  return Array.from({ length: count }, (_, index) => candidates[Math.floor((index + start) * step)]!);
}
