// Times, tokens, dollars and long texts as people read them.
import { count, formatDuration } from "@atomic/terminal/count";
import type { Budget, Spent } from "@atomic/workflows/internal/run/budget";

/** One unit is enough for what is long ago. */
export function formatAgo(ms: number): string {
  if (ms < 2000) return "just now";
  const [whole = ""] = formatDuration(ms).split(" ");
  return `${whole.replace(/\.\d/, "")} ago`;
}

/**
 * @example
 * formatTokens(45_230); // "45.2k tokens"
 */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return `${tokens} ${tokens === 1 ? "token" : "tokens"}`;
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k tokens`;
  return `${(tokens / 1_000_000).toFixed(1)}M tokens`;
}

/** What is less than a cent is still not nothing. */
export function formatUsd(usd: number): string {
  return usd > 0 && usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** What was used up, without what was not measured. */
export function formatSpent({ usd, tokens }: Pick<Spent, "usd" | "tokens">): string {
  return [...(tokens > 0 ? [formatTokens(tokens)] : []), ...(usd > 0 ? [formatUsd(usd)] : [])].join(" · ");
}

/** In the reader's time zone. */
export function formatTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  const days = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${days} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** All limits; empty if none are set. */
export function budgetText({ usd, tokens, wallMs, steps }: Budget): string {
  return [
    ...(usd === undefined ? [] : [formatUsd(usd)]),
    ...(tokens === undefined ? [] : [formatTokens(tokens)]),
    ...(wallMs === undefined ? [] : [`${formatDuration(wallMs)} of work`]),
    ...(steps === undefined ? [] : [count(steps, "step")]),
  ].join(" · ");
}

const longestText = 200;

/** A text of others, cut to what fits a line. It is complete in `--json` and `atomic show --full`. */
export function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  const characters = [...line];
  return characters.length > longestText
    ? `${characters
        .slice(0, longestText - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

export function isShortened(text: string): boolean {
  return shorten(text) !== text.trim();
}
