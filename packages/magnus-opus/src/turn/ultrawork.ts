// The word that asks for all the effort there is.

/** As a word of its own: not in code, a path, a file's name or another word. */
export function asksForUltrawork(typed: string): boolean {
  const prose = typed.replace(/```[\s\S]*?(```|$)/g, " ").replace(/`[^`\n]*`/g, " ");
  return /(?<![\p{L}\p{N}_/\\.@#$-])(ultrawork|ulw)(?![\p{L}\p{N}_/\\-]|[.:=]\S)/iu.test(prose);
}
