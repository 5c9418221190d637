import { describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { barChart } from "../harness/chart.ts";
import { duration, ratio, ratioWithSpread, significant } from "../harness/format.ts";
import { markdown, stableJson, writeReport } from "../harness/report.ts";
import { summarize } from "../harness/summary.ts";
import { plainTable } from "../harness/table.ts";
import { group, report, sample } from "./figures.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("figures", () => {
  test.each([
    [0.0000123, "12 ns"],
    [0.0123, "12 µs"],
    [1, "1.0 ms"],
    [58.23, "58 ms"],
    [122.4, "122 ms"],
    [999.96, "1000 ms"],
    [12_345, "12 s"],
    [0, "0 ns"],
  ])("%p ms reads %s", (ms, shown) => {
    expect(duration(ms)).toBe(shown);
  });

  test.each([
    [0.0598, "0.060"],
    [284.4, "284"],
    [1234.5, "1235"],
    [9.999, "10"],
    [99.96, "100"],
    [0, "0"],
  ])("%p is %s", (value, shown) => {
    expect(significant(value)).toBe(shown);
  });

  test.each([
    [0.923, "0.92×"],
    [1.004, "1.00×"],
    [1.139, "1.14×"],
    [3.451, "3.5×"],
    [48.52, "49×"],
  ])("a ratio of %p is %s", (value, shown) => {
    expect(ratio(value)).toBe(shown);
  });
});

test("a spread has the digits of its median", () => {
  expect(ratioWithSpread({ median: 2.13, min: 1.96, max: 2.42 })).toBe("2.1× (2.0–2.4)");
  expect(ratioWithSpread({ median: 1.62, min: 1.4, max: 3.57 })).toBe("1.62× (1.40–3.57)");
  // A claim of at most 1.1× is decided by hundredths.
  expect(ratioWithSpread({ median: 0.94, min: 0.84, max: 1.09 })).toBe("0.94× (0.84–1.09)");
  expect(ratioWithSpread(undefined)).toBe("–");
});

test("a table has no column for what was not measured", () => {
  const unmeasured = { cpuMs: 0, rssBytes: 0 };
  const summary = summarize(group(["peer", "mine"]), [[sample(10, unmeasured)], [sample(20, unmeasured)]]);
  expect(plainTable(summary)).toBe(
    [
      "contestant   wall      wall ratio",
      "peer        10 ms        baseline",
      "mine        20 ms  2.0× (2.0–2.0)",
    ].join("\n"),
  );
  expect(barChart(report({}, { groups: [summary] }))).not.toContain("CPU 0");
});

test("what a contestant adds is paired by round, and may be negative", () => {
  const rounds = [
    [sample(1, { cpuMs: 10 }), sample(1, { cpuMs: 30 }), sample(1, { cpuMs: 20 })],
    [sample(1, { cpuMs: 12 }), sample(1, { cpuMs: 29 }), sample(1, { cpuMs: 21 })],
  ];
  const table = plainTable(summarize(group(["peer", "mine"], { showAdded: true }), rounds));
  expect(table).toContain("CPU added");
  expect(table).toContain("+1.0 ms (−1.0 ms to +2.0 ms)");
});

test("the terminal table is aligned and plain", () => {
  expect(plainTable(report({ "a long name": 60, b: 4 }).groups[0]!)).toBe(
    [
      "contestant     wall     CPU  peak RSS            wall ratio             CPU ratio",
      "a long name   60 ms   30 ms     20 MB              baseline              baseline",
      "b            4.0 ms  2.0 ms     20 MB  0.067× (0.067–0.067)  0.067× (0.067–0.067)",
    ].join("\n"),
  );
});

test("the Markdown table survives a pipe in a name", () => {
  expect(markdown(report({ "a|b": 1 }))).toContain("| a\\|b | 1.0 ms |");
});

test("the Markdown names the method, the machine and its warnings", () => {
  const { machine } = report({ a: 1 });
  const text = markdown(report({ a: 1 }, { machine: { ...machine, warnings: ["others were busy"] } }));
  expect(text).toContain("Medians of 2 interleaved rounds after 1 warm-up round, in an order shuffled");
  expect(text).toContain("2 cores · linux x64 · ext4 · bun 1.0.0 · load average 0.1 before, 0.2 after");
  expect(text).toContain("> **Note:** others were busy");
});

describe("the JSON", () => {
  test("does not depend on the order in which keys were set", () => {
    expect(stableJson({ b: { d: 1, c: 2 }, a: [{ y: 1, x: 2 }] })).toBe(
      stableJson({ a: [{ x: 2, y: 1 }], b: { c: 2, d: 1 } }),
    );
  });

  test("rounds times to four digits and keeps whole numbers whole", () => {
    expect(JSON.parse(stableJson({ a: 1.23456789, b: 123456789 }))).toEqual({ a: 1.235, b: 123456789 });
  });

  test("keeps lists of numbers on one line and strings as they are", () => {
    expect(stableJson({ list: [1, 2.5], text: "[1,   2]" })).toBe(
      '{\n  "list": [ 1, 2.5 ],\n  "text": "[1,   2]"\n}\n',
    );
  });
});

test("a report is written as JSON, Markdown and SVG, and overwrites the one before", async () => {
  await using folder = await temporaryFolder();
  await writeReport(join(folder.path, "results"), report({ old: 1 }));
  const files = await writeReport(join(folder.path, "results"), report({ fresh: 1 }));
  expect(files).toEqual(["demo.json", "demo.md", "demo.svg"]);
  expect((await readdir(join(folder.path, "results"))).sort()).toEqual(files);
  for (const file of files) {
    const text = await readFile(join(folder.path, "results", file), "utf8");
    expect(text).toContain("fresh");
    expect(text).not.toContain("old");
  }
});
