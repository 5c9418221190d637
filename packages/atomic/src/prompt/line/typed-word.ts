// The word before the cursor as it will be read, and how a value has to be written there to be read as one word. Quotes and
// backslashes mean what they mean to `splitWords`.

export interface TypedWord {
  readonly from: number;
  /** Without its quotes and backslashes. */
  readonly value: string;
  /** The quote that it begins with. */
  readonly quote: Quote | undefined;
  /** Whether that quote is still to be closed. */
  readonly isOpen: boolean;
}

type Quote = '"' | "'";

/** A place in a line where a word ends. In a text for a host, quotes also follow the `@` of a file that it mentions. */
export interface WordPlace {
  /** All that is in front of the cursor. */
  readonly before: string;
  readonly isText: boolean;
}

/**
 * The ways to read the word, the longest first: up to a quote that is still to be closed, and, last, with that quote as a
 * character like any other, which it is until then.
 *
 * @example
 * typedWords({ before: 'say "see my', isText: true }).map(({ value }) => value); // ["see my", "my"]
 */
export function typedWords({ before, isText }: WordPlace): readonly [TypedWord, ...TypedWord[]] {
  const words: TypedWord[] = [];
  const group = /"((?:[^"\\]|\\[\s\S])*)("|$)|'([^']*)('|$)/y;
  let [from, value] = [before.length, ""];
  let [hasBegun, quote] = [false, undefined as Quote | undefined];
  for (let at = 0; at < before.length; ) {
    const character = before[at] ?? "";
    if (before.startsWith("\\\n", at)) {
      at += 2;
      continue;
    }
    if (/\s/.test(character)) {
      [from, value, hasBegun, quote] = [before.length, "", false, undefined];
      at += 1;
      continue;
    }
    if (!hasBegun) from = at;
    const mayQuote = !hasBegun || value.endsWith("=") || (isText && value === "@");
    group.lastIndex = at;
    const [all = "", double, doubleEnd, single, singleEnd] = (mayQuote && group.exec(before)) || [];
    const inside = double?.replace(/\\(?:\n|(["\\]))/g, "$1") ?? single ?? "";
    const isStart = !hasBegun || value === "@";
    hasBegun = true;
    if (all !== "" && (doubleEnd || singleEnd)) {
      if (isStart) quote = character as Quote;
      value += inside;
      at += all.length;
      continue;
    }
    if (all !== "") words.push({ from, value: value + inside, quote: character as Quote, isOpen: true });
    const [, escaped] = /^\\(["'\\\s])/.exec(before.slice(at, at + 2)) ?? [];
    value += escaped ?? character;
    at += escaped === undefined ? 1 : 2;
  }
  const last = { from, value, quote, isOpen: false };
  const [first = last, ...others] = words;
  return words.length === 0 ? [last] : [first, ...others, last];
}

/** The value as it is typed in place of the word; undefined if no quotes make one word of it. */
export function writtenValue(place: WordPlace, word: TypedWord, value: string): string | undefined {
  const whole = quotesFor(word).map((quote) => quoted(place, value, quote, quote));
  return [...(word.quote === undefined ? [value] : []), ...whole].find((written) => {
    const before = place.before.slice(0, word.from) + written;
    const read = typedWords({ ...place, before }).at(-1);
    // A backslash at its end would take the space behind it.
    const next = typedWords({ ...place, before: `${before} ` }).at(-1);
    return read?.from === word.from && read.value === value && next?.from === before.length + 1;
  });
}

/** The same for the beginning of values: a quote is left open. */
export function writtenBeginning(place: WordPlace, word: TypedWord, value: string): string | undefined {
  const open = quotesFor(word).map((quote) => quoted(place, value, quote, ""));
  return [...(word.quote === undefined ? [value] : []), ...open].find((written) =>
    typedWords({ ...place, before: place.before.slice(0, word.from) + written }).some(
      (read) => read.from === word.from && read.value === value && (read.isOpen || written === value),
    ),
  );
}

function quotesFor({ quote }: TypedWord): readonly Quote[] {
  return quote === "'" ? ["'", '"'] : ['"', "'"];
}

/** Hosts do not know backslashes. Reading it back shows whether these quotes make one word of it. */
function quoted({ isText }: WordPlace, value: string, quote: Quote, end: Quote | ""): string {
  const mark = isText && value.startsWith("@") ? "@" : "";
  const text = value.slice(mark.length);
  return mark + quote + (quote === "'" || isText ? text : text.replace(/["\\]/g, "\\$&")) + end;
}
