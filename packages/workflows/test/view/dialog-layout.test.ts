import { expect, test } from "bun:test";
import { dialogLayout } from "../../src/view/dialog-layout.ts";

test.each([
  ["all of a short question", 36, 2, 3, 0, { textRows: 2, choiceRows: 3, firstChoice: 0 }],
  ["a long text beside all of its choices", 36, 120, 3, 0, { textRows: 17, choiceRows: 3, firstChoice: 0 }],
  ["the beginning of many choices", 36, 1, 60, 0, { textRows: 1, choiceRows: 19, firstChoice: 0 }],
  ["the selected one of many choices", 36, 1, 60, 40, { textRows: 1, choiceRows: 19, firstChoice: 31 }],
  ["the last one of many choices", 36, 1, 60, 59, { textRows: 1, choiceRows: 19, firstChoice: 41 }],
  ["half of each if both are long", 36, 120, 60, 0, { textRows: 10, choiceRows: 10, firstChoice: 0 }],
  ["something of both in a tiny terminal", 10, 9, 9, 8, { textRows: 1, choiceRows: 1, firstChoice: 8 }],
])("a dialog shows %s", (_, screenRows, lines, choices, selected, layout) => {
  expect(dialogLayout({ screenRows, lines, choices, selected })).toEqual(layout);
});

test("the selected choice is always shown, and nothing runs off the screen", () => {
  for (const screenRows of [12, 24, 36, 60]) {
    for (const lines of [1, 5, 40]) {
      for (const choices of [1, 3, 30]) {
        for (let selected = 0; selected < choices; selected += 1) {
          const { textRows, choiceRows, firstChoice } = dialogLayout({ screenRows, lines, choices, selected });
          expect(selected).toBeGreaterThanOrEqual(firstChoice);
          expect(selected).toBeLessThan(firstChoice + choiceRows);
          expect(textRows + choiceRows + 7).toBeLessThanOrEqual((screenRows * 3) / 4);
        }
      }
    }
  }
});
