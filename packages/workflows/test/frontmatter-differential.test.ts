// The scanner may decline any document. What it claims, `yaml` must read without a complaint and to the same values.

import { expect, setDefaultTimeout, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { parseDocument } from "yaml";
import { readYaml } from "../src/entities/frontmatter/read-yaml.ts";
import { scanPlainYaml } from "../src/entities/frontmatter/scan.ts";

// A nightly run sets a larger factor.
const RUNS = 5_000 * Number(process.env.FUZZ_FACTOR ?? 1);

setDefaultTimeout(600_000);

test("the scanner accepts every document of the plain subset and reads it like yaml", () => {
  fc.assert(
    fc.property(plainDocument(), (text) => compare(text) === "same"),
    { numRuns: RUNS },
  );
});

test("a damaged document is read like yaml, or declined", () => {
  let claimed = 0;
  const damaged = fc.tuple(plainDocument(), fc.array(damage(), { minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(damaged, ([text, damages]) => {
      const outcome = compare(damages.reduce((broken, apply) => apply(broken), text));
      if (outcome === "same") claimed += 1;
      return outcome !== "different";
    }),
    { numRuns: RUNS },
  );
  // Else this would prove nothing.
  expect(claimed).toBeGreaterThan(RUNS / 10);
});

test("random lines are read like yaml, or declined", () => {
  let claimed = 0;
  fc.assert(
    fc.property(lineSoup(), (text) => {
      const outcome = compare(text);
      if (outcome === "same") claimed += 1;
      return outcome !== "different";
    }),
    { numRuns: 3 * RUNS },
  );
  expect(claimed).toBeGreaterThan(RUNS / 20);
});

test("the full reader gives yaml's values, or explains why not", () => {
  fc.assert(
    fc.property(fc.oneof(plainDocument(), lineSoup()), (text) => {
      const ours = readYaml(text);
      const theirs = reference(text);
      if (ours.kind === "refused" || ours.unreadableKeys.length > 0) return true;
      return theirs !== undefined && isDeepStrictEqual(entries(ours.values), entries(theirs));
    }),
    { numRuns: RUNS },
  );
});

function compare(text: string): "same" | "different" | "declined" {
  const ours = scanPlainYaml(text);
  if (ours === undefined) return "declined";
  const theirs = reference(text);
  return theirs !== undefined && isDeepStrictEqual(entries(ours), entries(theirs)) ? "same" : "different";
}

/** What `yaml` itself says, without any code of ours in between; `undefined` if it complains. */
function reference(text: string): unknown {
  const document = parseDocument(text, {
    schema: "core",
    version: "1.2",
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: "error",
  });
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 50 }) ?? {};
  } catch (error) {
    // An alias of nothing, or too many aliases.
    if (error instanceof ReferenceError) return undefined;
    throw error;
  }
}

/** Maps as lists of pairs: order counts, prototypes do not. */
function entries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(entries);
  if (typeof value !== "object" || value === null) return value;
  return { map: Object.entries(value).map(([key, item]) => [key, entries(item)]) };
}

function plainDocument(): fc.Arbitrary<string> {
  const pair = fc.tuple(key(), value(0));
  const noise = fc.constantFrom("", "\n", "# comment\n", "  # c: d\n", " \n");
  const pairs = fc.uniqueArray(fc.tuple(pair, noise), { selector: ([[name]]) => unquoted(name), maxLength: 7 });
  const ending = fc.constantFrom("\n", "\n", "\r\n");
  const text = pairs.map((all) => all.map(([[name, rest], gap]) => `${name}:${rest}\n${gap}`).join(""));
  return fc
    .tuple(text, ending, fc.boolean())
    .map(([lines, newline, last]) => (last ? lines : lines.replace(/\n$/, "")).replaceAll("\n", newline));
}

function key(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom("name", "description", "allowed-tools", "a.b", "x y", "__proto__", "null", "1", "*x".slice(1)),
    fc.constantFrom('"*"', "'git diff *'", '"a: b"', '"#"', "constructor", "toString", "true", "12.5"),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/),
  );
}

