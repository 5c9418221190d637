import type { IBufferCell } from "@xterm/headless";

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

export function readCell(cell: IBufferCell): ScreenCell {
  const width = cell.getWidth();
  return {
    char: cell.getChars() || (width === 0 ? "" : " "),
    width,
    fg: colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    bg: colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
    invisible: cell.isInvisible() !== 0,
    strikethrough: cell.isStrikethrough() !== 0,
  };
}

function colour(isDefault: boolean, isRgb: boolean, value: number): ScreenColour {
  if (isDefault) return "default";
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (value >= 16) return `palette ${value}`;
  return value < 8 ? names[value]! : `bright ${names[value - 8]!}`;
}
