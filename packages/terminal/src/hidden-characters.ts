export type HiddenKind =
  | "ansi"
  | "bidi"
  | "byte-order-mark"
  | "control"
  | "invisible"
  | "line-separator"
  | "lone-surrogate"
  | "soft-hyphen"
  | "tag"
  | "variation-selector"
  | "zero-width";

/** A character that a person does not see, but a program or a model reads. */
export interface HiddenCharacter {
  readonly kind: HiddenKind;
  readonly codePoint: number;
  /** In UTF-16 units, as everything in JavaScript. */
  readonly offset: number;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
}

/** What each kind consists of, as a character class. */
const kinds: readonly (readonly [HiddenKind, string])[] = [
  // Escape, and the C1 characters that open a control sequence or an operating system command.
  ["ansi", String.raw`\x1b\x90\x98\x9b\x9d\x9e\x9f`],
  ["control", String.raw`\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x8f\x91-\x97\x99\x9a\x9c`],
  ["soft-hyphen", String.raw`\xad`],
  ["bidi", String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`],
  ["zero-width", String.raw`\u180e\u200b-\u200d\u2060`],
  ["line-separator", String.raw`\u2028\u2029`],
  // The grapheme joiner, fillers that look like nothing, invisible operators, controls of shorthand and music, and what
  // Unicode keeps for more of them.
  [
    "invisible",
    String.raw`\u034f\u115f\u1160\u17b4\u17b5\u2061-\u2065\u206a-\u206f\u3164\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0080}-\u{e00ff}\u{e01f0}-\u{e0fff}`,
  ],
  ["variation-selector", String.raw`\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}`],
  ["byte-order-mark", String.raw`\ufeff`],
  ["tag", String.raw`\u{e0000}-\u{e007f}`],
  ["lone-surrogate", String.raw`\ud800-\udfff`],
];

/** A carriage return is harmless before a line feed; alone it lets a line overwrite itself. */
const hiddenCharacter = String.raw`\r(?!\n)|[${kinds.map(([, characters]) => characters).join("")}]`;

/** Hidden characters that belong to the surrounding script or emoji. */
const harmless = [
  String.raw`^\ufeff`,
  // Emoji, joined ones, and keycaps. The only flags made of tags are those of England, Scotland and Wales.
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`\p{ExtPict}(?:\p{EMod}|[\ufe0e\ufe0f])?(?:\u200d\p{ExtPict}(?:\p{EMod}|[\ufe0e\ufe0f])?){0,9}`,
  String.raw`[0-9#*]\ufe0f\u20e3`,
  // Persian and the scripts of India join and part letters; Mongolian letters have variants. Those of Han are reported:
  // there are 243 for every letter, enough to hide any text.
  String.raw`[\p{sc=Arab}\p{sc=Syrc}\p{sc=Deva}\p{sc=Beng}\p{sc=Guru}\p{sc=Gujr}\p{sc=Orya}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}][\u200c\u200d]`,
  String.raw`\p{sc=Mong}[\u180b-\u180f]`,
];

let madePattern: RegExp | undefined;
let madeScanner: RegExp | undefined;
let kindPatterns: readonly { readonly kind: HiddenKind; readonly pattern: RegExp }[] | undefined;

/** Files without anything hidden, nearly all of them, are done after this one look. */
function hasHidden(text: string): boolean {
  madePattern ??= new RegExp(hiddenCharacter, "u");
  return madePattern.test(text);
}

/** Made when it is needed: it knows so many scripts that it takes as long as the rest of a short command. */
function scanner(): RegExp {
  madeScanner ??= new RegExp(`(?:${harmless.join("|")})|(${hiddenCharacter})`, "gu");
  return madeScanner;
}

/**
 * Finds what a reader cannot see. Emoji sequences, the joiners of Persian and Indic scripts, and a byte order mark at
 * the very start are not reported.
 *
 * @example
 * findHiddenCharacters("safe\u202etxt.exe"); // [{ kind: "bidi", codePoint: 0x202e, offset: 4, line: 1, column: 5 }]
 */
export function findHiddenCharacters(text: string): HiddenCharacter[] {
  if (!hasHidden(text)) return [];
  const found: HiddenCharacter[] = [];
  let line = 1;
  let lineStart = 0;
  let lineEnd = text.indexOf("\n");
  for (const { index: offset, 1: hidden } of text.matchAll(scanner())) {
    if (hidden === undefined) continue;
    while (lineEnd !== -1 && lineEnd < offset) {
      line += 1;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf("\n", lineStart);
    }
    kindPatterns ??= kinds.map(([kind, characters]) => ({ kind, pattern: new RegExp(`[${characters}]`, "u") }));
    const kind = kindPatterns.find(({ pattern }) => pattern.test(hidden))?.kind ?? "control";
    const codePoint = hidden.codePointAt(0) ?? 0;
    found.push({ kind, codePoint, offset, line, column: offset - lineStart + 1 });
  }
  return found;
}

/**
 * Makes text of unknown origin safe to print: it cannot move the cursor, change colours or the title, ring, or show
 * its letters in another order. Line breaks and tabs stay, unless `singleLine` is set.
 *
 * @example
 * escapeForTerminal("\x1b[2Jhi"); // "\\x1b[2Jhi"
 */
export function escapeForTerminal(text: string, options: { readonly singleLine?: boolean } = {}): string {
  const escaped = !hasHidden(text)
    ? text
    : text.replace(scanner(), (match: string, hidden: string | undefined) => {
        if (hidden === undefined) return match;
        if (hidden === "\r") return "\\r";
        const hex = (hidden.codePointAt(0) ?? 0).toString(16);
        return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
      });
  return options.singleLine === true ? escaped.replace(/[\t\n\r]/g, (char) => lineEscapes[char] ?? char) : escaped;
}

const lineEscapes: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };
