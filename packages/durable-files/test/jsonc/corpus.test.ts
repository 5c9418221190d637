import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { DurableError } from "@atomic/durable-files/errors";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { findDuplicates } from "@atomic/durable-files/jsonc/part";
import { toValue } from "@atomic/durable-files/jsonc/value";
import { corpus } from "./corpus.ts";
import { memberPaths } from "./places.ts";
import { roundTrips } from "./round-trip.ts";

// These tests do a lot of work without waiting: the limit only stops a run that hangs.
setDefaultTimeout(120_000);

const VALUES = ["x@1.0.0", ["x@1.0.0", { option: [1, { deep: true }] }], { a: {}, b: [] }];

test("the corpus is large and holds what breaks other tools", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(50);
  const all = corpus.map(({ text }) => text);
  for (const feature of ["\ufeff", "\r\n", "\t", "//", "/*", "😀", "\\ud83d", "__proto__"]) {
    expect(all.some((text) => text.includes(feature))).toBeTrue();
  }
  expect(all.some((text) => /\r(?!\n)/.test(text))).toBeTrue();
  expect(all.some((text) => !/[\r\n]$/.test(text))).toBeTrue();
  expect(corpus.filter(({ text }) => findDuplicates(parseJsonc(text)).length > 0)).toHaveLength(2);
});

describe.each(corpus)("$name", ({ name, text }) => {
  test("means the same to Bun's own reader of JSONC", () => {
    const { root } = parseJsonc(text, { file: name });
    expect(JSON.stringify(toValue(root!))).toBe(JSON.stringify(Bun.JSONC.parse(text.replace(/^\ufeff/, ""))));
  });

  test("is the same, byte for byte, after inserting and removing anywhere", () => {
    for (const value of VALUES) {
      for (const { what, inserted, back } of roundTrips(text, value)) {
        expect(inserted, what).not.toBe(text);
        expect(back, what).toBe(text);
      }
    }
  });

  test("takes every replacement and every removal", () => {
    for (const path of memberPaths(parseJsonc(text))) {
      const replaced = editJsonc(text, [{ op: "set", path, value: { other: "value" } }]);
      expect(editJsonc(replaced, [{ op: "remove", path }])).toBe(editJsonc(text, [{ op: "remove", path }]));
    }
  });

  test("is refused with line and column when it was cut off", () => {
    const { root } = parseJsonc(text);
    for (let length = 0; length < root!.end; length++) {
      for (const read of readers) {
        const error = refusal(() => read(text.slice(0, length)));
        // A number is the one value of which a part can be whole, so a file of this corpus is never only a number.
        expect(error, `${length} characters were accepted`).toBeInstanceOf(DurableError);
        expect(error).toMatchObject({ code: "syntax" });
        expect(error!.at).toMatch(/^opencode\.json:\d+:\d+$/);
        expect(error!.message).toStartWith(`${error!.at}: `);
      }
    }
  });
});

const readers: ((text: string) => unknown)[] = [
  (text) => parseJsonc(text, { file: "opencode.json", empty: "refuse" }),
  (text) => editJsonc(text, [{ op: "set", path: ["new key"], value: 1 }], { file: "opencode.json" }),
];

function refusal(read: () => unknown): DurableError | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof DurableError) return error;
    throw error;
  }
  return undefined;
}
