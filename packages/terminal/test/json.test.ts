import { expect, test } from "bun:test";
import { formatJson, jsonLine, jsonPieces } from "../src/json.ts";

test("a document in pieces is the same document, however long, and as safe", () => {
  const document = {
    text: `\x1b\u202e👩‍💻 "quoted"\n`,
    list: [1, null, undefined, true, [], {}],
    nothing: undefined,
    ["__proto__"]: { inner: -0.5 },
    long: Array.from({ length: 5000 }, (_, at) => ({ at, words: ["é", "x".repeat(30)] })),
  };
  const pieces = [...jsonPieces(document)];
  expect(pieces.join("")).toBe(jsonLine(document));
  expect(pieces.length).toBeGreaterThan(3);
  expect([...jsonPieces(document, "  ")].join("")).toBe(formatJson(document));
});

test("a long text is cut into pieces, and remains the same text", () => {
  const mixed = { text: "👩‍💻 é\r\u202e".repeat(40_000), more: ["plain ".repeat(40_000)] };
  const pieces = [...jsonPieces(mixed)];
  expect(pieces.join("") === jsonLine(mixed)).toBe(true);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(300_000);
  // Without a place to cut, a character may become two escapes.
  const emoji = { text: "👩‍💻".repeat(40_000) };
  expect(JSON.parse([...jsonPieces(emoji)].join("")).text === emoji.text).toBe(true);
});
