import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PluginEntry } from "../../src/opencode/read-config.ts";
import { type DisabledEntry, indexFor, pluginOrder } from "../../src/workspace/plugin-arrays.ts";

describe("the order of a plugin array", () => {
  test("a disabled plugin keeps its position between the others", () => {
    const order = pluginOrder(array("a", "c"), [{ workflow: "b", position: 1 }]);
    expect(order.map((position) => ("entry" in position ? position.entry.spec : `(${position.absent})`))).toEqual([
      "a",
      "(b)",
      "c",
    ]);
  });

  test("a position past the end of a shortened array is its end", () => {
    expect(indexFor("z", array("a"), [{ workflow: "z", position: 7 }])).toBe(1);
  });

  test("others that stay disabled do not count", () => {
    const absent = ["a", "b", "c"].map((workflow, position) => ({ workflow, position }));
    expect(indexFor("c", array("d"), absent)).toBe(0);
    expect(indexFor("d", array("a"), [...absent.slice(1), { workflow: "d", position: 3 }])).toBe(1);
  });

  test("the order is restored, in whatever order plugins are disabled and enabled", () => {
    const names = ["a", "b", "c", "d", "e"];
    const order = fc.shuffledSubarray(names, { minLength: 0, maxLength: 5 });
    fc.assert(
      fc.property(order, fc.nat(), (disabled, seed) => {
        let entries = array(...names);
        let absent: DisabledEntry[] = [];
        for (const name of disabled) {
          const position = pluginOrder(entries, absent).findIndex(
            (each) => "entry" in each && each.entry.spec === name,
          );
          absent = [...absent, { workflow: name, position }];
          entries = array(...entries.map(({ spec }) => spec).filter((spec) => spec !== name));
        }
        for (const name of disabled.toSorted((a, b) => rank(a, seed) - rank(b, seed))) {
          const specs = entries.map(({ spec }) => spec);
          specs.splice(indexFor(name, entries, absent), 0, name);
          entries = array(...specs);
          absent = absent.filter(({ workflow }) => workflow !== name);
        }
        expect(entries.map(({ spec }) => spec)).toEqual(names);
      }),
    );
  });
});

function rank(name: string, seed: number): number {
  return ((name.charCodeAt(0) * 7919 + seed) * 31) % 101;
}

function array(...specs: string[]): PluginEntry[] {
  return specs.map((spec, index) => ({ file: "/opencode.json", index, spec, isTuple: false }));
}
