import { describe, expect, test } from "bun:test";
import { countDiagnostics, formatDiagnostic, inOrder } from "../src/report/diagnostics.ts";
import { shortPath } from "../src/report/path.ts";
import { describeRestrictions } from "../src/report/restrictions.ts";
import { safe, safeLine } from "../src/report/safe-text.ts";
import { formatTable } from "../src/report/table.ts";
import { displayWidth } from "../src/report/width.ts";
import { paragraph } from "../src/report/wrap.ts";

const where = { cwd: "/home/me/project/src", project: "/home/me/project", home: "/home/me" };
const plain = { colour: false };

describe("a table", () => {
  const columns = [{ title: "NAME", least: 6 }, { title: "FROM" }, { title: "ABOUT", least: 4 }];
  const rows = [
    ["a-long-name", "here", "something long"],
    ["漢字", "there", ""],
  ];
  test.each([
    [undefined, ["NAME         FROM   ABOUT", "a-long-name  here   something long", "漢字         there"]],
    [34, ["NAME         FROM   ABOUT", "a-long-name  here   something long", "漢字         there"]],
    [28, ["NAME         FROM   ABOUT", "a-long-name  here   somethi…", "漢字         there"]],
    [24, ["NAME         FROM   ABO…", "a-long-name  here   som…", "漢字         there"]],
    [20, ["NAME     FROM   ABO…", "a-long…  here   som…", "漢字     there"]],
  ])("of %p columns gives way from its end", (width, expected) => {
    const page = { ...plain, ...(width !== undefined && { columns: width }) };
    expect(formatTable(columns, rows, page).trimEnd().split("\n")).toEqual(expected);
  });

  test("is never wider than the page, down to where there is nothing to see", () => {
    for (let width = 4; width < 40; width += 1) {
      const lines = formatTable(columns, rows, { ...plain, columns: width }).split("\n");
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  test("has its colours around the words, not around the space between them", () => {
    const row = [{ text: "a", colour: "red" } as const, "b"];
    expect(formatTable([{ title: "LONG" }, { title: "B" }], [row], { colour: true })).toBe(
      "\x1b[2mLONG\x1b[22m  \x1b[2mB\x1b[22m\n\x1b[31ma\x1b[39m     b\n",
    );
  });
});

describe("a paragraph", () => {
  test.each([
    [undefined, "- one two three four\n"],
    [20, "- one two three four\n"],
    [14, "- one two\n  three four\n"],
    [7, "- one\n  two\n  three\n  four\n"],
    [1, "- one\n  two\n  three\n  four\n"],
  ])("of %p columns breaks between words", (columns, expected) => {
    const page = { ...plain, ...(columns !== undefined && { columns }) };
    expect(paragraph("one two three four", page, { lead: "- ", indent: "  " })).toBe(expected);
  });

  test("does not count colours", () => {
    const page = { colour: true, columns: 7 };
    expect(paragraph("\x1b[31mone two\x1b[39m six", page, { indent: "" })).toBe("\x1b[31mone two\x1b[39m\nsix\n");
  });
});

test.each([
  ["/home/me/project/src/x.md", "x.md"],
  ["/home/me/project/src", "."],
  ["/home/me/project/.claude/x.md", "../.claude/x.md"],
  ["/home/me/.claude/x.md", "~/.claude/x.md"],
  ["/home/me/project-2/x.md", "~/project-2/x.md"],
  ["/etc/x.md", "/etc/x.md"],
  ["/home/me/project/..odd", "../..odd"],
])("%s is written as %s", (path, expected) => {
  expect(shortPath(path, where)).toBe(expected);
});

test.each([
  [{}, "all"],
  [{ allow: [] }, "none"],
  [{ allow: [{ tool: "read" }, { tool: "bash", pattern: "git:*" }] }, "only read, bash(git:*)"],
  [{ deny: [{ tool: "edit" }], ask: [{ tool: "bash" }] }, "after asking bash; never edit"],
  [{ allow: [{ tool: "read" }], ask: [{ tool: "bash" }] }, "only read; after asking bash"],
])("the restriction %j reads %s", (restrictions, expected) => {
  expect(describeRestrictions(restrictions)).toBe(expected);
});

describe("a diagnostic", () => {
  const problem = {
    severity: "error",
    code: "some-code",
    message: "It is wrong.",
    path: "/home/me/project/a.md",
  } as const;
  test.each([
    [{ ...problem, line: 3, column: 7, hint: "Do it." }, "../a.md:3:7: error: It is wrong. [some-code]\n  Do it.\n"],
    [{ ...problem, line: 3 }, "../a.md:3: error: It is wrong. [some-code]\n"],
    [problem, "../a.md: error: It is wrong. [some-code]\n"],
    [{ severity: "info", code: "c", message: "Two\nlines" } as const, "info: Two lines [c]\n"],
  ])("%j is one line and its hint", (diagnostic, expected) => {
    expect(formatDiagnostic(diagnostic, where, plain)).toBe(expected);
  });

  test("has the colour of its severity", () => {
    expect(formatDiagnostic(problem, where, { colour: true })).toContain("\x1b[31merror\x1b[39m: ");
    expect(formatDiagnostic({ ...problem, severity: "warning" }, where, { colour: true })).toContain("\x1b[33mwarning");
  });

  test("stands with those of its file, from top to bottom", () => {
    const at = (path: string, line?: number, column?: number) => ({
      ...problem,
      path,
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    });
    const mixed = [at("b", 2, 1), at("a", 1), at("b", 1, 9), at("b", 1, 2), at("b")];
    expect(inOrder(mixed)).toEqual([at("b"), at("b", 1, 2), at("b", 1, 9), at("b", 2, 1), at("a", 1)]);
  });

  test("counts with others of its severity", () => {
    const of = (severity: "error" | "warning" | "info") => ({ ...problem, severity });
    expect(countDiagnostics([of("warning"), of("error"), of("warning"), of("info")])).toBe(
      "1 error, 2 warnings, 1 remark",
    );
    expect(countDiagnostics([])).toBe("");
  });
});

test("foreign text in a sentence is one visible line", () => {
  expect(safe`Nobody is called "${"a\n\tb\x1b[31m"}", ${2} times.`).toBe('Nobody is called "a b\\x1b[31m", 2 times.');
  expect(safeLine("  spaced \r\n out\u202e ")).toBe("spaced out\\u{202e}");
});