function unquoted(name: string): string {
  return name.replace(/^["'](.*)["']$/, "$1");
}

function value(depth: number): fc.Arbitrary<string> {
  const indent = "  ".repeat(depth + 1);
  const inline = fc.tuple(fc.oneof(scalar(), flowList()), fc.constantFrom("", "", " # c", "  #", "  "));
  const list = fc.array(fc.oneof(scalar(), fc.constant(""), flowList()), { minLength: 1, maxLength: 4 });
  const options: fc.Arbitrary<string>[] = [
    inline.map(([text, comment]) => ` ${text}${comment}`),
    fc.constantFrom("", " ", " # nothing"),
    list.map((items) => items.map((item) => `\n${indent}-${item === "" ? "" : ` ${item}`}`).join("")),
    blockScalar(indent),
  ];
  if (depth === 0) options.push(list.map((items) => items.map((item) => `\n- ${item}`).join("")));
  if (depth < 2) options.push(map(depth + 1));
  return fc.oneof(...options);
}

function map(depth: number): fc.Arbitrary<string> {
  const pairs = fc.uniqueArray(fc.tuple(key(), value(depth)), {
    selector: ([name]) => unquoted(name),
    minLength: 1,
    maxLength: 3,
  });
  return pairs.map((all) => all.map(([name, rest]) => `\n${"  ".repeat(depth)}${name}:${rest}`).join(""));
}

function scalar(): fc.Arbitrary<string> {
  const word = fc.stringMatching(/^[A-Za-z0-9_.(/<][A-Za-z0-9 _.,;/()<>*?!|&%@'"[\]{}é😀-]{0,20}[A-Za-z0-9)]$/u);
  return fc.oneof(
    fc.constantFrom(
      "true",
      "False",
      "No",
      "~",
      "NULL",
      "012",
      "0o7",
      "0xfF",
      "-1.5e3",
      ".inf",
      ".NaN",
      "2024-01-01",
      "-0",
      "1.",
    ),
    fc.constantFrom("Bash(git:*), Edit", "openai/gpt-5:high", "a#b", "--amend", "it's", "1_000", "<<", "=", "0b1"),
    word,
    fc.string({ maxLength: 20 }).map((text) => `'${printable(text).replaceAll("'", "''")}'`),
    fc.string({ maxLength: 20 }).map((text) => JSON.stringify(printable(text))),
  );
}

function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "·");
}

function flowList(): fc.Arbitrary<string> {
  const item = fc.oneof(
    fc.constantFrom("Read", "a b", "Bash(git:*)", "1", "~", "c#d", "-x", "é", "true"),
    fc.string({ maxLength: 8 }).map((text) => `'${printable(text).replaceAll("'", "''")}'`),
    fc.string({ maxLength: 8 }).map((text) => JSON.stringify(printable(text))),
  );
  const separator = fc.constantFrom(",", ", ", " ,  ");
  return fc
    .tuple(fc.array(item, { maxLength: 4 }), separator, fc.constantFrom("", " "))
    .map(([items, comma, space]) => {
      return `[${space}${items.join(comma)}${space}]`;
    });
}

function blockScalar(indent: string): fc.Arbitrary<string> {
  const first = fc.stringMatching(/^[A-Za-z#'"*-][A-Za-z0-9 :#'"-]{0,12}$/);
  const line = fc.oneof(first, fc.constantFrom("", "", "- x", "a: b", "# c"));
  const header = fc.constantFrom("|", "|-", "|+", ">", ">-", ">+", "| # c");
  return fc
    .tuple(header, first, fc.array(line, { maxLength: 4 }))
    .map(([mark, start, rest]) => ` ${mark}${[start, ...rest].map((text) => `\n${text && indent + text}`).join("")}`);
}

/** One small edit at a random place. */
function damage(): fc.Arbitrary<(text: string) => string> {
  const piece = fc.constantFrom(
    ..." \n\t\r:#-'\"[]{},|>&*!%@?`~.a1\\\0",
    ": ",
    " #",
    "\n  ",
    "\n- ",
    "---",
    "...",
    "\u2028",
  );
  return fc
    .tuple(fc.nat(), fc.constantFrom(0, 0, 1, 2, 5), fc.oneof(piece, fc.constant("")))
    .map(([at, removed, added]) => (text) => {
      const place = text.length === 0 ? 0 : at % text.length;
      return text.slice(0, place) + added + text.slice(place + removed);
    });
}

function lineSoup(): fc.Arbitrary<string> {
  const indent = fc.constantFrom("", "", "", "  ", "    ", " ", "   ");
  const content = fc.oneof(
    fc.tuple(
      fc.oneof(fc.constantFrom("a", "b", "c", '"a"'), key(), fc.constantFrom("?", "-k", ".k", "...", "k ", '""')),
      fc.constantFrom(":", ": ", " :"),
      oddScalar(),
    ),
    fc.tuple(fc.constantFrom("- ", "-", "-  ", "- - "), oddScalar()),
    fc.tuple(fc.constantFrom("# c", "", "text", "x: y: z", "? a", ": b", "k: v", "- a", "k: &a v", "l: *a")),
  );
  const line = fc.tuple(indent, content).map(([space, pieces]) => space + pieces.join(""));
  const newline = fc.constantFrom("\n", "\n", "\r\n");
  return fc.tuple(fc.array(line, { maxLength: 7 }), newline).map(([lines, end]) => lines.join(end));
}

function oddScalar(): fc.Arbitrary<string> {
  return fc.oneof(
    scalar(),
    flowList(),
    fc.constantFrom("|", "|-", "|+", ">", ">-", ">+", "|2", "", "# c", "a # c", "a #", "-", "- a", "---", "..."),
    fc.constantFrom(
      "?a",
      ":a",
      "*a",
      "&a b",
      "!x y",
      "@a",
      "%a",
      '"un',
      "'un",
      "[a",
      "[a,]",
      "[a,,b]",
      "]",
      "{}",
      "{a: b}",
    ),
    fc.constantFrom(
      "[a: b]",
      "[a #b]",
      '["x":1]',
      "[- a]",
      "[-, a]",
      "[a]b",
      '"a"b',
      "'a'#c",
      "a:",
      "a: b",
      '"\\u0041"',
    ),
  );
}
