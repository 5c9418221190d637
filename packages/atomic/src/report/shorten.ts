const longest = 200;

/** What somebody else has to say, in so many words as a line can bear. The whole is in `--json` and `atomic show --full`. */
export function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  const characters = [...line];
  return characters.length > longest
    ? `${characters
        .slice(0, longest - 1)
        .join("")
        .trimEnd()}…`
    : line;
}

export function isShortened(text: string): boolean {
  return shorten(text) !== text.trim();
}
