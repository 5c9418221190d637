// How time and money are written, the same in text and on a page.

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const unknown = "unknown";

/** A journal is a file, so its numbers may be nonsense. */
function isSensible(amount: number): boolean {
  return Math.abs(amount) < 1e15;
}

/** The share of the whole, from 0 to 1. */
export function shareOf(part: number, all: number): number {
  const share = part / all;
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}

/** Time since the start, independent of time zones: `0:12:03`, `2d 3:00:00`. */
export function offset(at: number, from: number): string {
  const since = Math.max(0, at - from);
  if (!isSensible(since)) return unknown;
  const days = Math.floor(since / day);
  const hours = Math.floor((since % day) / hour);
  const rest = [Math.floor((since % hour) / minute), Math.floor((since % minute) / second)];
  const clock = [hours, ...rest.map((part) => String(part).padStart(2, "0"))].join(":");
  return days === 0 ? clock : `${days}d ${clock}`;
}

/** In UTC, because readers may be in other time zones. */
export function moment(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? unknown : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function money(usd: number): string {
  if (!isSensible(usd)) return unknown;
  if (usd > 0 && usd < 0.01) return "<$0.01";
  return `$${usd.toFixed(2)}`;
}

/**
 * @example
 * tokens(12_340); // "12.3k"
 */
export function tokens(amount: number): string {
  if (!isSensible(amount)) return unknown;
  if (amount < 1000) return String(Math.round(amount));
  const [scaled, unit] = amount < 999_950 ? [amount / 1000, "k"] : [amount / 1_000_000, "M"];
  return `${scaled.toFixed(scaled < 100 ? 1 : 0).replace(/\.0$/, "")}${unit}`;
}
