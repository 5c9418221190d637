import { type ArgumentRules, matchPlaceholders, type Placeholder, unchanged } from "./rules.ts";
import { shellWords } from "./shell-words.ts";

/** Claude Code, measured on 2.1.325. */
export const claudeRules: ArgumentRules = {
  firstPosition: 0,
  namedArguments: true,
  readBody: (body) => body.trimStart(),
  readInput: (input) => input.trim(),
  findPlaceholders: findClaudePlaceholders,
  fill: (raw, names) => {
    const words = shellWords(raw);
    return (placeholder) => {
      const text = fillFromWords(placeholder, raw, words, names);
      return text === undefined ? undefined : disarmShell(text);
    };
  },
  append: (raw) => `\n\nARGUMENTS: ${disarmShell(raw)}`,
  finish: unchanged,
};

/**
 * `$ARGUMENTS`, `$ARGUMENTS[n]`, `$n` and `$name`, where `$1st` and `$name[0]` are plain text. One backslash in front
 * makes plain text of any of them; two or more backslashes do nothing.
 */
export function findClaudePlaceholders(body: string, names: readonly string[]): Placeholder[] {
  if (!body.includes("$")) return [];
  const longestFirst = [...new Set(names)]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const name = longestFirst.length === 0 ? "(?!)" : longestFirst.join("|");
  const pattern = new RegExp(
    [
      String.raw`(?<escaped>(?<!\\)\\\$(?=ARGUMENTS|\d|${name}))`,
      String.raw`\$(?<name>${name})(?![\w[])`,
      String.raw`\$ARGUMENTS(?:\[(?<position>\d+)\])?`,
      String.raw`\$(?<bare>\d+)(?!\w)`,
    ].join("|"),
    "g",
  );
  return matchPlaceholders(body, pattern);
}

/** Named arguments take the words in order; a missing one is empty, while a missing `$3` stays in the text. */
export function fillFromWords(
  placeholder: Placeholder,
  raw: string,
  words: readonly string[],
  names: readonly string[],
): string | undefined {
  switch (placeholder.kind) {
    case "all":
      return raw;
    case "position":
      return words[placeholder.index];
    case "name":
      return words[names.indexOf(placeholder.name)] ?? "";
    case "escaped":
      return undefined;
  }
}

/** Claude Code runs the !`commands` of the filled-in text, so it takes care that an argument never becomes one. */
function disarmShell(text: string): string {
  return text
    .replaceAll("!`", "! `")
    .replaceAll("`!", "` !")
    .replace(/(?<=^|\s)!/g, "\\!");
}
