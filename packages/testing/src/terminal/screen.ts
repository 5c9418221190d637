// What the user sees: the bytes of a program drawn by a real terminal emulator.
// The package is CommonJS without names that Node can find, hence the default import.

import type { IUnicodeVersionProvider } from "@xterm/headless";
import xterm from "@xterm/headless";
import type { KeyModes } from "./keys.ts";

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
  /** The program shows where you type. Those that draw the whole screen hide the cursor when no field has the focus. */
  readonly isCursorShown: boolean;
  /** The program has announced a frame that it has not finished (DEC mode 2026). */
  readonly isInFrame: boolean;
  /** What the mouse does, or the window's focus, is reported to the program. */
  readonly isMouseReported: boolean;
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

  let isCursorShown = true;
  for (const final of ["h", "l"]) {
    term.parser.registerCsiHandler({ prefix: "?", final }, (modes) => {
      if (modes.includes(25)) isCursorShown = final === "h";
      return false; // xterm acts on it, too
    });
  }

  const rowsFrom = (first: number): string[] => {
    const { active } = term.buffer;
    const count = active.baseY + term.rows - first;
    return Array.from({ length: count }, (_, row) => active.getLine(first + row)?.translateToString(true) ?? "");
  };
  const cell = (x: number, y: number): ScreenCell => {
    const found = term.buffer.active.getLine(term.buffer.active.baseY + y)?.getCell(x);
    if (found === undefined)
      throw new RangeError(`There is no cell ${x},${y} on a screen of ${term.cols}x${term.rows}.`);
    const width = found.getWidth();
    return {
      char: found.getChars() || (width === 0 ? "" : " "),
      width,
      fg: colour(found.isFgDefault(), found.isFgRGB(), found.getFgColor()),
      bg: colour(found.isBgDefault(), found.isBgRGB(), found.getBgColor()),
      bold: found.isBold() !== 0,
      dim: found.isDim() !== 0,
      italic: found.isItalic() !== 0,
      underline: found.isUnderline() !== 0,
      inverse: found.isInverse() !== 0,
      invisible: found.isInvisible() !== 0,
      strikethrough: found.isStrikethrough() !== 0,
    };
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
    get isCursorShown() {
      return isCursorShown;
    },
    get isInFrame() {
      return term.modes.synchronizedOutputMode;
    },
    get isMouseReported() {
      return term.modes.mouseTrackingMode !== "none" || term.modes.sendFocusMode;
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
    find: (text) => {
      // Columns, not characters: a wide character takes two columns, one with an accent several characters in one.
      for (let y = 0; y < term.rows; y++) {
        const chars = Array.from({ length: term.cols }, (_, x) => cell(x, y).char);
        for (let x = 0; x < term.cols; x++) {
          if (chars[x] !== "" && chars.slice(x).join("").startsWith(text)) return { x, y };
        }
      }
      return undefined;
    },
    draw: () => {
      const edge = "─".repeat(term.cols);
      const framed = rowsFrom(term.buffer.active.baseY).map(
        (line) => `│${line}${" ".repeat(Math.max(0, term.cols - Bun.stringWidth(line)))}│`,
      );
      return [`┌${edge}┐`, ...framed, `└${edge}┘`].join("\n");
    },
    write: (bytes) => new Promise((resolve) => term.write(bytes, resolve)),
    resize: (newCols, newRows) => term.resize(newCols, newRows),
    dispose: () => term.dispose(),
  };
}

/** `default`, one of the sixteen by name, `palette 123`, or `#rrggbb`. */
export type ScreenColour = string;

/** One place on the screen, as the user sees it. */
export interface ScreenCell {
  /** A space where nothing was written; empty in the right half of a wide character. */
  readonly char: string;
  readonly width: number;
  readonly fg: ScreenColour;
  readonly bg: ScreenColour;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly inverse: boolean;
  readonly invisible: boolean;
  readonly strikethrough: boolean;
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

function colour(isDefault: boolean, isRgb: boolean, value: number): ScreenColour {
  if (isDefault) return "default";
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (value >= 16) return `palette ${value}`;
  return value < 8 ? names[value]! : `bright ${names[value - 8]!}`;
}

// xterm knows the widths of Unicode 6 only, in which today's emoji are narrow. Bun knows those of today.
type Width = 0 | 1 | 2;

const widths = new Map<number, Width>();

function widthOf(codepoint: number): Width {
  let width = widths.get(codepoint);
  if (width === undefined) {
    width = Math.min(Bun.stringWidth(String.fromCodePoint(codepoint)), 2) as Width;
    widths.set(codepoint, width);
  }
  return width;
}

export const currentUnicode: IUnicodeVersionProvider = {
  version: "current",
  wcwidth: widthOf,
  charProperties: (codepoint, preceding) => {
    const width = widthOf(codepoint);
    // How xterm packs what it knows about a character: bit 0 whether it joins the cell before, bits 1 and 2 the width.
    const before = (preceding >> 1) & 3;
    return width === 0 && before > 0 ? (before << 1) | 1 : width << 1;
  },
};
