// What Tab completes: which values are wanted for the word at the cursor, which of them fit, and how they are inserted.
import { typedText } from "@atomic/terminal/keys";
import { safeLine } from "@atomic/terminal/safe-text";
import { type ValueSource, wantedValues } from "./argument-hint.ts";
import { cut, insert, type Line, settle } from "./edit.ts";
import { commandLine, type Effect, type PromptWorld } from "./state.ts";
import type { PromptEntry } from "./suggestions.ts";
import { type TypedWord, typedWords, type WordPlace, writtenBeginning, writtenValue } from "./typed-word.ts";

/** The commands that can do nothing with a run that has ended. */
const onlyOpen: ReadonlySet<string> = new Set(["answer", "attach", "approve", "cancel", "raise"]);

/** What fits at the cursor; undefined where nothing is completed. */
export function wantedAt(line: Line, { catalog }: PromptWorld): Extract<Effect, { kind: "complete" }> | undefined {
  const place = placeAt(line, catalog);
  const all = typedWords(place);
  const command = commandLine(line.text);
  const entry = entryOf(line, catalog);
  const inArguments = entry === undefined ? [] : all.filter(({ from }) => from > (command?.name.length ?? 0));
  const [first] = inArguments;
  if (entry === undefined || command === undefined || first === undefined) {
    // In a text for the host, only files are completed.
    const [{ from, value }] = all;
    if (value === "" || (from === 0 && value.startsWith("/"))) return undefined;
    return { kind: "complete", sources: ["file"], words: [], word: value };
  }
  const wanted = inArguments.map(({ from, value }) =>
    wantedValues(entry.hint, line.text.slice(command.name.length + 2, from), value, entry.kind === "own"),
  );
  const sources = [...new Set(wanted.flatMap((each) => each.sources))];
  // Of what can be typed here, `atomic` itself has no entities.
  const named = sources.includes("entity") ? catalog.entries.filter(({ kind }) => kind !== "own") : [];
  const words = [...wanted.flatMap((each) => each.words), ...named.map(({ name }) => name)];
  const others = sources.filter((each) => each !== "entity");
  const fitting = others.map((each): ValueSource => (each === "run" && onlyOpen.has(entry.name) ? "open run" : each));
  return { kind: "complete", sources: fitting, words, word: first.value };
}

export interface FittingValues {
  readonly word: TypedWord;
  /** All that can be typed. */
  readonly values: readonly string[];
  /** Those that begin with the word. At least one. */
  readonly matches: readonly string[];
}

/** Those of the values that fit at the cursor; if none does, whether the word is one of them as it is. */
export function fittingAt(
  line: Line,
  all: readonly string[],
  { catalog }: PromptWorld,
): FittingValues | { readonly isComplete: boolean } {
  // What cannot be typed, such as a file name with an escape sequence, is not inserted either.
  const values = all.filter((value) => typedText(value) === value);
  const words = typedWords(placeAt(line, catalog));
  for (const word of words) {
    // Behind a quote that was never closed, nothing is not a beginning.
    if (word.value === "" && words.length > 1) continue;
    const matches = matching(values, word.value);
    if (matches.length > 0) return { word, values, matches };
  }
  return { isComplete: words.some(({ value }) => value !== "" && all.includes(value)) };
}

/** The values that still fit while the word that begins at `from` is typed further. */
export function stillFitting(
  line: Line,
  from: number,
  values: readonly string[],
  { catalog }: PromptWorld,
): readonly string[] {
  const words = typedWords(placeAt(line, catalog)).filter((word) => word.from === from);
  return words.map(({ value }) => matching(values, value)).find(({ length }) => length > 0) ?? [];
}

function matching(values: readonly string[], word: string): string[] {
  const typed = word.toLowerCase();
  return values.filter((value) => value.toLowerCase().startsWith(typed) && value !== word);
}

/** The line with this value in place of the word that begins at `from`; undefined if it cannot be typed as one word. */
export function withValue(line: Line, from: number, value: string, { catalog }: PromptWorld): Line | undefined {
  const place = placeAt(line, catalog);
  const word = typedWords(place).find((each) => each.from === from);
  const written = word && writtenValue(place, word, value);
  if (word === undefined || written === undefined) return undefined;
  const isClosed = word.isOpen && line.text[line.cursor] === word.quote;
  const { line: rest } = cut(line, from, line.cursor + (isClosed ? 1 : 0));
  // After a folder, the path can be completed further.
  const isEnd = value.endsWith("/") || /^\s/.test(rest.text.slice(rest.cursor));
  return insert(rest, isEnd ? written : `${written} `);
}

/** The line with the beginning that these values share in place of the word; undefined if that adds nothing. */
export function withCommonStart(
  line: Line,
  { word, matches }: FittingValues,
  { catalog }: PromptWorld,
): Line | undefined {
  const [first = ""] = matches;
  let { length } = first;
  for (const each of matches) while (!each.startsWith(first.slice(0, length))) length -= 1;
  // Half of a character is nothing to insert.
  const common = length > word.value.length ? first.slice(0, settle(first, length).cursor) : "";
  if (common.length <= word.value.length || !matches.every((each) => each.startsWith(common))) return undefined;
  const written = writtenBeginning(placeAt(line, catalog), word, common);
  return written === undefined ? undefined : insert(cut(line, word.from, line.cursor).line, written);
}

/** Why a value was not inserted. */
export function notInserted(value: string): string {
  return `${safeLine(value)} cannot be quoted here, so it was not inserted.`;
}

/** The words of a workflow and of `atomic`'s own commands are split here; everything else goes to a host as it is. */
function placeAt(line: Line, catalog: PromptWorld["catalog"]): WordPlace {
  const kind = entryOf(line, catalog)?.kind;
  return { before: line.text.slice(0, line.cursor), isText: kind !== "own" && kind !== "workflow" };
}

/** Whose arguments these are, if any. */
function entryOf({ text }: Line, catalog: PromptWorld["catalog"]): PromptEntry | undefined {
  const command = commandLine(text);
  return command?.args === undefined ? undefined : catalog.find(command.name);
}
