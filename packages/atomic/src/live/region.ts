import { withoutColour } from "@atomic/terminal/paint";
import type { Output } from "@atomic/terminal/process-output";
import { displayWidth } from "@atomic/terminal/width";

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
  #lines: readonly string[] = [];
  /** Without one, the cursor is hidden, below the last line. */
  #cursor: RegionCursor | undefined;
  #columns: number | undefined;

  constructor(output: Output) {
    this.#output = output;
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

  /**
   * A terminal that has become narrower has broken our lines; whether also the one with the cursor, depends on the
   * terminal. If it has, a piece of it stays above: too far up, we would erase what is not ours.
   */
  #home(): string {
    const columns = this.#output.columns ?? Number.POSITIVE_INFINITY;
    const above = this.#cursor === undefined ? this.#lines : this.#lines.slice(0, this.#cursor.row);
    const rows = above.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(withoutColour(line)) / columns)),
      0,
    );
    return rows === 0 ? "\r" : `\x1b[${rows}A\r`;
  }
}
