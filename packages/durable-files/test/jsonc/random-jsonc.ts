// Random documents: any JSON value, with any white space, comments, commas and line breaks that JSONC allows around it.
import fc from "fast-check";

export interface RandomDocument {
  readonly text: string;
  /** The same data as plain JSON. */
  readonly plain: string;
}

/** A text and its plain JSON. Comments hold `#` until they are numbered, line breaks are LF until a style is chosen. */
interface Draft {
  readonly jsonc: string;
  readonly json: string;
}

const KEYS = ["a", "b", "plugin", "$schema", "__proto__", "constructor", "", "x y", "é", "😀", "1", "\\u0062c", "//"];
const SCALARS = ["1", "-0.5e3", "0", "true", "false", "null", '"s"', '"// no"', '"/*"', '"\\ud83d\\ude00,]"', '"\\\\"'];
const BLOCKS = ["/* # */", "/*# \n */", "/*#*/", '/* # " , ] */', "/** # // */"];
const LINES = ["// #\n", "//#\n", "// # , ]\n", '// # " /*\n'];

const blank = fc.constantFrom(" ", "  ", "\t", "    ");
const trivia = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: blank },
      { weight: 3, arbitrary: fc.constant("\n") },
      { weight: 1, arbitrary: fc.constantFrom(...BLOCKS) },
      { weight: 1, arbitrary: fc.constantFrom(...LINES) },
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(""));

const { value } = fc.letrec<{ value: Draft; array: Draft; object: Draft }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom(...SCALARS).map((text) => ({ jsonc: text, json: text })),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .record({
      items: fc.array(fc.tuple(trivia, tie("value"), trivia), { maxLength: 4 }),
      comma: fc.boolean(),
      tail: trivia,
    })
    .map(({ items, comma, tail }) => enclose("[]", items.map(around), comma, tail)),
  object: fc
    .record({
      keys: fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 4 }),
      rest: fc.array(fc.tuple(trivia, trivia, trivia, tie("value"), trivia), { minLength: 4, maxLength: 4 }),
      comma: fc.boolean(),
      tail: trivia,
    })
    .map(({ keys, rest, comma, tail }) =>
      enclose(
        "{}",
        keys.map((key, i) => property(key, rest[i]!)),
        comma,
        tail,
      ),
    ),
}));

function around([before, inner, after]: [string, Draft, string]): Draft {
  return { jsonc: before + inner.jsonc + after, json: inner.json };
}

function property(
  key: string,
  [before, beforeColon, afterColon, inner, after]: [string, string, string, Draft, string],
): Draft {
  const jsonc = `${before}"${key}"${beforeColon}:${afterColon}${inner.jsonc}${after}`;
  return { jsonc, json: `"${key}":${inner.json}` };
}

function enclose(brackets: string, parts: readonly Draft[], comma: boolean, tail: string): Draft {
  const trailing = comma && parts.length > 0 ? "," : "";
  return {
    jsonc: brackets[0] + parts.map((part) => part.jsonc).join(",") + trailing + tail + brackets[1],
    json: brackets[0] + parts.map((part) => part.json).join(",") + brackets[1],
  };
}

const LINE_BREAKS = [["\n"], ["\r\n"], ["\r"], ["\n", "\r\n", "\r"]];

export const randomDocument: fc.Arbitrary<RandomDocument> = fc
  .record({
    bom: fc.constantFrom("", "", "", "\ufeff"),
    head: trivia,
    value,
    tail: trivia,
    end: fc.constantFrom("", "", "// the end"),
    breaks: fc.constantFrom(...LINE_BREAKS),
  })
  .map(({ bom, head, value: root, tail, end, breaks }) => {
    let comments = 0;
    let lines = 0;
    const numbered = (head + root.jsonc + tail + end).replaceAll("#", () => `c${comments++}`);
    const text = bom + numbered.replaceAll("\n", () => breaks[lines++ % breaks.length]!);
    return { text, plain: root.json };
  });
