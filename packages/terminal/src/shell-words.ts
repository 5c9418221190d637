/** A word that no shell reads as anything else; "#" and "^" mean something only at its beginning. */
const PLAIN = /^[\w@%+:,./-][\w@%+=:,./#^-]*$/;

/** A word for a shell, quoted if needed. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Words as they can be pasted into a shell. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
