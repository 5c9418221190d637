// Options that several commands share, and how their values are read. A parser returns undefined for an invalid value.
import type { ChoiceSpec, ParsedSpec } from "@atomic/terminal/command";
import { type EntityType, entityTypes } from "@atomic/workflows/internal/entities/entity";

export const typeOption: ChoiceSpec<EntityType> & { readonly many: true } = {
  kind: "choice",
  value: "type",
  choices: entityTypes,
  many: true,
  summary: "Show only this type",
};

export function parseNumber(word: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(word) ? Number(word) : undefined;
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

export const engineOption: ParsedSpec<string> = {
  ...textOption("url", "Use the runs in this database (postgres://…) instead of those in the project's folder"),
};

export function numberOption(value: string, summary: string): ParsedSpec<number> {
  return { kind: "parsed", value, takes: "a non-negative number", parse: parseNumber, summary };
}

export function wholeOption(value: string, summary: string): ParsedSpec<number> {
  const parse = (word: string): number | undefined => {
    const digits = word.replace(/(?<=\d)_(?=\d)/g, "");
    return /^\d+$/.test(digits) ? Number(digits) : undefined;
  };
  return { kind: "parsed", value, takes: "a non-negative whole number", parse, summary };
}

export function durationOption(summary: string): ParsedSpec<number> {
  const takes = "a duration such as 90s, 10m, 2h or 1h30m";
  return { kind: "parsed", value: "time", takes, parse: parseDuration, summary };
}
