// What the user sees: the bytes of a program drawn by a real terminal emulator.
// The package is CommonJS without names that Node can find, hence the default import.
import xterm from "@xterm/headless";
import { type ScreenCell, readCell } from "./cell.ts";
import type { KeyModes } from "./keys.ts";
import { currentUnicode } from "./unicode-width.ts";

export interface ScreenPosition {
  /** Column, from 0. */
  readonly x: number;
  /** Row, from 0 at the top of the screen. */
  readonly y: number;
}

export interface Screen {
  readonly cols: number;
  readonly rows: number;
  readonly cursor: ScreenPosition;
  readonly title: string;
  /** The program has the whole screen to itself, as editors do. */
  readonly isAlternate: boolean;
  readonly keyModes: KeyModes;
  readonly isBracketedPaste: boolean;
  /** The rows from top to bottom, without the spaces at their ends. */
  lines(): string[];
  /** The same with everything that has scrolled away at the top. */
  history(): string[];
  cell(x: number, y: number): ScreenCell;
  /** Where the text begins, if it is on one row of the screen. */
  find(text: string): ScreenPosition | undefined;
  /** A drawing of the screen with its frame. */
  draw(): string;
  /** Resolves when the bytes are on the screen. */
  write(bytes: Uint8Array): Promise<void>;
  resize(cols: number, rows: number): void;
  dispose(): void;
}

/** `answer` gets what the terminal itself replies when a program asks it something. */
export function createScreen(cols: number, rows: number, answer: (text: string) => void): Screen {
  const term = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 10_000 });
  term.unicode.register(currentUnicode);
  term.unicode.activeVersion = currentUnicode.version;
  term.onData(answer);
  let title = "";
  term.onTitleChange((text) => {
    title = text;
  });

  const rowsFrom = (first: number): string[] => {
    const { active } = term.buffer;
    const count = active.baseY + term.rows - first;
    return Array.from({ length: count }, (_, row) => active.getLine(first + row)?.translateToString(true) ?? "");
  };
  const cell = (x: number, y: number): ScreenCell => {
    const found = term.buffer.active.getLine(term.buffer.active.baseY + y)?.getCell(x);
    if (found === undefined)
      throw new RangeError(`There is no cell ${x},${y} on a screen of ${term.cols}x${term.rows}.`);
    return readCell(found);
  };

  return {
    get cols() {
      return term.cols;
    },
    get rows() {
      return term.rows;
    },
    get cursor() {
      return { x: term.buffer.active.cursorX, y: term.buffer.active.cursorY };
    },
    get title() {
      return title;
    },
    get isAlternate() {
      return term.buffer.active.type === "alternate";
    },
    get keyModes() {
      return { applicationCursor: term.modes.applicationCursorKeysMode };
    },
    get isBracketedPaste() {
      return term.modes.bracketedPasteMode;
    },
    lines: () => rowsFrom(term.buffer.active.baseY),
    history: () => rowsFrom(0),
    cell,
    find: (text) => findText(text, term.cols, term.rows, cell),
    draw: () => draw(rowsFrom(term.buffer.active.baseY), term.cols),
    write: (bytes) => new Promise((resolve) => term.write(bytes, resolve)),
    resize: (newCols, newRows) => term.resize(newCols, newRows),
    dispose: () => term.dispose(),
  };
}

/** Columns, not characters: a wide character takes two columns, one with an accent several characters in one. */
function findText(
  text: string,
  cols: number,
  rows: number,
  cell: (x: number, y: number) => ScreenCell,
): ScreenPosition | undefined {
  for (let y = 0; y < rows; y++) {
    const chars = Array.from({ length: cols }, (_, x) => cell(x, y).char);
    for (let x = 0; x < cols; x++) {
      if (chars[x] !== "" && chars.slice(x).join("").startsWith(text)) return { x, y };
    }
  }
  return undefined;
}

function draw(lines: readonly string[], cols: number): string {
  const edge = "─".repeat(cols);
  const framed = lines.map((line) => `│${line}${" ".repeat(Math.max(0, cols - Bun.stringWidth(line)))}│`);
  return [`┌${edge}┐`, ...framed, `└${edge}┘`].join("\n");
}
