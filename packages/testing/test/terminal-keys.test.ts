import { expect, test } from "bun:test";
import { join } from "node:path";
import { terminal } from "@atomic/testing/terminal";
import { encodeKey } from "@atomic/testing/terminal/keys";

const plain = { applicationCursor: false };

test.each([
  ["enter", "\r"],
  ["tab", "\t"],
  ["shift+tab", "\x1b[Z"],
  ["escape", "\x1b"],
  ["backspace", "\x7f"],
  ["space", " "],
  ["up", "\x1b[A"],
  ["ctrl+left", "\x1b[1;5D"],
  ["ctrl+shift+right", "\x1b[1;6C"],
  ["home", "\x1b[H"],
  ["pageup", "\x1b[5~"],
  ["alt+delete", "\x1b[3;3~"],
  ["f1", "\x1bOP"],
  ["shift+f5", "\x1b[15;2~"],
  ["a", "a"],
  ["A", "A"],
  ["shift+a", "A"],
  ["é", "é"],
  ["+", "+"],
  ["alt++", "\x1b+"],
  ["ctrl+c", "\x03"],
  ["ctrl+C", "\x03"],
  ["alt+b", "\x1bb"],
  ["ctrl+alt+d", "\x1b\x04"],
  ["ctrl+space", "\0"],
  ["alt+enter", "\x1b\r"],
])("%s is sent as %j", (key, bytes) => {
  expect(encodeKey(key, plain)).toBe(bytes);
});

test("arrows change when a program asks for application keys", () => {
  expect(encodeKey("up", { applicationCursor: true })).toBe("\x1bOA");
  expect(encodeKey("ctrl+up", { applicationCursor: true })).toBe("\x1b[1;5A");
});

test.each([
  ["entre", 'There is no key called "entre".'],
  ["ctrl+entre", 'There is no key called "ctrl+entre".'],
  ["constructor", 'There is no key called "constructor".'],
  ["super+a", '"super" in "super+a" is not one of ctrl, alt and shift.'],
  ["", 'There is no key called "".'],
])("%j is refused", (key, message) => {
  expect(() => encodeKey(key, plain)).toThrow(message);
});

test("a program receives the keys, and a paste marked as one if it asked for that", async () => {
  const script = join(import.meta.dirname, "fixtures/terminal/keys.mjs");
  await using term = await terminal([process.execPath, script], { cols: 40, rows: 12 });
  await term.waitFor("ready");
  term.press("up");
  await term.waitFor(String.raw`"\u001b[A"`);
  term.paste("plain");
  await term.waitFor('"plain"');
  term.press("q");
  expect((await term.exit).exitCode).toBe(0);
});

test("a paste is marked for a program that asked for marks", async () => {
  const script = "stty raw -echo; printf '\\033[?2004hready '; head -c 14 | od -An -c";
  await using term = await terminal(["sh", "-c", script], { cols: 60, rows: 4 });
  await term.waitFor("ready");
  term.paste("hi");
  await term.exit;
  expect(term.screen().join(" ").replace(/\s+/g, " ").trim()).toBe("ready 033 [ 2 0 0 ~ h i 033 [ 2 0 1 ~");
});
