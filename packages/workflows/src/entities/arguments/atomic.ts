import { fillFromWords, findClaudePlaceholders } from "./claude.ts";
import { type ArgumentRules, unchanged } from "./rules.ts";
import { splitWords } from "./words.ts";

/**
 * Atomic's own files: Claude's placeholders, so that a command can move over unchanged, but words are only split at
 * spaces and quotes. Claude reads the input as a shell line and loses what follows a `;`, `&`, `#` or `>`.
 */
export const atomicRules: ArgumentRules = {
  firstPosition: 0,
  namedArguments: true,
  readBody: unchanged,
  readInput: (input) => input.trim(),
  findPlaceholders: findClaudePlaceholders,
  fill: (raw, names) => {
    const words = plainWords(raw);
    return (placeholder) => fillFromWords(placeholder, raw, words, names);
  },
  append: (raw) => `\n\nARGUMENTS: ${raw}`,
  finish: unchanged,
};

/** A quote groups at the start of a word or after `=` or `:`, if it has a partner; an apostrophe is a letter. */
function plainWords(input: string): string[] {
  return splitWords(input, (text, at, word) => {
    if (word !== undefined && !word.endsWith("=") && !word.endsWith(":")) return undefined;
    const close = text.indexOf(text.charAt(at), at + 1);
    return close === -1 ? undefined : close;
  });
}
