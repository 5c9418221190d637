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

/**
 * The words of a line as a shell splits them, but without its other characters: quotes group at the start of a word or
 * behind `=`, so "don't" is a word. A quote that is never closed is a character like any other, and so is a backslash
 * unless a space, a quote or a backslash follows it; a line that ends with one continues on the next. Everything behind the first
 * line is one word, with the line break that it begins with, unless each of these lines begins with an option.
 *
 * @example
 * splitWords(`--note "two words" it's`); // ["--note", "two words", "it's"]
 */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  const word = /(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)'|\\(["'\\\s])|(\S))/gy;
  let current: string | undefined;
  let areOptions = false;
  for (let at = 0; at < line.length; ) {
    if (line.startsWith("\\\n", at)) {
      at += 2;
      continue;
    }
    if (/\s/.test(line[at] ?? "")) {
      if (current !== undefined) words.push(current);
      current = undefined;
      if (line[at] === "\n" && !areOptions) {
        const others = line.slice(at).trimEnd();
        areOptions = others
          .trimStart()
          .split("\n")
          .every((each) => /^\s*--[a-z]/i.test(each));
        if (!areOptions) return others === "" ? words : [...words, others];
      }
      at += 1;
      continue;
    }
    word.lastIndex = at;
    const [found = "", double, single, escaped, plain] = word.exec(line) ?? [];
    const mayQuote: boolean = current === undefined || current.endsWith("=");
    if (mayQuote && (double !== undefined || single !== undefined)) {
      current = (current ?? "") + (double?.replace(/\\(?:\n|(["\\]))/g, "$1") ?? single ?? "");
      at += found.length;
    } else {
      current = (current ?? "") + (escaped ?? plain ?? line[at]);
      at += escaped === undefined ? 1 : 2;
    }
  }
  if (current !== undefined) words.push(current);
  return words;
}
