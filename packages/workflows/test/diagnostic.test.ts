import { expect, test } from "bun:test";
import { type Diagnostic, distinctInOrder } from "../src/entities/diagnostic.ts";

const at = (path: string | undefined, rest: Partial<Diagnostic> = {}): Diagnostic => ({
  severity: "warning",
  code: "x",
  message: "m",
  ...(path !== undefined && { path }),
  ...rest,
});

test("diagnostics are sorted by path, line, column, code and message, those without a path first", () => {
  const sorted = [
    at(undefined),
    at("a.md"),
    at("a.md", { line: 2 }),
    at("a.md", { line: 2, column: 3, code: "k" }),
    at("a.md", { line: 2, column: 3, code: "l", message: "m" }),
    at("a.md", { line: 2, column: 3, code: "l", message: "n" }),
    at("b.md"),
  ];
  expect(distinctInOrder(sorted.toReversed())).toEqual(sorted);
});

test("a path with an emoji sorts by code point, after every other character", () => {
  const paths = ["\u{1f600}.md", "\uffee.md", "z.md"];
  expect(distinctInOrder(paths.map((path) => at(path))).map(({ path }) => path)).toEqual(paths.toReversed());
});

test("what is reported twice is listed once, also with another at the same position in between", () => {
  const [first, second] = [at("a.md", { hint: "first" }), at("a.md", { hint: "second" })];
  expect(distinctInOrder([first, second, { ...first }, at("b.md"), { ...second }])).toEqual([
    first,
    second,
    at("b.md"),
  ]);
});
