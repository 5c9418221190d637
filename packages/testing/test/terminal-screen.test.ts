// What is on the screen, cell by cell.
import { expect, test } from "bun:test";
import { type Terminal, terminal } from "@atomic/testing/terminal";

async function printed(text: string, cols = 20, rows = 3): Promise<Terminal> {
  const term = await terminal(["printf", "%s", text], { cols, rows });
  await term.exit;
  return term;
}

test("colors and styles are known for every cell", async () => {
  await using term = await printed("\x1b[31;1mR\x1b[0m\x1b[92;44mG\x1b[0m\x1b[38;5;208mP\x1b[48;2;1;2;255mT\x1b[0mn");
  expect(term.cell(0, 0)).toMatchObject({ char: "R", fg: "red", bg: "default", bold: true });
  expect(term.cell(1, 0)).toMatchObject({ char: "G", fg: "bright green", bg: "blue", bold: false });
  expect(term.cell(2, 0)).toMatchObject({ char: "P", fg: "palette 208", bg: "default" });
  expect(term.cell(3, 0)).toMatchObject({ char: "T", fg: "palette 208", bg: "#0102ff" });
  expect(term.cell(4, 0)).toMatchObject({ char: "n", fg: "default", bg: "default" });
});

test.each([
  ["dim", 2],
  ["italic", 3],
  ["underline", 4],
  ["inverse", 7],
  ["invisible", 8],
  ["strikethrough", 9],
] as const)("%s text is seen as such", async (style, code) => {
  await using term = await printed(`\x1b[${code}mx\x1b[0my`);
  expect(term.cell(0, 0)[style]).toBe(true);
  expect(term.cell(1, 0)[style]).toBe(false);
});

test("wide characters and emoji of today take two columns, accents none", async () => {
  await using term = await printed("漢字 🫠 e\u0301!");
  expect(term.screen()[0]).toBe("漢字 🫠 e\u0301!");
  expect(term.cell(0, 0)).toMatchObject({ char: "漢", width: 2 });
  expect(term.cell(1, 0)).toMatchObject({ char: "", width: 0 });
  expect(term.cell(5, 0)).toMatchObject({ char: "🫠", width: 2 });
  expect(term.cell(8, 0)).toMatchObject({ char: "e\u0301", width: 1 });
  expect(term.cursor).toEqual({ x: 10, y: 0 });
  expect(term.find("🫠")).toEqual({ x: 5, y: 0 });
  expect(term.find("!")).toEqual({ x: 9, y: 0 });
});

test("text is found where it begins, on one row", async () => {
  await using term = await printed("\x1b[2;5Hneedle");
  expect(term.find("needle")).toEqual({ x: 4, y: 1 });
  expect(term.find("dle")).toEqual({ x: 7, y: 1 });
  expect(term.find("nothing")).toBeUndefined();
});

test("a snapshot draws the screen in its frame, however wide the characters are", async () => {
  await using term = await printed("\x1b[31mred\x1b[0m 漢", 8, 2);
  expect(term.snapshot()).toBe(["┌────────┐", "│red 漢  │", "│        │", "└────────┘"].join("\n"));
});

test("a cell outside of the screen is refused", async () => {
  await using term = await printed("x");
  expect(() => term.cell(20, 0)).toThrow("There is no cell 20,0 on a screen of 20x3.");
});

test("the title of the window is known", async () => {
  await using term = await printed("\x1b]0;A title\x07");
  expect(term.title).toBe("A title");
});

test("a program that asks the terminal something gets an answer", async () => {
  const script = "stty raw -echo; printf 'ab\\033[6n'; head -c 6 | tail -c 5";
  await using term = await terminal(["sh", "-c", script], { cols: 20, rows: 3 });
  await term.exit;
  expect(term.screen()[0]).toBe("ab[1;3R");
});

test("characters that are cut in two on their way arrive whole", async () => {
  // Six bytes per line, so no chunk of a usual size ends with a line.
  await using term = await terminal(["sh", "-c", "yes 🐟 | head -n 30000"], { cols: 20, rows: 3 });
  await term.exit;
  expect(term.screen()).toEqual(["🐟", "🐟", ""]);
  expect(term.output).toBe("🐟\r\n".repeat(30_000));
  expect(new Set(term.history())).toEqual(new Set(["🐟", ""]));
});
