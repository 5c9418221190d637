import type { Spread } from "./statistics.ts";
import type { Row } from "./summary.ts";

export function duration(ms: number): string {
  if (ms >= 1000) return `${significant(ms / 1000)} s`;
  if (ms >= 1) return `${significant(ms)} ms`;
  if (ms >= 0.001) return `${significant(ms * 1000)} µs`;
  return `${significant(ms * 1e6)} ns`;
}

export function megabytes(row: Pick<Row, "rssBytes" | "rssAtMost">): string {
  return `${row.rssAtMost ? "≤ " : ""}${significant(row.rssBytes.median / 1e6)} MB`;
}

export function ratio(value: number): string {
  return `${factor(value)}×`;
}

export function ratioWithSpread(value: Spread | undefined): string {
  if (value === undefined) return "–";
  const { median, min, max } = value;
  return `${ratio(median)} (${factor(min, median)}–${factor(max, median)})`;
}

export function added({ median, min, max }: Spread): string {
  const signed = (ms: number): string => `${ms < 0 ? "−" : "+"}${duration(Math.abs(ms))}`;
  return `${signed(median)} (${signed(min)} to ${signed(max)})`;
}

/** Around 1, hundredths decide who is faster; further away, nothing that fine repeats from one run to the next. */
function factor(value: number, median = value): string {
  return median >= 0.1 && median < 2 && value < 10 ? value.toFixed(2) : significant(value);
}

/** More digits than these two change with the next measurement; those before the point are never rounded away. */
export function significant(value: number): string {
  const digits = Math.abs(value) < 100 ? 2 : Math.ceil(Math.log10(Math.abs(value) + 1));
  const rounded = Number(value.toPrecision(digits));
  const decimals = rounded === 0 ? 0 : digits - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(Math.max(decimals, 0), 9));
}

/** `1 round`, `3 rounds`. */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString("en")} ${noun}${amount === 1 ? "" : "s"}`;
}
