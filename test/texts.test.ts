// A change of what people read is seen as one: after a deliberate change, `bun test test/texts.test.ts -u`, and read the diff.
import { describe, expect, test } from "bun:test";
import sixty from "./sixty-texts.json" with { type: "json" };
import { drawn, textsInSource, userFacingTexts } from "./texts.ts";

describe("texts that people read", () => {
  for (const [place, texts] of userFacingTexts())
    test(place, () => expect(`\n${texts.join("\n")}\n`).toMatchSnapshot());
});

test("prose is found in literals and templates, and code is not", () => {
  const source = `
    import { x } from "not a text at all";
    const one = "Run it again later.", two = \`\${x} was not \${x} found\`, three = "short", four = "a-b c-d e-f";
    type Five = "no text as well";`;
  expect(textsInSource(source)).toEqual(["Run it again later.", "… was not … found"]);
});

test("the same seed draws the same texts, each once, and a new text changes the draw by at most one", () => {
  const texts = Array.from({ length: 500 }, (_, index) => String(index));
  const first = drawn(texts, 60, 7);
  expect(new Set(first).size).toBe(60);
  expect(drawn(texts, 60, 7)).toEqual(first);
  expect(drawn(texts, 60, 8)).not.toEqual(first);
  for (const added of ["a", "b", "c"]) {
    expect(drawn([...texts, added], 60, 7).filter((text) => !first.includes(text)).length).toBeLessThan(2);
  }
});

// They were read by an editor who had only the rules for plain English. A text that enters the draw later must be read, too.
test("the sixty texts that were drawn have been read", () => {
  const { seed, texts } = sixty;
  expect(drawn([...userFacingTexts().values()].flat(), 60, seed).toSorted()).toEqual(texts);
});
