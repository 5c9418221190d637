import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { allNodes, mapNodes } from "../../src/graph/graph-json.ts";
import { reduceBuiltin } from "../../src/graph/interpret/memory.ts";
import { jsonOf } from "../../src/graph/json-value.ts";
import type { Json } from "../../src/run/json.ts";
import { anyPlans, builderOf } from "./plans.ts";
import { noEntities } from "./run-graph.ts";
import { sample } from "./sample.ts";

describe("plain data", () => {
  test("is what JSON returns", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonOf(value, "It")).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("is frozen at any depth, and shared with no one", () => {
    const given = { list: [{ a: 1 }] };
    const value = jsonOf(given, "It") as typeof given;
    expect(() => value.list.push({ a: 2 })).toThrow(TypeError);
    expect(() => Object.assign(value.list[0] ?? {}, { a: 2 })).toThrow(TypeError);
    given.list.push({ a: 3 });
    expect(value.list).toHaveLength(1);
  });

  test("turns undefined into null, or leaves it out", () => {
    expect(jsonOf(undefined, "It")).toBeNull();
    expect(jsonOf({ a: undefined, b: [undefined] }, "It")).toEqual({ b: [null] });
    expect(JSON.stringify(jsonOf(-0, "It"))).toBe("0");
  });

  test("keeps keys that are special to JavaScript", () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(JSON.stringify(jsonOf(value, "It"))).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(JSON.stringify(jsonOf(Object.assign(Object.create(null), { a: 1 }), "It"))).toBe('{"a":1}');
  });

  test.each<[string, unknown, string]>([
    ["NaN", Number.NaN, "It must be plain data, but it is NaN."],
    ["Infinity inside", { a: [Number.POSITIVE_INFINITY] }, 'It must be plain data, but "a[0]" is Infinity.'],
    ["a bigint", 1n, "it is a bigint."],
    ["a function", () => 1, "it is a function."],
    ["a symbol", Symbol("x"), "it is a symbol."],
    ["a date", new Date(0), "it is a Date."],
    ["a map", new Map(), "it is a Map."],
    ["an error inside", { deep: [{ er: new Error("x") }] }, '"deep[0].er" is a Error.'],
    ["a promise", Promise.resolve(1), "it is a Promise."],
  ])("is not %s", (_name, value, message) => {
    expect(() => jsonOf(value, "It")).toThrow(message);
  });

  test("does not contain itself", () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(() => jsonOf(value, "It")).toThrow('It must be plain data, but it contains itself at "self".');
    const list: unknown[] = [1, { deep: [] }];
    (list[1] as { deep: unknown[] }).deep.push(list);
    expect(() => jsonOf(list, "It")).toThrow('contains itself at "[1].deep[0]"');
  });

  test("is not deeper than any real data", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 300; level += 1) deep = [deep];
    expect(() => jsonOf(deep, "It")).toThrow("It must be plain data, but it is more than 200 levels deep.");
  });
});

describe("built-in reducers", () => {
  const values = {
    last: fc.jsonValue(),
    append: fc.array(fc.jsonValue()),
    merge: fc.dictionary(fc.string(), fc.jsonValue()),
    // Whole numbers: a sum of others depends on its order, in any language.
    sum: fc.integer(),
    max: fc.integer(),
  };
  test.each(Object.entries(values))("%s: updates can be combined with each other first", (name, value) => {
    const reducer = name as keyof typeof values;
    const any = value as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(any, any, any, (first, second, third) => {
        const one = reduceBuiltin(reducer, reduceBuiltin(reducer, first, second), third);
        const other = reduceBuiltin(reducer, first, reduceBuiltin(reducer, second, third));
        expect(one).toEqual(other);
      }),
    );
  });
});

describe("walking", () => {
  test("visits every node once, outer nodes first", () => {
    const ids = [...allNodes(sample().json.nodes)].map(({ id }) => id);
    expect(ids.slice(0, 5)).toEqual(["try", "agent-researcher", "reviews", "security", "command-test"]);
    const written = JSON.stringify(sample().json.nodes, (key, value) => (key === "graph" ? undefined : value));
    expect(ids.toSorted()).toEqual([...written.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => String(id)).sort());
  });

  test("changes nothing, or every id", () => {
    fc.assert(
      fc.property(anyPlans, (plan) => {
        const { nodes } = builderOf(plan).compile(noEntities).json;
        expect(mapNodes(nodes, (node) => node)).toEqual(nodes);
        const renamed = mapNodes(nodes, (node) => ({ ...node, id: `${node.id}x` }));
        expect([...allNodes(renamed)].map(({ id }) => id)).toEqual([...allNodes(nodes)].map(({ id }) => `${id}x`));
      }),
      { numRuns: 100 },
    );
  });
});
