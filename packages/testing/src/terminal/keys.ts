// What a terminal sends for a key, in xterm's way, which is what `TERM=xterm-256color` promises.

const modifiers = { shift: 1, alt: 2, ctrl: 4 } as const;
type Modifier = keyof typeof modifiers;

const plain: Readonly<Record<string, string>> = {
  enter: "\r",
  tab: "\t",
  escape: "\x1b",
  backspace: "\x7f",
  space: " ",
};

/** The final letter of `ESC [ A`, or of `ESC O A` in application mode. */
const lettered: Readonly<Record<string, string>> = {
  up: "A",
  down: "B",
  right: "C",
  left: "D",
  end: "F",
  home: "H",
  f1: "P",
  f2: "Q",
  f3: "R",
  f4: "S",
};

/** The number in `ESC [ 5 ~`. */
const numbered: Readonly<Record<string, number>> = {
  insert: 2,
  delete: 3,
  pageup: 5,
  pagedown: 6,
  f5: 15,
  f6: 17,
  f7: 18,
  f8: 19,
  f9: 20,
  f10: 21,
  f11: 23,
  f12: 24,
};

export interface KeyModes {
  /** The program asked for `ESC O A` instead of `ESC [ A`. */
  readonly applicationCursor: boolean;
}

/** The bytes for `enter`, `ctrl+c`, `alt+left`, `shift+tab`, `a`, … */
export function encodeKey(key: string, modes: KeyModes): string {
  // The last plus may be the key itself.
  const [, before = "", name = ""] = /^((?:[^+]+\+)*)(.*)$/s.exec(key) ?? [];
  const held = new Set(
    before
      .split("+")
      .slice(0, -1)
      .map((part) => {
        const modifier = part.toLowerCase();
        if (Object.hasOwn(modifiers, modifier)) return modifier as Modifier;
        throw new Error(`${JSON.stringify(part)} in ${JSON.stringify(key)} is not one of ctrl, alt and shift.`);
      }),
  );
  const named = name.toLowerCase();
  const prefix = held.has("alt") ? "\x1b" : "";
  const code = 1 + [...held].reduce((sum, modifier) => sum + modifiers[modifier], 0);
  if (Object.hasOwn(lettered, named)) {
    if (code > 1) return `\x1b[1;${code}${lettered[named]}`;
    return modes.applicationCursor || /^f\d/.test(named) ? `\x1bO${lettered[named]}` : `\x1b[${lettered[named]}`;
  }
  if (Object.hasOwn(numbered, named)) return `\x1b[${numbered[named]}${code > 1 ? `;${code}` : ""}~`;
  if (named === "tab" && held.has("shift")) return "\x1b[Z";
  if (named === "space" && held.has("ctrl")) return "\0";
  if (Object.hasOwn(plain, named)) return prefix + plain[named];
  if ([...name].length !== 1) {
    const names = [plain, lettered, numbered].flatMap((keys) => Object.keys(keys)).join(", ");
    const known = `${names}, a single character, each with ctrl+, alt+ or shift+`;
    throw new Error(`There is no key called ${JSON.stringify(key)}. Known: ${known}.`);
  }
  const shifted = held.has("shift") ? name.toUpperCase() : name;
  // Control takes the letter's place in the alphabet: ctrl+c is 3.
  return prefix + (held.has("ctrl") ? String.fromCharCode(shifted.toUpperCase().charCodeAt(0) & 0x1f) : shifted);
}
