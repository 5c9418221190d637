/** As Claude Code 2.1 shows a text: what cannot be seen is a space, unless an emoji or a script needs it where it is. */
export function shownByClaude(text: string): string {
  return text.replace(KEPT_OR_UNSEEN, (_, kept: string | undefined) => kept ?? " ");
}

const LONGEST_NAME = 256;

/** Other names are not shown, and the folder's stands in. */
export function isNameForClaude(name: string): boolean {
  if (name === "" || name.length > LONGEST_NAME || /[<>]/.test(name)) return false;
  return shownByClaude(name) === name && name.trim().split(/\s+/).join(" ") === name;
}

/** Arabic letters that join the next one, so that a non-joiner behind them can be seen. */
const JOINING = [
  String.raw`\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687`,
  String.raw`\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff\u0750-\u0758\u075c-\u076a`,
  String.raw`\u076d-\u0770\u0772\u0775-\u0777\u077a-\u077f\u0886\u0889-\u088d\u08a0-\u08a9\u08af\u08b0`,
  String.raw`\u08b3-\u08b8\u08ba-\u08c8`,
].join("");
/** Arabic letters that do not join the one before them. */
const NEVER_JOINED = String.raw`\u0621\u0674\u0883-\u0885\u0887\u08ad`;
const JOINED = String.raw`[[\u0600-\u08ff]&&\p{Script=Arabic}&&\p{Lo}]--[${NEVER_JOINED}]`;
// To look behind only once a joiner was found keeps this linear.
const ARABIC_NON_JOINER = String.raw`\u200c(?<=[${JOINING}]\p{Mn}*\u200c)(?=[${JOINED}])`;

interface IndicScript {
  readonly joiners: string;
  readonly consonants: string;
  readonly nukta?: string;
  readonly virama: string;
}

/**
 * From Devanagari to Malayalam, Unicode has the same letters at the same distance from a script's first. Claude Code
 * leaves out Gurmukhi and Tamil.
 */
const indicScripts: readonly IndicScript[] = [
  ...[0x900, 0x980, 0xa80, 0xb00, 0xc00, 0xc80, 0xd00].map((first) => ({
    joiners: String.raw`\u200c\u200d`,
    consonants: `${escaped(first + 0x15)}-${escaped(first + 0x39)}`,
    nukta: escaped(first + 0x3c),
    virama: escaped(first + 0x4d),
  })),
  { joiners: String.raw`\u200d`, consonants: String.raw`\u0d9a-\u0dc6`, virama: String.raw`\u0dca` },
];

const indicJoiners = indicScripts.map(({ joiners, consonants, nukta, virama }) => {
  const base = nukta === undefined ? `[${consonants}]` : `[${consonants}]${nukta}?`;
  return `[${joiners}](?<=${base}${virama}[${joiners}])(?=[${consonants}])`;
});

// The flag `v` is newer than the target of the compiler, so this cannot be a literal.
const KEPT = [String.raw`(?=\p{Emoji})\p{RGI_Emoji}`, ARABIC_NON_JOINER, ...indicJoiners].join("|");
const UNSEEN = String.raw`[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+`;
const KEPT_OR_UNSEEN = new RegExp(`(${KEPT})|${UNSEEN}`, "gv");

function escaped(codePoint: number): string {
  return `\\u${codePoint.toString(16).padStart(4, "0")}`;
}
