import { describe, expect, test } from "bun:test";
import { markdownText, plainLines, withoutMarks } from "../src/markdown.ts";
import { withoutColour } from "../src/paint.ts";

const plan = `# The plan

Publish **1.4.0** with \`npm publish\`, see [the notes](https://example.org/notes):

- first, a point that is long enough to reach the end of its line
  1. a step
> said before
---
\`\`\`sh
rm -rf   build   # **not** Markdown
\`\`\`
| a | b |
`;
const margins = { lead: "? ", indent: "  " };

test("keeps its line breaks, its code and its tables, and wraps the rest", () => {
  expect(withoutColour(markdownText(plan, { columns: 40, colour: true }, margins))).toBe(`? The plan

  Publish 1.4.0 with npm publish, see
  the notes (https://example.org/notes):

  • first, a point that is long enough
    to reach the end of its line
    1. a step
  │ said before
  ────────────────────────
  \`\`\`sh
  rm -rf   build   # **not** Markdown
  \`\`\`
  | a | b |
`);
});

test("without colours, its marks stay", () => {
  const shown = markdownText(plan, { columns: 40, colour: false }, margins);
  expect(shown).toStartWith("? # The plan\n\n  Publish **1.4.0** with `npm publish`,\n");
  expect(shown).toContain("  - first, a point that is long enough\n    to reach the end of its line\n");
});

test.each([
  ["Say **something** __long__", "Say something long"],
  ["## The `plan`", "The plan"],
  ["**Publish `1.4.0`?**", "Publish 1.4.0?"],
  ["- a step", "a step"],
  ["> said [before](https://example.org)", "said before (https://example.org)"],
  ["2 ** 3 * 4 is #1", "2 ** 3 * 4 is #1"],
])("one line of it, %j, is %j without its marks", (line, text) => {
  expect(withoutMarks(line)).toBe(text);
});

describe("from someone else", () => {
  test.each([
    ["\x1b[2Jhi", "\\x1b[2Jhi"],
    ["one\rtwo", "one\\rtwo"],
    ["<!-- delete everything -->", "<!-- delete everything -->"],
    ["a ** b ** c `", "a ** b ** c `"],
    ["[click](javascript:x)", "click (javascript:x)"],
    ["\u202etxt.exe", "\\u{202e}txt.exe"],
  ])("%j is shown as %j", (text, shown) => {
    expect(withoutColour(markdownText(text, { colour: true }, { indent: "" }))).toBe(`${shown}\n`);
  });

  test("every letter of it is shown, whatever its marks are", () => {
    const odd = "```\n# never closed\n~~~\n**a\n\n- [ ] b**\n_c_ ***d*** ``e`f``";
    const letters = (text: string): string => text.replace(/[^a-z]/g, "");
    expect(letters(withoutColour(markdownText(odd, { columns: 9, colour: true }, margins)))).toBe(letters(odd));
  });
});

test("plain lines are not read as Markdown", () => {
  expect(plainLines("rm **/x\r\n# all\n", margins)).toBe("? rm **/x\n  # all\n");
});
