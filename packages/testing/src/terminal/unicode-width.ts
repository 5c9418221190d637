// xterm knows the widths of Unicode 6 only, in which today's emoji are narrow. Bun knows those of today.
import type { IUnicodeVersionProvider } from "@xterm/headless";

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

// How xterm packs what it knows about a character: bit 0 whether it joins the cell before, bits 1 and 2 the width.
function pack(width: Width, joins: boolean): number {
  return (width << 1) | (joins ? 1 : 0);
}

function packedWidth(properties: number): Width {
  return ((properties >> 1) & 3) as Width;
}

export const currentUnicode: IUnicodeVersionProvider = {
  version: "current",
  wcwidth: widthOf,
  charProperties: (codepoint, preceding) => {
    const width = widthOf(codepoint);
    const before = packedWidth(preceding);
    return width === 0 && before > 0 ? pack(before, true) : pack(width, false);
  },
};
