import { withoutColour } from "@atomic/terminal/paint";
import type { Output } from "@atomic/terminal/process-output";
import { displayWidth, graphemesOf } from "@atomic/terminal/width";

const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
const eraseBelow = "\x1b[J";
const eraseToEnd = "\x1b[K";
/** Terminals that know it show a picture only when it is whole. */
const begin = "\x1b[?2026h";
const end = "\x1b[?2026l";

/** Where you type, in a line of the region. */
export interface RegionCursor {
  readonly row: number;
  readonly column: number;
}

/** The last lines of a terminal, drawn in place again and again. Only lines that have changed are written. */
export class Region {
  readonly #output: Output;
  readonly #isXtermJs: boolean;
  #lines: readonly string[] = [];
  /** Without one, the cursor is hidden, below the last line. */
  #cursor: RegionCursor | undefined;
  #columns: number | undefined;

  /** @param isXtermJs The terminal is one in VS Code, or another that is built like it. */
  constructor(output: Output, isXtermJs = false) {
    this.#output = output;
    this.#isXtermJs = isXtermJs;
  }

  draw(lines: readonly string[], cursor?: RegionCursor): void {
    const { columns } = this.#output;
    const isAnother = columns !== this.#columns || (cursor === undefined) !== (this.#cursor === undefined);
    const before = isAnother ? [] : this.#lines;
    const isSame = before.length === lines.length && lines.every((line, row) => line === before[row]);
    if (isSame && cursor?.row === this.#cursor?.row && cursor?.column === this.#cursor?.column) return;
    let text = `${begin}${hideCursor}${this.#home()}`;
    let row = 0;
    for (const [at, line] of lines.entries()) {
      if (line === before[at]) continue;
      text += `${"\n".repeat(at - row)}\r${line}${eraseToEnd}`;
      row = at;
    }
    text += `${"\n".repeat(lines.length - row)}\r${lines.length < before.length || isAnother ? eraseBelow : ""}`;
    if (cursor !== undefined) {
      const up = lines.length - cursor.row;
      text += `\x1b[${up}A${cursor.column === 0 ? "" : `\x1b[${cursor.column}C`}${showCursor}`;
    }
    this.#output.write(`${text}${end}`);
    this.#lines = lines;
    this.#cursor = cursor;
    this.#columns = columns;
  }

  /** What was drawn stays; the next picture comes below. */
  keep(): void {
    const below = this.#cursor === undefined ? "" : `\x1b[${this.#lines.length - this.#cursor.row}B\r`;
    this.#output.write(`${below}${showCursor}`);
    this.#forget();
  }

  /** As if nothing had been drawn. */
  erase(): void {
    this.#output.write(`${this.#home()}${eraseBelow}${showCursor}`);
    this.#forget();
  }

  #forget(): void {
    this.#lines = [];
    this.#cursor = undefined;
    this.#columns = undefined;
  }

  /** A terminal that has become narrower has broken our lines, and the cursor has moved with its line. */
  #home(): string {
    const columns = this.#output.columns ?? Number.POSITIVE_INFINITY;
    const added = this.#lines.map((line) => rowsIn(withoutColour(line), columns) - 1);
    const { row = added.length, column = 0 } = this.#cursor ?? {};
    let rows = row;
    if (this.#isXtermJs) {
      // It breaks lines from the last to the first, moves the cursor by every row that is added, also below it, and leaves
      // alone the line that the cursor is in at that moment.
      for (let at = added.length - 1; at >= 0; at--) if (at !== rows) rows += added[at] ?? 0;
    } else {
      rows += added.slice(0, row).reduce((sum, each) => sum + each, Math.floor(column / columns));
    }
    return rows === 0 ? "\r" : `\x1b[${rows}A\r`;
  }
}

/** How many rows a terminal needs for a line. A wide character is not torn apart. */
function rowsIn(line: string, columns: number): number {
  if (displayWidth(line) <= columns) return 1;
  let [rows, at] = [1, 0];
  for (const character of graphemesOf(line)) {
    const wide = displayWidth(character);
    if (at + wide > columns) [rows, at] = [rows + 1, 0];
    at += wide;
  }
  return rows;
}
