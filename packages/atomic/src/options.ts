// What people type for a number, a time or a size. Undefined for what is none.
import type { ChoiceSpec, ParsedSpec } from "@atomic/terminal/command";

export function parseNumber(word: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(word) ? Number(word) : undefined;
}

function parseWhole(word: string): number | undefined {
  const digits = word.replace(/(?<=\d)_(?=\d)/g, "");
  return /^\d+$/.test(digits) ? Number(digits) : undefined;
}

const durations: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * @example
 * parseDuration("1h30m"); // 5,400,000
 */
export function parseDuration(word: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(word)) return undefined;
  const parts = [...word.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (durations[unit] ?? 0), 0);
}

const sizes: Readonly<Record<string, number>> = { B: 1, k: 1000, K: 1000, M: 1_000_000, G: 1_000_000_000 };

export function parseSize(word: string): number | undefined {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(B|[kKMG](?=B?$))B?$/.exec(word) ?? [];
  return amount === undefined ? undefined : Number(amount) * (sizes[unit] ?? 0);
}

export function textOption(value: string, summary: string): ParsedSpec<string> {
  return { kind: "parsed", value, takes: "some text", parse: (word) => word || undefined, summary };
}

export function textsOption(value: string, summary: string): ParsedSpec<string> & { readonly many: true } {
  return { kind: "parsed", value, many: true, takes: "some text", parse: (word) => word || undefined, summary };
}

export function numberOption(value: string, summary: string): ParsedSpec<number> {
  return { kind: "parsed", value, takes: "a number from 0", parse: parseNumber, summary };
}

export function wholeOption(value: string, summary: string): ParsedSpec<number> {
  return { kind: "parsed", value, takes: "a whole number from 0", parse: parseWhole, summary };
}

export function durationOption(summary: string): ParsedSpec<number> {
  const takes = "a time such as 90s, 10m, 2h or 1h30m";
  return { kind: "parsed", value: "time", takes, parse: parseDuration, summary };
}

export function sizeOption(summary: string): ParsedSpec<number> {
  return { kind: "parsed", value: "size", takes: "a size such as 500MB or 2GB", parse: parseSize, summary };
}

export function oneOfOption<Choice extends string>(
  value: string,
  choices: readonly Choice[],
  summary: string,
): ChoiceSpec<Choice> {
  return { kind: "choice", value, choices, summary };
}
