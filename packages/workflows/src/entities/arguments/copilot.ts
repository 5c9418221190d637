import { type ArgumentRules, matchPlaceholders, unchanged } from "./rules.ts";
import { splitWords } from "./words.ts";

/** The Copilot runtime, measured on 1.0.85. It has no named arguments, and what is missing is empty. */
export const copilotRules: ArgumentRules = {
  firstPosition: 0,
  namedArguments: false,
  // Empty lines before the text are not part of it, but its indentation is.
  readBody: (body) => body.replace(/^\s*\n/, ""),
  readInput: (input) => input.trim(),
  findPlaceholders: (body) =>
    matchPlaceholders(body, /(?<escaped>\\\$)|\$ARGUMENTS\[(?<position>\d+)\]|\$ARGUMENTS(?!\w)|\$(?<bare>\d+)/g),
  fill: (raw) => {
    const words = joinedWords(raw);
    return (placeholder) => {
      if (placeholder.kind === "escaped") return undefined;
      return placeholder.kind === "position" ? (words[placeholder.index] ?? "") : raw;
    };
  },
  append: (raw) => `\n\nARGUMENTS: ${raw}`,
  finish: unchanged,
};

/** Quotes group and vanish, also in the middle of a word; an open one reaches to the end. There are no escapes. */
function joinedWords(input: string): string[] {
  return splitWords(input, (text, at) => {
    const close = text.indexOf(text.charAt(at), at + 1);
    return close === -1 ? text.length : close;
  });
}
