// Values that are too large for a record: kept in parts, each once.
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { BlobRef, Stored } from "../../src/run/events.ts";
import type { Json } from "../../src/run/json.ts";
import { cut, loadAt, loadStored, savePiece, sizeOf } from "../../src/run/large-value.ts";

/** What was kept, by its hash. */
class Shelf {
  readonly texts = new Map<string, string>();

  readonly save = async (text: string): Promise<BlobRef> => {
    const blob = `sha256:${createHash("sha256").update(text).digest("hex")}` as const;
    this.texts.set(blob, text);
    return { blob, bytes: Buffer.byteLength(text) };
  };

  readonly load = ({ blob }: BlobRef): Json => JSON.parse(this.texts.get(blob)!) as Json;

  async keep(value: unknown, inlineBytes = 100): Promise<Stored> {
    return (await savePiece(cut(value, inlineBytes)!, inlineBytes, this.save)).stored;
  }

  get bytes(): number {
    return [...this.texts.values()].reduce((sum, text) => sum + text.length, 0);
  }
}

const long = (letter: string): string => letter.repeat(1000);

test("what is in two places is kept once", async () => {
  const shelf = new Shelf();
  const value = { output: long("a"), update: { text: long("a"), list: [long("b"), "short"] } };
  const stored = await shelf.keep(value, 600);
  expect(stored).toMatchObject({ rest: { output: null, update: { text: null, list: [null, "short"] } } });
  expect([...shelf.texts.values()].map((text) => text.length)).toEqual([1002, 1002]);
  expect(loadStored(stored, shelf.load)).toEqual(value);
  // The record is not changed by reading it.
  expect(stored).toMatchObject({ rest: { output: null } });
});

test("a result of other results adds references only", async () => {
  const shelf = new Shelf();
  const results = Array.from({ length: 200 }, (_, at) => ({ output: `${at}${long("x")}` }));
  for (const result of results) await shelf.keep(result);
  const before = shelf.bytes;
  const outputs = Object.fromEntries(results.map(({ output }, at) => [`node-${at}`, output]));
  const stored = await shelf.keep({ state: { all: results.map(({ output }) => output) }, outputs });
  expect(stored).toMatchObject({ split: true });
  expect(shelf.bytes - before).toBeLessThan(before / 2);
  expect(loadStored(stored, shelf.load)).toEqual({ state: { all: Object.values(outputs) }, outputs });
});

test("what an earlier version kept as one value is read as it was", async () => {
  const shelf = new Shelf();
  const value = { output: long("a"), update: { text: long("a") } };
  const stored: Stored = await shelf.save(JSON.stringify(value));
  expect(loadStored(stored, shelf.load)).toEqual(value);
  expect(loadAt(stored, ["update", "text"], shelf.load)).toBe(long("a"));
});

test("a text in several places is loaded once, and an object is not shared", async () => {
  const shelf = new Shelf();
  const list = Array.from({ length: 40 }, (_, at) => `item ${at}`);
  const stored = await shelf.keep({ state: { text: long("a"), list }, outputs: { text: long("a"), list } });
  const loaded: number[] = [];
  const load = (ref: BlobRef): Json => {
    loaded.push(ref.bytes);
    return shelf.load(ref);
  };
  const read = loadStored(stored, load) as Record<"state" | "outputs", { text: string; list: string[] }>;
  expect(loaded.filter((bytes) => bytes === 1002)).toHaveLength(1);
  read.state.list.push("mine");
  expect(read.outputs).toEqual({ text: long("a"), list });
});

test("only what is at a path is loaded", async () => {
  const shelf = new Shelf();
  const inner = { text: long("c"), list: [long("d"), 4] };
  const stored = await shelf.keep({ a: long("a"), b: { c: inner, e: 5 } });
  const loaded: number[] = [];
  const load = (ref: BlobRef): Json => {
    loaded.push(ref.bytes);
    return shelf.load(ref);
  };
  expect(loadAt(stored, ["b", "c", "text"], load)).toBe(inner.text);
  expect(loadAt(stored, ["b", "c"], load)).toEqual(inner);
  expect(loadAt(stored, ["b", "e"], load)).toBe(5);
  expect(loadAt(stored, ["a"], load)).toBe(long("a"));
  expect(loaded.filter((bytes) => bytes === 1002)).toHaveLength(4);
  for (const path of [["x"], ["b", "x"], ["a", "x"], ["b", "e", "x"]]) {
    expect([path, loadAt(stored, path, load)]).toEqual([path, undefined]);
  }
});

test("parts that come later are waited for", async () => {
  const shelf = new Shelf();
  const value = { a: long("a"), b: [{ c: long("c") }] };
  const stored = await shelf.keep(value);
  expect(await loadStored(stored, async (ref) => shelf.load(ref))).toEqual(value);
});

test("the size of a value counts equal texts once", () => {
  expect(sizeOf(cut([long("a"), long("a")], 100)!)).toBeLessThan(1500);
  expect(sizeOf(cut([long("a"), long("b")], 100)!)).toBeGreaterThan(2000);
});

describe("like JSON itself", () => {
  test.each<[string, unknown]>([
    ["numbers that JSON has not", [long("a"), -0, Number.NaN, Number.POSITIVE_INFINITY]],
    ["what is left out", { a: undefined, b: () => 1, c: Symbol("s"), d: long("d") }],
    ["holes and functions in a list", sparse()],
    ["dates, maps and boxed values", { at: new Date(0), map: new Map([["a", 1]]), n: Object(1), long: long("x") }],
    ["a toJSON that asks for its key", { name: { toJSON: (key: string) => `${key}${long("k")}` } }],
    ["keys that mean something else", JSON.parse(`{"__proto__": {"x": "${long("p")}"}, "constructor": 1}`)],
    ["what is nested deeply", nested(500)],
  ])("%s", async (_what, value) => {
    const shelf = new Shelf();
    const read = loadStored(await shelf.keep(value), shelf.load);
    expect(JSON.stringify(read)).toBe(JSON.stringify(value));
  });

  test("a circle is refused", () => {
    const circle: { self?: unknown; text: string } = { text: long("c") };
    circle.self = circle;
    expect(() => cut(circle, 100)).toThrow(TypeError);
    expect(() => cut({ big: 1n, text: long("c") }, 100)).toThrow(TypeError);
  });

  test("any value is read as it was written, however small its parts may be", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 200 }), async (value, inlineBytes) => {
        const shelf = new Shelf();
        const read = await loadStored(await shelf.keep(value, inlineBytes), shelf.load);
        expect(JSON.stringify(read)).toBe(JSON.stringify(value));
      }),
    );
  });
});

function sparse(): unknown[] {
  const list: unknown[] = [long("a"), undefined];
  list[4] = () => 1;
  return list;
}

function nested(depth: number): unknown {
  let value: unknown = long("n");
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { inner: value };
  return value;
}
