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

/**
 * What a terminal that gets narrower does with lines that no longer fit: it breaks them, cuts them off, or breaks them
 * as xterm.js does.
 */
export type NarrowLines = "broken" | "cut" | "xterm.js";

/** Terminals that are xterm.js, by the name that they give themselves. */
const xtermJs: ReadonlySet<string> = new Set(["vscode", "Hyper", "Tabby", "WaveTerminal"]);

export function narrowLinesIn(env: Readonly<Record<string, string | undefined>>): NarrowLines {
  const { TERM_PROGRAM: program = "" } = env;
  // What runs inside tmux also has the variables of the terminal around it.
  if (program !== "tmux" && (env.TERM === "linux" || env.STY || env.XTERM_VERSION)) return "cut";
  return xtermJs.has(program) ? "xterm.js" : "broken";
}

interface Drawn {
  readonly lines: readonly string[];
  /** Without one, the cursor is hidden, below the last line. */
  readonly cursor: RegionCursor | undefined;
  readonly columns: number;
  readonly rows: number;
}

/** The last lines of a terminal, drawn in place again and again. Only lines that have changed are written. */
export class Region {
  readonly #output: Output;
  readonly #narrow: NarrowLines;
  #drawn: Drawn | undefined;
  /** How many rows of older pictures have scrolled away right above this one: they come back when the terminal gets higher. */
  #gone = 0;
  #isMoved = false;

  constructor(output: Output, narrow: NarrowLines = "broken") {
    this.#output = output;
    this.#narrow = narrow;
  }

  draw(lines: readonly string[], cursor?: RegionCursor): void {
    const next: Drawn = { lines, cursor, ...this.#size() };
    // After a resize nothing is where it was: lines below the cursor may be gone, others broken.
    const isAnother = this.#isMoved || this.#drawn === undefined || !isLike(this.#drawn, next);
    const before = isAnother ? [] : (this.#drawn?.lines ?? []);
    const isSame = before.length === lines.length && lines.every((line, row) => line === before[row]);
    const { cursor: last } = this.#drawn ?? {};
    if (!isAnother && isSame && cursor?.row === last?.row && cursor?.column === last?.column) return;
    // A row that is not erased from its beginning would still be one line with the row above.
    let text = `${begin}${hideCursor}${this.#home()}${isAnother ? eraseBelow : ""}`;
    let row = 0;
    for (const [at, line] of lines.entries()) {
      if (line === before[at]) continue;
      text += `${"\n".repeat(at - row)}\r${line}${isAnother ? "" : eraseToEnd}`;
      row = at;
    }
    text += `${"\n".repeat(lines.length - row)}\r${lines.length < before.length ? eraseBelow : ""}`;
    if (cursor !== undefined) {
      const up = lines.length - cursor.row;
      text += `\x1b[${up}A${cursor.column === 0 ? "" : `\x1b[${cursor.column}C`}${showCursor}`;
    }
    this.#output.write(`${text}${end}`);
    this.#drawn = next;
    this.#isMoved = false;
  }

  /** The terminal has had another size, if only for a moment. */
  resized(): void {
    this.#isMoved = true;
  }

  /** What was drawn stays; the next picture comes below. */
  keep(): void {
    const { lines, cursor } = this.#drawn ?? {};
    const below = lines === undefined || cursor === undefined ? "" : `\x1b[${lines.length - cursor.row}B\r`;
    this.#output.write(`${below}${showCursor}`);
    this.#forget();
  }

  /** As if nothing had been drawn. */
  erase(): void {
    this.#output.write(`${this.#home()}${eraseBelow}${showCursor}`);
    this.#forget();
  }

  #forget(): void {
    this.#drawn = undefined;
    this.#gone = 0;
  }

  #size(): { readonly columns: number; readonly rows: number } {
    const { columns = Number.POSITIVE_INFINITY, rows = Number.POSITIVE_INFINITY } = this.#output;
    return { columns, rows };
  }

  /** To the first row of what was drawn, or to the top of the screen if that has scrolled away. */
  #home(): string {
    if (this.#drawn === undefined) return "\r";
    const { columns, rows } = this.#size();
    const up = rowsAbove(this.#drawn, { columns, rows }, this.#narrow);
    // They are more rows or fewer in another width: rather leave one of them than erase what is above.
    const gone = columns === this.#drawn.columns ? this.#gone : 0;
    // Until they come back they are right above the screen, so going up too far ends at its top.
    const back = Math.min(gone, Math.max(0, rows - this.#drawn.rows));
    this.#gone = gone - back + Math.max(0, up - rows + 1);
    return up + back === 0 ? "\r" : `\x1b[${up + back}A\r`;
  }
}

function isLike(one: Drawn, other: Drawn): boolean {
  const isSized = one.columns === other.columns && one.rows === other.rows;
  return isSized && (one.cursor === undefined) === (other.cursor === undefined);
}

/** How many rows of a picture are above the cursor, after the terminal has got another size. */
function rowsAbove(drawn: Drawn, { columns, rows }: Pick<Drawn, "columns" | "rows">, narrow: NarrowLines): number {
  const { lines, cursor } = drawn;
  const { row = lines.length, column = 0 } = cursor ?? {};
  if (narrow === "cut" || columns >= drawn.columns) return row;
  const added = lines.map((line) => rowsIn(withoutColour(line), columns) - 1);
  if (narrow === "broken") {
    return row + added.slice(0, row).reduce((sum, each) => sum + each, Math.floor(column / columns));
  }
  // It takes rows away below the cursor if it gets lower. How many is only known where the picture is at the bottom.
  const below = Math.max(0, lines.length - row - Math.max(0, drawn.rows - rows));
  // Then it breaks lines from the last to the first, moves the cursor by every row that is added, also below it, and leaves
  // alone the line that the cursor is in at that moment.
  let above = row;
  for (let at = Math.min(lines.length - 1, row + below); at >= 0; at--) if (at !== above) above += added[at] ?? 0;
  return above;
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
