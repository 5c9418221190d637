import { expect, test } from "bun:test";
import { workflowFacts } from "../../src/entities/formats/atomic.ts";

test.each([
  ["both", 'defineGraph({ name: "x", description: "Tidies", argumentHint: "[path]" }, (g) => g)', "Tidies", "[path]"],
  ["a builder", "graph({ description: 'It\\'s \"tidy\"' })", 'It\'s "tidy"', undefined],
  ["the last before the brace", 'defineGraph({\n  name: "x",\n  description: "a\\tb"\n}, f)', "a\tb", undefined],
  ["comments between", 'defineGraph({ // description: "no"\n /* , */ description: /* x */ "yes", })', "yes", undefined],
  ["brackets before it", 'defineGraph({ arguments: { description: "no" }, description: "yes" })', "yes", undefined],
  ["brackets in texts", 'defineGraph({ name: "}", other: `{$`, description: "yes" })', "yes", undefined],
  ["what is put together", 'defineGraph({ description: "a" + b, argumentHint: hint() })', undefined, undefined],
  ["a template", "defineGraph({ description: `a` })", undefined, undefined],
  ["a constant", "defineGraph({ description, argumentHint: HINT })", undefined, undefined],
  ["escapes of JavaScript alone", 'defineGraph({ description: "\\x41" })', undefined, undefined],
  ["a key of something inside", 'defineGraph({ state: { description: "no" } })', undefined, undefined],
  ["something behind the object", 'defineGraph({ name: "x" }, { description: "no" })', undefined, undefined],
  ["no graph", 'export default { description: "no" };', undefined, undefined],
  ["an object that never closes", 'defineGraph({ description: "cut', undefined, undefined],
  ["nothing", "", undefined, undefined],
])("the facts of a module with %s", (_what, text, description, argumentHint) => {
  expect(workflowFacts(text)).toEqual({
    ...(description !== undefined && { description }),
    ...(argumentHint !== undefined && { argumentHint }),
  });
});

test("a long module costs no more than reading it", () => {
  const text = `defineGraph({ ${"nested: { a: [1, 2, (3)] }, ".repeat(20_000)} description: "far" })`;
  expect(workflowFacts(text).description).toBe("far");
});
