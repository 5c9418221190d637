// A terminal that changes its size under the picture: lines are broken, scroll away, come back or are cut off, and the
// cursor moves. The terminal is xterm.js.
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Output } from "@atomic/terminal/process-output";
import { displayWidth } from "@atomic/terminal/width";
import { createScreen } from "@atomic/testing/terminal/screen";
import fc from "fast-check";
import { Region, type RegionCursor } from "../../src/live/region.ts";

setDefaultTimeout(120_000);

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What there is to show: how long each line is, and where the cursor is. A small terminal shows less of it. */
interface Content {
  readonly widths: readonly number[];
  readonly cursor: RegionCursor | undefined;
}

interface Frame {
  readonly content: Content;
  /** The sizes that the terminal takes, one after the other, before this is drawn. */
  readonly sizes: readonly Size[];
}

const letters = ["r", "日", "🎉", "é", "r", "r"];

function pictureOf(
  { widths, cursor }: Content,
  { columns, rows }: Size,
): Pick<Content, "cursor"> & { lines: string[] } {
  const lines = widths.slice(0, rows - 1).map((width, at) => lineOf(Math.min(width, columns - 1), at));
  if (cursor === undefined) return { lines, cursor };
  const row = Math.min(cursor.row, lines.length - 1);
  return { lines, cursor: { row, column: Math.min(cursor.column, displayWidth(lines[row] ?? "")) } };
}

function lineOf(width: number, at: number): string {
  let [line, used] = ["r", 1];
  for (let n = at; ; n++) {
    const letter = letters[n % letters.length] ?? "";
    used += displayWidth(letter);
    if (used > width) return line;
    line += letter;
  }
}

/** Draws one frame after the other below lines of another program, and looks at the screen each time. */
async function follow(foreign: number, frames: readonly Frame[], mayLeaveLines = false): Promise<void> {
  const first = frames[0]?.sizes[0];
  const screen = createScreen(first?.columns ?? 80, first?.rows ?? 24, () => undefined);
  let drawing = Promise.resolve();
  const write = (text: string): void => {
    drawing = drawing.then(() => screen.write(new TextEncoder().encode(text.replaceAll("\n", "\r\n"))));
  };
  const output: Output = {
    isTTY: true,
    colour: false,
    get columns() {
      return screen.cols;
    },
    get rows() {
      return screen.rows;
    },
    write,
  };
  const region = new Region(output, "xterm.js");
  const above = Array.from({ length: foreign }, (_, n) => `f${n}`);
  write(above.map((line) => `${line}\n`).join(""));
  for (const { sizes, content } of frames) {
    await drawing;
    for (const { columns, rows } of sizes) screen.resize(columns, rows);
    region.resized();
    const { lines, cursor } = pictureOf(content, { columns: screen.cols, rows: screen.rows });
    region.draw(lines, cursor);
    await drawing;
    const { row = lines.length, column = 0 } = cursor ?? {};
    const shown = screen.lines();
    const top = screen.cursor.y - row;
    expect(screen.cursor.x).toBe(column);
    expect(shown.slice(top)).toEqual([...lines, ...Array.from({ length: screen.rows - top - lines.length }, () => "")]);
    expect(screen.history().filter((line) => line.startsWith("f"))).toEqual(above);
    if (!mayLeaveLines) expect(shown.slice(0, top)).toEqual(above.slice(above.length - top));
  }
  screen.dispose();
}

const heights = fc.integer({ min: 2, max: 14 });
const widths = fc.integer({ min: 6, max: 60 });
const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 12 });
const cursors = fc.record({ row: fc.nat(12), column: fc.nat(60) });
const typing = fc.record({ widths: lengths, cursor: cursors });
/** A run that is only watched: the cursor is below the last line. */
const watching = fc.record({ widths: lengths, cursor: fc.constant(undefined) });
const foreign = fc.nat(20);
const several = { minLength: 2, maxLength: 8 };
const one = { minLength: 1, maxLength: 1 };
const runs = { numRuns: 300 };

/** What is drawn changes, or it is the same at each size. */
function framesOf(sizes: fc.Arbitrary<readonly Size[]>): fc.Arbitrary<readonly Frame[]> {
  const same = fc.record({ content: fc.oneof(typing, watching), all: fc.array(sizes, several) });
  return fc.oneof(
    fc.array(fc.record({ content: typing, sizes }), several),
    same.map(({ content, all }) => all.map((each) => ({ content, sizes: each }))),
  );
}

test("at any height the picture is on the screen once, right below what was there before", async () => {
  const frames = widths.chain((columns) =>
    framesOf(
      fc.array(
        heights.map((rows) => ({ columns, rows })),
        one,
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(foreign, frames, (lines, all) => follow(lines, all)),
    runs,
  );
});

test("at any width the picture is on the screen once, right below what was there before", async () => {
  const frames = heights.chain((rows) =>
    framesOf(
      fc.array(
        widths.map((columns) => ({ columns, rows })),
        one,
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(foreign, frames, (lines, all) => follow(lines, all)),
    runs,
  );
});

// How far the terminal has moved the cursor, and how much has come back from above, cannot always be known then.
test("whatever sizes a terminal has had, the picture is whole, and nothing above it is lost", async () => {
  const sizes = fc.array(fc.record({ columns: widths, rows: heights }), one);
  await fc.assert(
    fc.asyncProperty(foreign, framesOf(sizes), (lines, all) => follow(lines, all, true)),
    runs,
  );
});

test("the same if it has had several heights since the last picture", async () => {
  const frames = widths.chain((columns) =>
    framesOf(
      fc.array(
        heights.map((rows) => ({ columns, rows })),
        { minLength: 1, maxLength: 3 },
      ),
    ),
  );
  await fc.assert(
    fc.asyncProperty(foreign, frames, (lines, all) => follow(lines, all, true)),
    runs,
  );
});
