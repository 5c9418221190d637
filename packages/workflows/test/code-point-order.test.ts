import { expect, test } from "bun:test";
import fc from "fast-check";
import { codePointOrder } from "../src/entities/code-point-order.ts";

test("texts are sorted like their UTF-8 bytes, with and without surrogates", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 4 }),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.string({ unit: fc.constantFrom("a", "é", "\ud7ff", "\ue000", "\uffff", "😀"), maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (texts) => {
      const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect([...texts].sort(codePointOrder(texts))).toEqual([...texts].sort(bytes));
    }),
    { numRuns: 2_000 },
  );
});
