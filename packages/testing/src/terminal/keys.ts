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
  const sequence = encodeNamed(name.toLowerCase(), held, modes) ?? encodeCharacter(name, held);
  if (sequence === undefined) {
    const names = [plain, lettered, numbered].flatMap((keys) => Object.keys(keys)).join(", ");
    const known = `${names}, a single character, each with ctrl+, alt+ or shift+`;
    throw new Error(`There is no key called ${JSON.stringify(key)}. Known: ${known}.`);
  }
  return sequence;
}

function encodeNamed(name: string, held: ReadonlySet<Modifier>, modes: KeyModes): string | undefined {
  const code = 1 + [...held].reduce((sum, modifier) => sum + modifiers[modifier], 0);
  if (Object.hasOwn(lettered, name)) {
    if (code > 1) return `\x1b[1;${code}${lettered[name]}`;
    return modes.applicationCursor || /^f\d/.test(name) ? `\x1bO${lettered[name]}` : `\x1b[${lettered[name]}`;
  }
  if (Object.hasOwn(numbered, name)) return `\x1b[${numbered[name]}${code > 1 ? `;${code}` : ""}~`;
  if (name === "tab" && held.has("shift")) return "\x1b[Z";
  if (name === "space" && held.has("ctrl")) return "\0";
  if (Object.hasOwn(plain, name)) return `${held.has("alt") ? "\x1b" : ""}${plain[name]}`;
  return undefined;
}

function encodeCharacter(name: string, held: ReadonlySet<Modifier>): string | undefined {
  if ([...name].length !== 1) return undefined;
  const shifted = held.has("shift") ? name.toUpperCase() : name;
  // Control takes the letter's place in the alphabet: ctrl+c is 3.
  const controlled = held.has("ctrl") ? String.fromCharCode(shifted.toUpperCase().charCodeAt(0) & 0x1f) : shifted;
  return `${held.has("alt") ? "\x1b" : ""}${controlled}`;
}
