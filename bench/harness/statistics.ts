export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("the median of no values does not exist");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Ratios of values from the same round: what slowed the machine in that round slowed both.
 * Undefined when a denominator is zero, because the work was too small for the clock.
 */
export function pairedRatio(values: readonly number[], base: readonly number[]): Spread | undefined {
  if (values.length !== base.length) throw new Error(`${values.length} values cannot be paired with ${base.length}`);
  if (base.includes(0)) return undefined;
  return spread(values.map((value, round) => value / base[round]!));
}
