import { readArgumentNames } from "@atomic/workflows/internal/entities/arguments";
import { findClaudePlaceholders } from "@atomic/workflows/internal/entities/arguments/claude";

export interface TranslatedBody {
  readonly body: string;
  /** With the place in the body that each is about. */
  readonly notes: readonly { readonly offset: number; readonly message: string }[];
}

type Placeholder = ReturnType<typeof findClaudePlaceholders>[number];

/**
 * Claude Code counts words from 0 and gives them names, OpenCode counts from 1.
 *
 * @example
 * translateArguments("Move $0 to $to", ["from", "to"]).body; // "Move $1 to $2"
 */
export function translateArguments(body: string, given: unknown): TranslatedBody {
  const names = readArgumentNames(given);
  const placeholders = findClaudePlaceholders(body, names);
  const base = firstNumber(body, placeholders, names);
  const notes = new Map<string, number>();
  let translated = "";
  let at = 0;
  for (const placeholder of placeholders) {
    const { start, end } = placeholder;
    const written = body.slice(start, end);
    const number = numberOf(placeholder, names, base);
    translated += body.slice(at, start) + (number === undefined ? written : `$${number}`);
    at = end;
    const message = difference(written, placeholder, number, base);
    if (message !== undefined && !notes.has(message)) notes.set(message, start);
  }
  return {
    body: translated + body.slice(at),
    notes: [...notes].map(([message, offset]) => ({ offset, message })),
  };
}

/** What Claude Code counts from in this text; undefined if its numbers cannot be translated. */
function firstNumber(body: string, placeholders: readonly Placeholder[], names: readonly string[]): 0 | 1 | undefined {
  const positions = placeholders.filter(({ kind }) => kind === "position");
  // `$ARGUMENTS[0]5` would become `$15`.
  if (positions.some(({ end }) => /^\d/.test(body.slice(end, end + 1)))) return undefined;
  const isFromZero = names.length > 0 || positions.some((each) => countsFromZero(body, each));
  return isFromZero ? 0 : 1;
}

/** `$ARGUMENTS[1]` has always counted from 0. `$1` did not, and who uses no `$0` may not know that it does now. */
function countsFromZero(body: string, placeholder: Placeholder): boolean {
  const { start, end } = placeholder;
  return (placeholder.kind === "position" && placeholder.index === 0) || body.slice(start, end).endsWith("]");
}

/** Undefined for what stays as it is. */
function numberOf(placeholder: Placeholder, names: readonly string[], base: 0 | 1 | undefined): number | undefined {
  if (placeholder.kind === "name") return names.indexOf(placeholder.name) + 1;
  return placeholder.kind === "position" && base === 0 ? placeholder.index + 1 : undefined;
}

function difference(
  written: string,
  { kind }: Placeholder,
  number: number | undefined,
  base: 0 | 1 | undefined,
): string | undefined {
  if (kind === "escaped") return "OpenCode knows no backslash that keeps a placeholder from being filled in";
  if (number !== undefined) {
    return `"${written}" is "$${number}" in OpenCode, where the last one takes all the words that are left`;
  }
  if (kind !== "position") return undefined;
  return base === 1
    ? "There is no $0, so that the words are taken to be counted from 1, as they are in OpenCode"
    : "A digit behind a placeholder keeps all of them from being translated; OpenCode counts from 1";
}
