import { expect, test } from "bun:test";
import { roomInLine } from "../../src/view/room-in-line.ts";
import type { TerminalElement } from "../../src/view/terminal-api.ts";

interface Drawn extends TerminalElement {
  parent?: Drawn | null;
}

function drawn(width: number, height: number, ...children: readonly Drawn[]): Drawn {
  const element: Drawn = { width, height, getChildren: () => children };
  for (const child of children) child.parent = element;
  return element;
}

test.each([
  ["has what the agent and the model leave", 0, 70 - 24 - 2],
  ["shares that with another plugin's element", 10, 70 - 24 - 2 - 10 - 2],
  ["has none if there is no room", 60, 0],
])("a hint %s", (_what, other, room) => {
  const hint = drawn(5, 1);
  const line = drawn(70, 2, drawn(24, 1), drawn(other + 5, 1, drawn(other, 1), drawn(5, 1, hint)));
  drawn(140, 36, drawn(140, 36), drawn(75, 6, drawn(70, 1), line));
  expect(roomInLine(hint)).toBe(room);
});

test("what is not drawn yet has no room", () => {
  expect(roomInLine(drawn(0, 0))).toBe(0);
  const hint = drawn(0, 0);
  drawn(0, 0, drawn(0, 0), hint);
  expect(roomInLine(hint)).toBe(0);
});
