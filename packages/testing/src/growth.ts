// Whether work grows with its input or faster, measured without a wall clock: on a busy machine everything takes longer, but
// four times the text still takes about four times the CPU time.

const TIMES = 4;
/** Fewer rounds than `atLeast` could be a coincidence. */
const ROUNDS = { atLeast: 2, atMost: 10 };
/** Microseconds. Anything shorter measures the rest of the process; work that is not linear takes far longer. */
const NOISE = 3_000;

/**
 * The power of the size with which the CPU time of `work` grows: about 1 if the work is linear (or too little to measure), 2 if it is
 * quadratic. Measured at `size` and at four times that. Whatever else the process does only adds to a measurement, so the least of
 * several is the best one.
 *
 * ```ts
 * expect(growth(20_000, (size) => parse("[".repeat(size)))).toBeLessThan(1.5);
 * ```
 */
export function growth(size: number, work: (size: number) => unknown): number {
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let power = Number.POSITIVE_INFINITY;
  for (let round = 1; round <= ROUNDS.atMost; round++) {
    for (const [index, times] of [1, TIMES].entries()) {
      const before = process.cpuUsage();
      work(times * size);
      const { user, system } = process.cpuUsage(before);
      least[index] = Math.min(least[index]!, user + system);
    }
    const [small, large] = least as [number, number];
    power = Math.log(Math.max(large, NOISE) / Math.max(small, NOISE)) / Math.log(TIMES);
    if (round >= ROUNDS.atLeast && power < 1.3) break;
  }
  return power;
}
