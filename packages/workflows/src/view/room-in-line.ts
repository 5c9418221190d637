import type { TerminalElement } from "./terminal-api.ts";

const gap = 2;
/** A line can have a row of padding, and be folded. What is higher contains lines. */
const highestLine = 3;

/** How many columns an element can have in its line beside what stands before it, as of the last frame. 0 before the first one. */
export function roomInLine(element: TerminalElement): number {
  let room = 0;
  let taken = 0;
  for (let child = element; child.parent && (child.parent.height ?? 0) <= highestLine; child = child.parent) {
    const siblings = child.parent.getChildren?.() ?? [];
    const before = siblings.slice(0, siblings.indexOf(child)).map(({ width = 0 }) => width);
    taken += before.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap), 0);
    if (taken > 0) room = Math.max(0, (child.parent.width ?? 0) - taken);
  }
  return room;
}
