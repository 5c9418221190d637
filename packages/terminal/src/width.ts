/** How many columns a text takes on a terminal, as far as one can know without asking the terminal. */
export function displayWidth(text: string): number {
  if (isPlain.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += widthOf(grapheme);
  return width;
}

/**
 * The text, or as much of it as fits with an ellipsis behind.
 *
 * @example
 * truncate("description", 5); // "desc…"
 */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 1) return "";
  let kept = "";
  let width = 0;
  for (const grapheme of graphemesOf(text)) {
    width += widthOf(grapheme);
    if (width > columns - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** Latin, Greek, Cyrillic and punctuation: one column a character, and nearly all text there is. */
const isPlain = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;

let classes: { readonly nothing: RegExp; readonly emoji: RegExp; readonly wide: RegExp } | undefined;

/** Terminals draw an emoji as one, of however many it is joined; of other scripts they draw letter by letter. */
function widthOf(grapheme: string): number {
  // Made when they are needed, like the segmenter below.
  classes ??= {
    // Accents, joiners, and the vowels and endings that Hangul draws into the letter before.
    nothing: /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u,
    emoji: /^\p{Emoji_Presentation}|\ufe0f/u,
    // East Asian wide and full-width characters.
    wide: /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u,
  };
  const { emoji, nothing, wide } = classes;
  if (emoji.test(grapheme)) return 2;
  let width = 0;
  for (const character of grapheme) {
    if (!nothing.test(character)) width += wide.test(character) ? 2 : 1;
  }
  return width;
}

/** Between two of these one character ends and the next begins: line breaks, Latin, Greek, Cyrillic, Chinese and Japanese. */
const apart =
  "\\n\\x20-\\x7e\\xa1-\\xa8\\xaa-\\xac\\xaf-\\u02ff\\u0370-\\u0482\\u048a-\\u052f\\u3001-\\u3029\\u3041-\\u3096\\u309b-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff";
let unsure: RegExp | undefined;
let segmenter: Intl.Segmenter | undefined;

/** What a person sees as one character, each: letters with their accents, joined emoji. */
export function* graphemesOf(text: string): Iterable<string> {
  if (isPlain.test(text)) {
    yield* text;
    return;
  }
  // Made when it is needed: Node takes longer for it than for all the rest of a short command. It also takes four times as
  // long for twice the text, so it gets only the pieces that need it.
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  unsure ??= new RegExp(`[${apart}]?[^${apart}](?:[${apart}]?[^${apart}])*[${apart}]?`, "g");
  let from = 0;
  for (const { 0: piece, index } of text.matchAll(unsure)) {
    yield* text.slice(from, index);
    for (const { segment } of segmenter.segment(piece)) yield segment;
    from = index + piece.length;
  }
  yield* text.slice(from);
}
