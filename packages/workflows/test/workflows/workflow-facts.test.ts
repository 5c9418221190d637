import { expect, test } from "bun:test";
import { workflowFacts } from "../../src/entities/formats/workflow-facts.ts";

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

test.each([
  ["a rest", "arguments: { version: { type: 'rest', required: true, description: `any` + text } }", "<version>"],
  [
    "every type",
    "arguments: { a: { type: 'string' }, maxN: { type: 'number' }, 'dry': { type: 'boolean', }, }",
    "--a <text> | --max-n <n> | --dry",
  ],
  [
    "a value's name",
    "arguments: { a: { value: 'path', type: 'string', default: join('a', 'b') } } as const",
    "[--a <path>]",
  ],
  ["a hint of its own", "arguments: { a: { type: 'string' } }, argumentHint: '[x]'", "[x]"],
  ["a computed hint", "arguments: { a: { type: 'string' } }, argumentHint: hint()", undefined],
  [
    "a prototype's name",
    "arguments: { __proto__: { type: 'rest' }, constructor: { type: 'boolean' } }",
    "[__proto__] | --constructor",
  ],
  ["a name in brackets", "arguments: { ['a' + b]: { type: 'string' } }", undefined],
  ["a constant", "arguments: shared", undefined],
  ["a shorthand", "arguments: { path }", undefined],
  ["a spread", "arguments: { a: { type: 'string' }, ...shared }", undefined],
  ["a spread in one", "arguments: { a: { type: 'string', ...shared } }", undefined],
  ["a computed type", "arguments: { a: { type: kind } }", undefined],
  ["an unknown type", "arguments: { a: { type: 'date' } }", undefined],
  ["a computed value", "arguments: { a: { type: 'string', value: name } }", undefined],
  ["a computed must", "arguments: { a: { type: 'rest', required: !isOptional } }", undefined],
  ["a function", "arguments: { a() { return { type: 'string' }; } }", undefined],
  ["none", "arguments: {}", undefined],
])("the hint of arguments with %s", (_what, written, argumentHint) => {
  expect(workflowFacts(`export default defineGraph({ name: "x", ${written} }, (g) => g)`).argumentHint).toBe(
    argumentHint!,
  );
});

test.each([
  [
    "above it",
    "const args = { path: { type: 'rest' } } as const;\nexport default defineGraph({ arguments: args })",
    "[path]",
  ],
  [
    "below it",
    "export default defineGraph({ arguments: a$ })\nexport const a$: Args = { b: { type: 'boolean' } };",
    "[--b]",
  ],
  [
    "that is computed",
    "const args = argumentsOf({ path: { type: 'rest' } });\ndefineGraph({ arguments: args })",
    undefined,
  ],
  ["with a spread", "const args = { ...shared };\ndefineGraph({ arguments: args })", undefined],
  [
    "of a function",
    "function f() {\n  const args = { a: { type: 'rest' } };\n}\ndefineGraph({ arguments: args })",
    undefined,
  ],
])("the hint of arguments in a constant %s", (_where, text, argumentHint) => {
  expect(workflowFacts(text).argumentHint).toBe(argumentHint!);
});

test("a long module costs no more than reading it", () => {
  const text = `defineGraph({ ${"nested: { a: [1, 2, (3)] }, ".repeat(20_000)} description: "far" })`;
  expect(workflowFacts(text).description).toBe("far");
});
