/** What the forms of an English word have in common; rough, and the same for the vocabulary and for what is looked up in it. */
export function stem(word: string): string {
  const singular = word
    .replace(/ies$/, "y")
    .replace(/(x|ch|sh|ss)es$/, "$1")
    .replace(/([^su])s$/, "$1");
  const base = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  const bare = base.length > 3 ? base.replace(/e$/, "") : base;
  return bare.replace(/([^aeiou])\1$/, "$1");
}
