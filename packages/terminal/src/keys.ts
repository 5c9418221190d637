// What a terminal sends, as keys. It understands xterm's sequences, those of kitty's keyboard protocol and of xterm's
// `modifyOtherKeys`, and marked pastes. Nothing here turns a mode on.

export type Key =
  /** Characters, as many as arrived together. No control characters are among them. */
  | { readonly kind: "text"; readonly text: string }
  /** Pasted: line breaks are `\n`, tabs stay, and other control characters are gone. */
  | { readonly kind: "paste"; readonly text: string }
  /** `enter`, `up`, `ctrl+c`, `alt+left`, `ctrl+alt+shift+delete`: modifiers in this order. */
  | { readonly kind: "press"; readonly key: string };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const lettered: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  E: "center",
  F: "end",
  H: "home",
  M: "enter",
  P: "f1",
  Q: "f2",
  R: "f3",
  S: "f4",
};

const numbered: Readonly<Record<number, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};

/** The keys that have a code but no character. */
const coded: Readonly<Record<number, string>> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  32: "space",
  127: "backspace",
  57414: "enter", // of the keypad
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them
const SEQUENCE = /^\x1b(?:\[([<-?]?)([\d;:]*)([ -/]*[@-~])|O([ -~])|[\]P_^X][\s\S]*?(?:\x07|\x1b\\))/;
/** The rest may still be on its way. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are made of them
const UNFINISHED = /^\x1b(?:\[[<-?]?[\d;:]*[ -/]*|O|[\]P_^X](?:(?!\x07|\x1b\\)[\s\S]){0,4096})?$/;
/** Letters that are shown in another order than they are read, and all that is not a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are to be removed
const UNWANTED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/** Text of unknown origin as one may have typed it: control characters other than tabs and line breaks are gone. */
export function typedText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNWANTED, "");
}

/** Turns what arrives in pieces into keys. */
export class KeyDecoder {
  #rest = "";
  #pasted: string | undefined;

  /** Something has begun that may be a key of its own, such as Escape: `flush` it if nothing follows. */
  get isUnfinished(): boolean {
    return this.#rest !== "" && this.#pasted === undefined;
  }

  decode(chunk: string): Key[] {
    const keys: Key[] = [];
    // A paste of which the end never comes must not keep the keyboard.
    if (this.#pasted !== undefined && chunk === "\x03") {
      const text = typedText(this.#pasted);
      this.#pasted = undefined;
      return [...(text === "" ? [] : [{ kind: "paste", text } as const]), press("ctrl+c")];
    }
    let typed = this.#rest + chunk;
    this.#rest = "";
    while (typed !== "") {
      if (this.#pasted !== undefined || typed.startsWith(PASTE_START)) {
        const [from, before] = this.#pasted === undefined ? [PASTE_START.length, ""] : [0, this.#pasted];
        const all = before + typed.slice(from);
        // Its end may arrive in two pieces, so it is looked for from a little before.
        const end = all.indexOf(PASTE_END, Math.max(0, before.length - PASTE_END.length));
        this.#pasted = end === -1 ? all : undefined;
        if (end === -1) return keys;
        const text = typedText(all.slice(0, end));
        if (text !== "") keys.push({ kind: "paste", text });
        typed = all.slice(end + PASTE_END.length);
        continue;
      }
      const length = this.#next(typed, keys);
      if (length === 0) {
        this.#rest = typed;
        return keys;
      }
      typed = typed.slice(length);
    }
    return keys;
  }

  /** Nothing more has come: what has begun is a key as it is. */
  flush(): Key[] {
    const rest = this.#rest;
    this.#rest = "";
    if (rest === "") return [];
    if (rest === "\x1b\x1b") return [press("alt+escape")];
    const [, after] = [...rest];
    return after === undefined || rest.length > 2 ? [press("escape")] : [press(`alt+${after}`)];
  }

  /** Reads the first key and returns how many characters it has; 0 if it is not complete. */
  #next(typed: string, keys: Key[]): number {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are keys of their own
    const [text] = /^[^\x00-\x1f\x7f-\x9f]+/.exec(typed) ?? [""];
    if (text !== "") {
      const kept = typedText(text);
      if (kept !== "") keys.push({ kind: "text", text: kept });
      return text.length;
    }
    if (!typed.startsWith("\x1b")) {
      keys.push(...controlKey(typed.charCodeAt(0), ""));
      return 1;
    }
    const found = SEQUENCE.exec(typed);
    if (found !== null) {
      keys.push(...sequenceKey(found));
      return found[0].length;
    }
    if (UNFINISHED.test(typed)) return 0;
    const next = typed.slice(1);
    if (next.startsWith("\x1b")) {
      // Some terminals send Alt as another Escape.
      if (UNFINISHED.test(next)) return 0;
      const inner = SEQUENCE.exec(next);
      if (inner === null) {
        keys.push(press("escape"));
        return 1;
      }
      for (const key of sequenceKey(inner)) keys.push(key.kind === "press" ? press(withAlt(key.key)) : key);
      return 1 + inner[0].length;
    }
    const [character = ""] = next;
    const code = next.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) keys.push(...controlKey(code, "alt+"));
    else keys.push(press(`alt+${character === " " ? "space" : character}`));
    return 1 + character.length;
  }
}

