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
  return value ? `${ratio(value.median)} (${factor(value.min)}..${factor(value.max)})` : "–";
}

export function added({ median, min, max }: Spread): string {
  const signed = (ms: number): string => `${ms < 0 ? "−" : "+"}${duration(Math.abs(ms))}`;
  return `${signed(median)} (${signed(min)}..${signed(max)})`;
}

function factor(value: number): string {
  return significant(value, value < 1 ? 2 : 3);
}

export function significant(value: number, digits = 3): string {
  const rounded = Number(value.toPrecision(digits));
  const decimals = rounded === 0 ? 0 : digits - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(Math.max(decimals, 0), 9));
}
