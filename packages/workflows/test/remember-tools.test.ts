import { expect, test } from "bun:test";
import fc from "fast-check";
import { rememberTools } from "../src/entities/formats/markdown.ts";
import { normalizePermission } from "../src/entities/normalize/permission.ts";
import { combineTools, type NormalizedTools } from "../src/entities/normalize/restrictions.ts";
import { normalizeTools } from "../src/entities/normalize/tools.ts";

test("the same words are not read twice", () => {
  let reads = 0;
  const read = rememberTools((values) => {
    reads += 1;
    return opencodeTools(values);
  });
  const first = read({ tools: ["read", "grep"] });
  expect(read({ tools: ["read", "grep"], name: "another" })).toBe(first);
  expect(reads).toBe(1);
});

const word = fc.oneof(fc.constantFrom("read", "bash", "", "*", "\0", "a\0b", "deny", "allow"), fc.string());
const value = fc.oneof(
  word,
  fc.array(fc.oneof(word, fc.constant(null), fc.integer(), fc.array(word))),
  fc.dictionary(word, fc.oneof(word, fc.boolean(), fc.dictionary(word, word))),
  fc.constantFrom(undefined, null, true, 1, Number.NaN),
);
const values = fc.record({ tools: value, permission: value }, { requiredKeys: [] });

test("remembering never changes a result, whatever was read before", () => {
  fc.assert(
    fc.property(fc.array(values, { minLength: 2, maxLength: 20 }), (files) => {
      const read = rememberTools(opencodeTools);
      for (const file of files) expect(read(file)).toEqual(opencodeTools(file));
    }),
    { numRuns: 2_000 },
  );
});

function opencodeTools(values: Readonly<Record<string, unknown>>): NormalizedTools {
  return combineTools(normalizeTools(values.tools, { provider: "opencode" }), normalizePermission(values.permission));
}
