import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import { nodeAt } from "@atomic/durable-files/jsonc/path";
import { toValue } from "@atomic/durable-files/jsonc/value";
import fc from "fast-check";
import { containersOf, memberPaths } from "./places.ts";
import { randomDocument } from "./random-jsonc.ts";
import { roundTrips } from "./round-trip.ts";

// These tests do a lot of work without waiting: the limit only stops a run that hangs.
setDefaultTimeout(120_000);

const jsonOf = (text: string) => JSON.stringify(toValue(parseJsonc(text).root!));

function commentsOf(text: string): readonly string[] {
  return parseJsonc(text).comments.map(({ start, end }) => text.slice(start, end));
}

describe("any document", () => {
  test("means what JSON.parse returns for the same data without comments", () => {
    fc.assert(
      fc.property(randomDocument, ({ text, plain }) => {
        expect(jsonOf(text)).toBe(JSON.stringify(JSON.parse(plain)));
      }),
      { numRuns: 1000 },
    );
  });

  test("is byte-identical after inserting and removing, at every place", () => {
    fc.assert(
      fc.property(randomDocument, fc.jsonValue({ maxDepth: 2 }), ({ text }, value) => {
        for (const { what, back } of roundTrips(text, value as string)) expect(back, what).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("keeps all other data, in its order, when something is inserted", () => {
    fc.assert(
      fc.property(randomDocument, ({ text, plain }) => {
        for (const { path, container } of containersOf(parseJsonc(text))) {
          const expected = JSON.parse(plain);
          const target = path.reduce((value, segment) => value[segment], expected);
          if (container.kind === "array") target.unshift("new");
          else target["new key"] = "new";
          const edit: Edit =
            container.kind === "array"
              ? { op: "insert", path, value: "new", index: 0 }
              : { op: "set", path: [...path, "new key"], value: "new" };
          expect(jsonOf(editJsonc(text, [edit]))).toBe(JSON.stringify(expected));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("keeps all comments when something is inserted", () => {
    fc.assert(
      fc.property(randomDocument, ({ text }) => {
        for (const { inserted } of roundTrips(text, "x")) expect(commentsOf(inserted)).toEqual(commentsOf(text));
      }),
      { numRuns: 200 },
    );
  });

  test("loses exactly the member that is removed", () => {
    fc.assert(
      fc.property(randomDocument, ({ text, plain }) => {
        for (const path of memberPaths(parseJsonc(text))) {
          const expected = JSON.parse(plain);
          const parent = path.slice(0, -1).reduce((value, segment) => value[segment], expected);
          if (Array.isArray(parent)) parent.splice(path.at(-1) as number, 1);
          else delete parent[path.at(-1)!];
          expect(jsonOf(editJsonc(text, [{ op: "remove", path }]))).toBe(JSON.stringify(expected));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("changes only between the ends of the value that is replaced", () => {
    fc.assert(
      fc.property(randomDocument, fc.jsonValue({ maxDepth: 2 }), ({ text }, value) => {
        for (const path of memberPaths(parseJsonc(text))) {
          const node = nodeAt(parseJsonc(text), path)!;
          const replaced = editJsonc(text, [{ op: "set", path, value: value as string }]);
          expect(replaced.slice(0, node.start)).toBe(text.slice(0, node.start));
          expect(replaced).toEndWith(text.slice(node.end));
          expect(JSON.stringify(toValue(nodeAt(parseJsonc(replaced), path)!))).toBe(JSON.stringify(value));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("is refused with line and column, or is whole, when it is cut off anywhere", () => {
    fc.assert(
      fc.property(randomDocument, ({ text }) => {
        const { root } = parseJsonc(text);
        if (root!.kind === "number") return;
        for (let length = 0; length < root!.end; length++) {
          const cut = text.slice(0, length);
          const refused = expect.objectContaining({ code: "syntax", at: expect.stringMatching(/^f:\d+:\d+$/) });
          expect(() => parseJsonc(cut, { file: "f", empty: "refuse" })).toThrow(refused);
          expect(() => editJsonc(cut, [{ op: "set", path: ["new"], value: 1 }], { file: "f" })).toThrow(refused);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("with one character changed either parses or is refused with line and column", () => {
    const mutation = fc.tuple(
      fc.nat(),
      fc.constantFrom("", "\n", '"', ",", "]", "}", "/", "*", "\\", "0", "\u0000", "x"),
    );
    fc.assert(
      fc.property(randomDocument, mutation, ({ text }, [at, char]) => {
        const offset = at % text.length;
        const changed = text.slice(0, offset) + char + text.slice(offset + 1);
        try {
          parseJsonc(changed, { file: "f" });
        } catch (error) {
          expect(error).toMatchObject({ code: "syntax", at: expect.stringMatching(/^f:\d+:\d+$/) });
        }
      }),
      { numRuns: 2000 },
    );
  });
});
