// The rules of comment ownership on random lists, checked by labels: each comment carries the number of its owner.
import { expect, setDefaultTimeout, test } from "bun:test";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import fc from "fast-check";

// These tests do a lot of work without waiting: the limit only stops a run that hangs.
setDefaultTimeout(120_000);

interface Entry {
  readonly heading: boolean;
  readonly above: number;
  readonly beforeComma: boolean;
  readonly after: "none" | "block" | "line";
}

const entry: fc.Arbitrary<Entry> = fc.record({
  heading: fc.boolean(),
  above: fc.nat(2),
  beforeComma: fc.boolean(),
  after: fc.constantFrom("none", "block", "line"),
});

/** A list of numbers, one a line. A comment is labeled `of 3`, or `of none` if it belongs to no item. */
const list = fc
  .record({
    entries: fc.array(entry, { minLength: 1, maxLength: 5 }),
    opener: fc.boolean(),
    dangling: fc.boolean(),
    trailingComma: fc.boolean(),
    commaFirst: fc.boolean(),
    eol: fc.constantFrom("\n", "\r\n", "\r"),
  })
  .map(({ entries, opener, dangling, trailingComma, commaFirst, eol }) => {
    const lines = [opener ? "[ // of none" : "["];
    for (const [i, { heading, above, beforeComma, after }] of entries.entries()) {
      if (heading) lines.push("", "  // of none", "");
      for (let n = 0; n < above; n++) lines.push(n % 2 ? `  /* of ${i} */` : `  // of ${i}`);
      const isLast = i === entries.length - 1;
      const comma = !commaFirst && (!isLast || trailingComma) ? "," : "";
      const tail = { none: "", block: ` /* of ${i} */`, line: ` // of ${i}` }[after];
      lines.push(`  ${commaFirst && i > 0 ? ", " : ""}${i}${beforeComma ? ` /* of ${i} */` : ""}${comma}${tail}`);
    }
    if (dangling) lines.push("  // of none");
    return { text: [...lines, "]"].join(eol), count: entries.length };
  });

function labels(text: string): readonly string[] {
  return parseJsonc(text).comments.map(({ start, end }) => /of (\w+)/.exec(text.slice(start, end))![1]!);
}

test("removing an item removes its comments and no others", () => {
  fc.assert(
    fc.property(list, ({ text, count }) => {
      for (let i = 0; i < count; i++) {
        const removed = editJsonc(text, [{ op: "remove", path: [i] }]);
        expect(labels(removed)).toEqual(labels(text).filter((label) => label !== String(i)));
      }
    }),
    { numRuns: 1000 },
  );
});

test("inserting an item changes the owner of no comment", () => {
  fc.assert(
    fc.property(list, ({ text, count }) => {
      for (let index = 0; index <= count; index++) {
        const inserted = editJsonc(text, [{ op: "insert", path: [], value: "new", index }]);
        expect(labels(inserted)).toEqual(labels(text));
        for (let i = 0; i <= count; i++) {
          const gone = i === index ? "the new one" : String(i < index ? i : i - 1);
          const removed = editJsonc(inserted, [{ op: "remove", path: [i] }]);
          expect(labels(removed)).toEqual(labels(text).filter((label) => label !== gone));
        }
      }
    }),
    { numRuns: 500 },
  );
});
