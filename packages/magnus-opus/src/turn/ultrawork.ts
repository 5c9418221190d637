// The word that asks for all the effort there is.

/** As a word of its own: not in code, a path, an address, a file's name or another word, and not in what you do not want. */
export function asksForUltrawork(typed: string): boolean {
  const prose = typed.replace(/```[\s\S]*?(```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
  const words = prose.matchAll(/(?<![\p{L}\p{N}_/\\.@#$-])(ultrawork|ulw)(?![\p{L}\p{N}_/\\@-]|[.:=]\S)/giu);
  return [...words].some(({ index }) => !unwanted.test(prose.slice(0, index)));
}

/** At the end of what precedes the word, in the same part of the sentence: "please don't use", "what does". */
const unwanted =
  /\b(?:don['’]?t|do not|no|not|never|without|stop|disable|skip|what(?:['’]s| is| does))\b[^.,;:!?\n]{0,24}$/i;
