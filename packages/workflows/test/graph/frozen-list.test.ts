import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { toolNode } from "../../src/graph/action-nodes.ts";
import { graph } from "../../src/graph/builder.ts";
import { appended } from "../../src/graph/interpret/memory.ts";
import { append } from "../../src/graph/state.ts";
import { noEntities, runGraph } from "./run-graph.ts";

const start = Object.freeze([1, 2]);

describe("a list that has been appended to", () => {
  const list = appended(appended(start, [3]), [{ four: 4 }]);
  const plain = [1, 2, 3, { four: 4 }];

  test("is a list like any other", () => {
    expect(Array.isArray(list)).toBe(true);
    expect(list).toHaveLength(4);
    expect([...list]).toEqual(plain);
    expect(list.map((each) => each)).toEqual(plain);
    expect(list.at(-1)).toEqual({ four: 4 });
    expect(list.slice(1, 3)).toEqual([2, 3]);
    expect([0].concat(list as number[])).toEqual([0, ...plain] as number[]);
    expect([list.includes(3), list.indexOf(3), list.includes(5)]).toEqual([true, 2, false]);
    expect(JSON.stringify(list)).toBe(JSON.stringify(plain));
    expect(isDeepStrictEqual(list, plain)).toBe(true);
    expect(Object.keys(list)).toEqual(["0", "1", "2", "3"]);
    expect(Object.entries(list)).toEqual(Object.entries(plain));
    expect([3 in list, 4 in list, "3" in list, "map" in list, "length" in list]).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
    expect([list[4], list[-1], list[1.5], (list as unknown as Record<string, unknown>)["01"]]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    expect({ ...list }).toEqual({ ...plain });
    expect(list.toString()).toBe(plain.toString());
  });

  test("is frozen", () => {
    const open = list as unknown[];
    const attempts: (() => unknown)[] = [
      () => open.push(5),
      () => open.pop(),
      () => open.sort(),
      () => open.splice(0, 1),
      () => {
        open[0] = 9;
      },
      () => {
        open[7] = 9;
      },
      () => {
        open.length = 0;
      },
      () => {
        delete open[0];
      },
      () => Object.defineProperty(open, 0, { value: 9 }),
      () => Object.setPrototypeOf(open, null),
    ];
    for (const attempt of attempts) expect(attempt).toThrow(TypeError);
    expect(list).toEqual(plain);
    expect(Object.isFrozen(list)).toBe(true);
    expect(Object.freeze(list)).toBe(list);
    for (const attempt of attempts) expect(attempt).toThrow(TypeError);
    expect(list).toEqual(plain);
    expect(Object.getOwnPropertyDescriptor(list, 0)).toEqual({
      value: 1,
      writable: false,
      enumerable: true,
      configurable: false,
    });
  });

  test("does not change when others append to it", () => {
    const base = appended(start, [3]);
    const [left, right] = [appended(base, ["l"]), appended(base, ["r"])];
    const [longer, another] = [appended(left, ["l2"]), appended(right, ["r2"])];
    expect([base, left, right, longer, another].map((each) => [...each])).toEqual([
      [1, 2, 3],
      [1, 2, 3, "l"],
      [1, 2, 3, "r"],
      [1, 2, 3, "l", "l2"],
      [1, 2, 3, "r", "r2"],
    ]);
    expect(appended(undefined, ["first"])).toEqual(["first"]);
    expect(appended(start, [])).toEqual([1, 2]);
  });

  test("appends without reading the existing items", () => {
    // Counted, not timed: copying a list would read its items.
    let reads = 0;
    const counted = new Proxy(Array.from({ length: 1000 }, (_, n) => n) as readonly number[], {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    let grown = appended(counted, [0]);
    const first = reads;
    for (let n = 0; n < 1000; n++) grown = appended(grown, [n]);
    expect(reads).toBe(first);
    expect(grown).toHaveLength(2001);
  });
});

test("a function keeps the list that it saw, and branches have separate lists", async () => {
  const shown: (readonly string[])[] = [];
  const add = (id: string) =>
    toolNode<{ readonly list: readonly string[] }>({
      id,
      run: ({ list }) => {
        shown.push(list);
        return id;
      },
      into: "list",
    });
  const compiled = graph({ name: "x", state: { list: append<string>(["first"]) } })
    .start(add("a"))
    .parallel({
      branches: [
        [add("b"), add("c")],
        [add("d"), add("e")],
      ],
    })
    .then(add("f"))
    .compile(noEntities);
  const { result } = await runGraph(compiled);
  expect(result.state.list).toEqual(["first", "a", "b", "c", "d", "e", "f"]);
  expect(shown.map((list) => list.join(" ")).sort()).toEqual([
    "first",
    "first a",
    "first a",
    "first a b",
    "first a b c d e",
    "first a d",
  ]);
  for (const list of shown) expect(Object.isFrozen(list)).toBe(true);
});

test("a loop that appends in every iteration does not copy the whole list each time", async () => {
  const turns = 1000;
  const compiled = graph({ name: "x", state: { list: append<number>() } })
    .loop(toolNode<{ readonly list: readonly number[] }>({ id: "s", run: ({ list }) => list.length, into: "list" }), {
      until: ({ list }) => list.length >= turns,
      maxIterations: turns,
    })
    .compile(noEntities);
  // Counted, not timed: to freeze a list takes as long as it is.
  const { freeze } = Object;
  let frozen = 0;
  Object.freeze = ((value: unknown) => {
    if (Array.isArray(value)) frozen += value.length;
    return freeze(value);
  }) as typeof freeze;
  try {
    const { result } = await runGraph(compiled);
    expect(result.state.list).toHaveLength(turns);
  } finally {
    Object.freeze = freeze;
  }
  expect(frozen).toBeLessThan(10 * turns);
});
