import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Key, KeyDecoder, typedText } from "../src/keys.ts";

/** Keys in short: `a`, `<up>`, `[pasted]`. */
function short(keys: readonly Key[]): string {
  return keys
    .map((key) => (key.kind === "press" ? `<${key.key}>` : key.kind === "paste" ? `[${key.text}]` : key.text))
    .join("");
}

function decode(...chunks: readonly string[]): string {
  const decoder = new KeyDecoder();
  return short([...chunks.flatMap((chunk) => decoder.decode(chunk)), ...decoder.flush()]);
}

test.each([
  ["hello", "hello"],
  ["日本語 👩‍👩‍👧", "日本語 👩‍👩‍👧"],
  ["a\rb\n", "a<enter>b<ctrl+j>"],
  ["\t\x7f\b\x1b[Z", "<tab><backspace><backspace><shift+tab>"],
  ["\x01\x03\x04\x1a\x00", "<ctrl+a><ctrl+c><ctrl+d><ctrl+z><ctrl+space>"],
  ["\x1b[A\x1b[B\x1b[C\x1b[D", "<up><down><right><left>"],
  ["\x1bOA\x1bOH\x1bOF", "<up><home><end>"],
  ["\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "<home><end><home><end><home><end>"],
  ["\x1b[3~\x1b[5~\x1b[6~\x1b[3;5~", "<delete><pageup><pagedown><ctrl+delete>"],
  ["\x1b[1;5C\x1b[1;3D\x1b[1;2A\x1b[1;8B", "<ctrl+right><alt+left><shift+up><ctrl+alt+shift+down>"],
  ["\x1bb\x1bf\x1b\x7f\x1b\r\x1b ", "<alt+b><alt+f><alt+backspace><alt+enter><alt+space>"],
  ["\x1b\x1b[A", "<alt+up>"],
  ["\x1b", "<escape>"],
  ["\x1b\x1b", "<alt+escape>"],
  ["\x1b[", "<alt+[>"],
  ["\x1b[1;", "<escape>"],
])("%j is %s", (typed, expected) => expect(decode(typed)).toBe(expected));

test.each([
  ["shift+enter", "\x1b[13;2u", "<shift+enter>"],
  ["ctrl+c", "\x1b[99;5u", "<ctrl+c>"],
  ["a letter", "\x1b[97u", "a"],
  ["a capital letter", "\x1b[65;2u", "A"],
  ["escape", "\x1b[27u", "<escape>"],
  ["backspace with alt", "\x1b[127;3u", "<alt+backspace>"],
  ["a space", "\x1b[32u", " "],
  ["a key that is released", "\x1b[97;1:3u", ""],
  ["a key that repeats", "\x1b[97;1:2u", "a"],
  ["caps lock", "\x1b[57358u", ""],
  ["an arrow with its event", "\x1b[1;1:1A", "<up>"],
  ["shift+enter of xterm", "\x1b[27;2;13~", "<shift+enter>"],
  ["ctrl+j of xterm", "\x1b[27;5;106~", "<ctrl+j>"],
])("newer protocols: %s", (_title, typed, expected) => expect(decode(typed)).toBe(expected));

test.each([
  ["device attributes", "\x1b[?62;22c"],
  ["a color", "\x1b]11;rgb:0000/0000/0000\x1b\\"],
  ["a color, ended by a bell", "\x1b]11;rgb:0000/0000/0000\x07"],
  ["focus", "\x1b[I"],
  ["a mouse click", "\x1b[<0;10;10M"],
])("an answer from the terminal is not a key: %s", (_title, typed) => expect(decode(`a${typed}b`)).toBe("ab"));

describe("a paste", () => {
  test.each([
    [["\x1b[200~one\rtwo\r\nthree\x1b[201~x"], "[one\ntwo\nthree]x"],
    [["\x1b[200~o", "ne\x1b[20", "1~x"], "[one]x"],
    [["\x1b[200~\x1b[31mred\x03\x00\x1b[201~"], "[[31mred]"],
    [["\x1b[200~a\tb\u202e\x1b[201~"], "[a\tb]"],
    [["\x1b[200~a", "b", "\x03"], "[ab]<ctrl+c>"],
    [["\x1b[200~", "\x03", "x"], "<ctrl+c>x"],
    [["\x1b[200~\x1b[201~x"], "x"],
    [["\x1b[2", "00~a\x1b[201~"], "[a]"],
  ])("%j is %j", (chunks, expected) => expect(decode(...chunks)).toBe(expected));

  test("is not a key that has begun", () => {
    const decoder = new KeyDecoder();
    decoder.decode("\x1b[200~half");
    expect(decoder.isUnfinished).toBe(false);
    expect(decoder.flush()).toEqual([]);
    expect(short(decoder.decode("\x1b[201~"))).toBe("[half]");
  });
});

test("however the bytes are cut, the keys are the same, and no control character gets through", () => {
  const parts = [
    "a",
    "日",
    "\x1b[A",
    "\x1b[1;5C",
    "\r",
    "\x1b[13;2u",
    "\x1b[200~x\ry\x1b[201~",
    "\x1b]0;t\x07",
    "\x1bOB",
    "\x7f",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), fc.array(fc.nat(40)), (all, cuts) => {
      const typed = all.join("");
      const decoder = new KeyDecoder();
      const keys: Key[] = [];
      let at = 0;
      for (const cut of [...cuts.toSorted((a, b) => a - b), typed.length]) {
        if (cut < at) continue;
        keys.push(...decoder.decode(typed.slice(at, cut)));
        at = Math.min(cut, typed.length);
      }
      keys.push(...decoder.decode(typed.slice(at)), ...decoder.flush());
      expect(short(keys)).toBe(decode(typed));
      for (const key of keys) if (key.kind !== "press") expect(typedText(key.text)).toBe(key.text);
    }),
    { numRuns: 2000 },
  );
});

test("any bytes are decoded without an exception, and leave nothing unprintable in a text", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 8 })), (chunks) => {
      const decoder = new KeyDecoder();
      for (const chunk of chunks) {
        for (const key of decoder.decode(chunk)) if (key.kind !== "press") expect(typedText(key.text)).toBe(key.text);
      }
      decoder.flush();
    }),
    { numRuns: 5000 },
  );
});
