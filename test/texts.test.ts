// A change of what people read is seen as one: after a deliberate change, `bun test test/texts.test.ts -u`, and read the diff.
import { describe, expect, test } from "bun:test";
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

test("the same seed draws the same texts, each once", () => {
  const texts = Array.from({ length: 500 }, (_, index) => String(index));
  expect(drawn(texts, 60, 7)).toEqual(drawn(texts, 60, 7));
  expect(new Set(drawn(texts, 60, 7)).size).toBe(60);
  expect(drawn(texts, 60, 7)).not.toEqual(drawn(texts, 60, 8));
});
