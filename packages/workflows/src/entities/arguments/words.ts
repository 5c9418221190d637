/** Where the quote that opens at `at` closes; `undefined` if the character there is an ordinary one. */
type CloseQuote = (input: string, at: number, word: string | undefined) => number | undefined;

/** Splits at white space outside of quotes. The quotes go, the rest stays. */
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