function press(key: string): Key {
  return { kind: "press", key };
}

function withAlt(key: string): string {
  return key.startsWith("ctrl+") ? `ctrl+alt+${key.slice(5)}` : `alt+${key}`;
}

function controlKey(code: number, before: string): Key[] {
  const named = coded[code];
  // Ctrl-J is a line feed; only a carriage return is Enter.
  if (named !== undefined) return [press(`${before}${named}`)];
  if (code === 0) return [press(withModifiers("space", before === "" ? 4 : 6))];
  if (code > 0x1f) return [];
  const letter = String.fromCharCode(code + 0x40).toLowerCase();
  return [press(withModifiers(letter, before === "" ? 4 : 6))];
}

function withModifiers(key: string, bits: number): string {
  return `${bits & 4 ? "ctrl+" : ""}${bits & 2 ? "alt+" : ""}${bits & 1 ? "shift+" : ""}${key}`;
}

/** Nothing for what is not a key: an answer of the terminal, a key that was released. */
function sequenceKey([, lead = "", numbers = "", final = "", applied]: RegExpExecArray): Key[] {
  if (applied !== undefined) return lettered[applied] === undefined ? [] : [press(lettered[applied])];
  if (lead !== "") return [];
  const [first = [], second = [], third = []] = numbers.split(";").map((part) => part.split(":").map(Number));
  const [code = 0] = first;
  const [modifiers = 1, event = 1] = second;
  if (event === 3) return [];
  const bits = Math.max(0, (modifiers || 1) - 1) & 7;
  if (final === "u") return characterKey(code, bits);
  if (final === "~" && code === 27) return characterKey(third[0] ?? 0, bits);
  if (final === "~") return numbered[code] === undefined ? [] : [press(withModifiers(numbered[code], bits))];
  if (final === "Z") return [press(withModifiers("tab", bits | 1))];
  return lettered[final] === undefined ? [] : [press(withModifiers(lettered[final], bits))];
}

function characterKey(code: number, bits: number): Key[] {
  const named = coded[code];
  if (named !== undefined && !(code === 32 && bits < 2)) return [press(withModifiers(named, bits))];
  // Kitty's keys without a character have codes of Unicode's private area.
  if (code < 0x20 || (code >= 57344 && code <= 63743) || code > 0x10ffff) return [];
  const character = String.fromCodePoint(code);
  const kept = typedText(character);
  if (kept === "") return [];
  return bits < 2 ? [{ kind: "text", text: kept }] : [press(withModifiers(kept, bits))];
}
