/** A part of a body that a tool replaces with some or all of the text that you type after the command's name. */
export type Placeholder = { readonly start: number; readonly end: number } & (
  | { readonly kind: "all" }
  /** `index` is the number as written; whether it counts from 0 or 1 is up to the tool. */
  | { readonly kind: "position"; readonly index: number }
  | { readonly kind: "name"; readonly name: string }
  /** `\$1`: loses its backslash and is not filled in. */
  | { readonly kind: "escaped" }
);

/** The text for one placeholder. With `undefined` it stays unchanged and counts as unused. */
type Fill = (placeholder: Placeholder) => string | undefined;

/** How one tool expands the arguments of a command. */
export interface ArgumentRules {
  readonly firstPosition: 0 | 1;
  readonly namedArguments: boolean;
  readBody(body: string): string;
  readInput(input: string): string;
  /** In text order, without overlaps. */
  findPlaceholders(body: string, names: readonly string[]): Placeholder[];
  fill(raw: string, names: readonly string[], placeholders: readonly Placeholder[]): Fill;
  /** What the tool appends if the body uses none of the input and the input is not empty. */
  append(raw: string): string;
  finish(text: string): string;
}

/** Finds placeholders with a global pattern; its groups `escaped`, `name`, `position` and `bare` (`$1`) give their kind. */
export function matchPlaceholders(body: string, pattern: RegExp): Placeholder[] {
  return Array.from(body.matchAll(pattern), (match) => {
    const { escaped, name, bare, position = bare } = match.groups ?? {};
    const span = { start: match.index, end: match.index + match[0].length };
    if (escaped !== undefined) return { ...span, kind: "escaped" };
    if (name !== undefined) return { ...span, kind: "name", name };
    if (position !== undefined) return { ...span, kind: "position", index: Number(position) };
    return { ...span, kind: "all" };
  });
}

/** The offset of the quote that closes the one at `at`; `undefined` if that one is an ordinary character. */
type CloseQuote = (input: string, at: number, word: string | undefined) => number | undefined;

/** Splits at white space outside of quotes, and removes the quotes. */
export function splitWords(input: string, closeQuote: CloseQuote): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < input.length; at++) {
    const char = input.charAt(at);
    const close = char === '"' || char === "'" ? closeQuote(input, at, word) : undefined;
    if (close !== undefined) {
      word = (word ?? "") + input.slice(at + 1, close);
      at = close;
    } else if (!/\s/.test(char)) {
      word = (word ?? "") + char;
    } else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}
