import { type ArgumentRules, matchPlaceholders } from "./rules.ts";

/**
 * OpenCode, measured on 1.18.33, with two differences on purpose: OpenCode reads `$&` or `$$` in the user's input as
 * replacement patterns, and fills in a `$ARGUMENTS` that came with a positional argument. Here input stays as typed.
 */
export const opencodeRules: ArgumentRules = {
  firstPosition: 1,
  namedArguments: false,
  readBody: (body) => body.trim(),
  readInput: (input) => input,
  findPlaceholders: (body) => matchPlaceholders(body, /\$(?:(?<position>\d+)|ARGUMENTS)/g),
  fill: (raw, _names, placeholders) => {
    const words = quotedWords(raw);
    const last = placeholders.reduce((max, item) => (item.kind === "position" ? Math.max(max, item.index) : max), 0);
    return (placeholder) => {
      if (placeholder.kind !== "position") return raw;
      const from = placeholder.index - 1;
      if (from >= words.length) return "";
      if (placeholder.index === last) return words.slice(from).join(" ");
      // `$0` beside another placeholder: OpenCode prints this very word.
      return words[from] ?? "undefined";
    };
  },
  append: (raw) => `\n\n${raw}`,
  finish: (text) => text.trim(),
};

/** A quote starts a new word wherever it stands; one without a partner is dropped. */
function quotedWords(input: string): string[] {
  const words = input.match(/\[Image\s+\d+\]|"[^"]*"|'[^']*'|[^\s"']+/gi) ?? [];
  return words.map((word) => (/^["']/.test(word) ? word.slice(1, -1) : word));
}
