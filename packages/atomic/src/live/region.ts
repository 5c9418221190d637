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

/** The last lines of a terminal, drawn in place again and again. */
export class Region {
  readonly #output: Output;
  #lines: readonly string[] = [];

  constructor(output: Output) {
    this.#output = output;
  }

  draw(lines: readonly string[]): void {
    const body = lines.map((line) => `${line}${eraseToEnd}\n`).join("");
    this.#output.write(`${begin}${hideCursor}${this.#home()}${body}${eraseBelow}${end}`);
    this.#lines = lines;
  }

  /** What was drawn stays; the next picture comes below. */
  keep(): void {
    this.#output.write(showCursor);
    this.#lines = [];
  }

  /** As if nothing had been drawn. */
  erase(): void {
    this.#output.write(`${this.#home()}${eraseBelow}${showCursor}`);
    this.#lines = [];
  }

  /** A terminal that has become narrower has broken our lines. */
  #home(): string {
    const columns = this.#output.columns ?? Number.POSITIVE_INFINITY;
    const rows = this.#lines.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(displayWidth(withoutColour(line)) / columns)),
      0,
    );
    return rows === 0 ? "\r" : `\x1b[${rows}A\r`;
  }
}
