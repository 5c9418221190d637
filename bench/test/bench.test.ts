import { describe, expect, test } from "bun:test";
import { bench } from "../harness/bench.ts";
import { loadWarnings } from "../harness/machine.ts";
import { group } from "./figures.ts";

const words = { title: "Demo", about: "" };

describe("a bench definition", () => {
  test("comes back as it is when its names fit together", () => {
    const definition = { ...words, groups: [group(["a", "b"])] };
    expect(bench(definition)).toBe(definition);
  });

  test("without a group is refused", () => {
    expect(() => bench({ ...words, groups: [] })).toThrow('bench "Demo" has no group');
  });

  test("with two contestants of one name is refused", () => {
    expect(() => bench({ ...words, groups: [group(["a", "b", "a"])] })).toThrow('two contestants named "a"');
  });

  test("with an unknown baseline is refused with the known names", () => {
    const groups = [group(["a", "b"], { baseline: "c" })];
    expect(() => bench({ ...words, groups })).toThrow('baseline is "c", but the contestants are a, b');
  });

  test("with a claim about an unknown contestant is refused", () => {
    const contestants = [{ name: "a", run: () => 0, expectRatio: { of: "z", atMost: 1 } }];
    expect(() => bench({ ...words, groups: [group(["a"], { contestants })] })).toThrow(
      'expectRatio.of of "a" is "z", but the contestants are a',
    );
  });
});

describe("load", () => {
  test.each([
    { cores: 2, before: 0.9, after: 1.9, warned: false },
    { cores: 2, before: 1.2, after: 1.2, warned: true },
    { cores: 2, before: 0.1, after: 2.5, warned: true },
    { cores: 8, before: 3.5, after: 4.5, warned: false },
  ])("$before before and $after after on $cores cores is warned about: $warned", (row) => {
    expect(loadWarnings(row.cores, row.before, row.after).length > 0).toBe(row.warned);
  });
});
