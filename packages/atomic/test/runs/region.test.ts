import { expect, test } from "bun:test";
import type { Output } from "@atomic/terminal/process-output";
import { createScreen, type Screen } from "@atomic/testing/terminal/screen";
import { narrowLinesIn, Region } from "../../src/live/region.ts";

/** A region on a screen that is drawn at once. */
function regionOn(screen: Screen): { region: Region; write: (text: string) => void; drawn: () => Promise<string[]> } {
  let drawing = Promise.resolve();
  const write = (text: string): void => {
    drawing = drawing.then(() => screen.write(new TextEncoder().encode(text.replaceAll("\n", "\r\n"))));
  };
  const output: Output = {
    isTTY: true,
    colour: true,
    get columns() {
      return screen.cols;
    },
    get rows() {
      return screen.rows;
    },
    write,
    onResize: () => () => undefined,
  };
  const drawn = async (): Promise<string[]> => {
    await drawing;
    const lines = screen.lines();
    return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
  };
  // The screen is xterm.js.
  return { region: new Region(output, "xterm.js"), write, drawn };
}

test("a frame replaces the previous one, whether it has more lines or fewer", async () => {
  const screen = createScreen(20, 10, () => undefined);
  const { region, write, drawn } = regionOn(screen);
  write("$ atomic run\n");
  region.draw(["one", "a long line"]);
  region.draw(["one", "two", "three"]);
  expect(await drawn()).toEqual(["$ atomic run", "one", "two", "three"]);
  region.draw(["1"]);
  expect(await drawn()).toEqual(["$ atomic run", "1"]);
  region.keep();
  region.draw(["below"]);
  expect(await drawn()).toEqual(["$ atomic run", "1", "below"]);
  region.erase();
  write("next\n");
  expect(await drawn()).toEqual(["$ atomic run", "1", "next"]);
  screen.dispose();
});

test.each([19, 10, 7, 5])("at %i columns nothing remains of lines drawn for 20", async (cols) => {
  const screen = createScreen(20, 20, () => undefined);
  const { region, write, drawn } = regionOn(screen);
  write("$\n");
  region.draw(["\x1b[31m12345678901234567890\x1b[39m", "  ✓ 日本語日本語", "short"]);
  await drawn();
  screen.resize(cols, 20);
  region.draw(["new", "lines"]);
  expect(await drawn()).toEqual(["$", "new", "lines"]);
  screen.dispose();
});

test("only lines that have changed are written, and the cursor stands where one types", async () => {
  const screen = createScreen(20, 10, () => undefined);
  const { region, write, drawn } = regionOn(screen);
  write("$ atomic\n");
  region.draw(["run", "> a", "list"], { row: 1, column: 3 });
  expect(await drawn()).toEqual(["$ atomic", "run", "> a", "list"]);
  expect(screen.cursor).toEqual({ x: 3, y: 2 });
  region.draw(["run", "> ab", "list", "more"], { row: 1, column: 4 });
  expect(await drawn()).toEqual(["$ atomic", "run", "> ab", "list", "more"]);
  expect(screen.cursor).toEqual({ x: 4, y: 2 });
  region.draw(["> ab"], { row: 0, column: 0 });
  expect(await drawn()).toEqual(["$ atomic", "> ab"]);
  expect(screen.cursor).toEqual({ x: 0, y: 1 });
  region.keep();
  write("below\n");
  expect(await drawn()).toEqual(["$ atomic", "> ab", "below"]);
  screen.dispose();
});

test("the same picture again writes nothing, and one more letter only its line", () => {
  const written: string[] = [];
  const output: Output = { isTTY: true, colour: true, columns: 40, write: (text) => void written.push(text) };
  const region = new Region(output);
  region.draw(["a long first line", "> a"], { row: 1, column: 3 });
  region.draw(["a long first line", "> a"], { row: 1, column: 3 });
  region.draw(["a long first line", "> ab"], { row: 1, column: 4 });
  expect(written).toHaveLength(2);
  expect(written[1]).not.toContain("first");
});

test.each([19, 9, 7, 4])("at %i columns a picture with a cursor replaces the one drawn for 20", async (cols) => {
  const screen = createScreen(20, 20, () => undefined);
  const { region, write, drawn } = regionOn(screen);
  write("$\n");
  region.draw(["1234567890123456789", "> 日本語日本語", "a list below it", "b"], { row: 1, column: 14 });
  await drawn();
  screen.resize(cols, 20);
  region.draw(["new", "> 日"], { row: 1, column: 4 });
  expect(await drawn()).toEqual(["$", "new", "> 日"]);
  screen.dispose();
});

// What the smaller terminal cuts off is not broken into rows, and the picture does not climb.
test("in a terminal that cuts lines off, the picture stays where it is", () => {
  const written: string[] = [];
  let columns = 40;
  const output: Output = {
    isTTY: true,
    colour: true,
    get columns() {
      return columns;
    },
    rows: 10,
    write: (text) => void written.push(text),
  };
  const region = new Region(output, "cut");
  const lines = ["a line of thirty-four characters..", "> b"];
  region.draw(lines, { row: 1, column: 3 });
  columns = 20;
  region.draw(["a line", "> b"], { row: 1, column: 3 });
  expect(written[1]).toContain("\x1b[1A\r\x1b[J");
});

test.each([
  [{ TERM_PROGRAM: "vscode", TERM: "xterm-256color" }, "xterm.js"],
  [{ TERM: "xterm-256color" }, "broken"],
  [{ TERM: "xterm-256color", XTERM_VERSION: "XTerm(390)" }, "cut"],
  [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", XTERM_VERSION: "XTerm(390)" }, "broken"],
  [{ TERM: "screen", STY: "1234.pts-0.host", TERM_PROGRAM: "vscode" }, "cut"],
  [{ TERM: "linux" }, "cut"],
] as const)("a terminal that says %p has lines that are too long %s", (env, how) => {
  expect(narrowLinesIn(env)).toBe(how);
});
