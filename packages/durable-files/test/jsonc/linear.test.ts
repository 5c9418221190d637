// Counts what the code reads instead of measuring time: a count is the same on a slow and on a busy machine.
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Edit, editJsonc } from "@atomic/durable-files/jsonc/edit";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";

// These tests do a lot of work without waiting: the limit only stops a run that hangs.
setDefaultTimeout(120_000);

/** Characters looked at or copied while `work` runs. */
function charactersRead(work: () => void): number {
  const { charCodeAt, slice } = String.prototype;
  let count = 0;
  String.prototype.charCodeAt = function (this: string, index: number) {
    count++;
    return charCodeAt.call(this, index);
  };
  String.prototype.slice = function (this: string, ...range: [number?, number?]) {
    const part = slice.apply(this, range);
    count += part.length;
    return part;
  };
  try {
    work();
  } finally {
    Object.assign(String.prototype, { charCodeAt, slice });
  }
  return count;
}

const SIZE = 4_000;
const documents: readonly [string, (size: number) => string][] = [
  ["one long line", (size) => `{"plugin":[${'"name@1.0.0",'.repeat(size)}{}],"x":[${"[],".repeat(size)}]}`],
  ["one item a line", (size) => `{\n  "plugin": [${'\n    "n", // why'.repeat(size)}\n  ]\n}`],
  ["many keys", (size) => `{\n${Array.from({ length: size }, (_, i) => `  "key ${i}": {}`).join(",\n")}\n}`],
  ["comments only", (size) => `{"plugin": [${"/* x */ // y\n".repeat(size)}]}`],
  ["blank lines", (size) => `{"plugin": [${" \n".repeat(size)}"a"${" \n".repeat(size)},${" \n".repeat(size)}]}`],
  ["one long string", (size) => `{"plugin": ["${"\\u0041b".repeat(size)}"]}`],
  ["nested on one line", (size) => `{"plugin":[${`${"[".repeat(50)}${"]".repeat(50)},`.repeat(size / 50)}]}`],
];
const edits: readonly Edit[] = [
  { op: "insert", path: ["plugin"], value: ["x", { a: 1 }] },
  { op: "insert", path: ["plugin"], value: "y", index: 0 },
  { op: "remove", path: ["plugin", 0] },
  { op: "set", path: ["z"], value: { a: [1] } },
];

test.each(documents)("reading and editing %s costs twice as much for twice the text", (_, make) => {
  const [small, large] = [make(SIZE), make(2 * SIZE)];
  for (const work of [parseJsonc, (text: string) => editJsonc(text, edits)]) {
    const once = charactersRead(() => work(small));
    expect(once).toBeGreaterThan(small.length / 10);
    expect(charactersRead(() => work(large))).toBeLessThan(2.1 * once);
  }
});

test("an error at the end of a long text costs one more reading", () => {
  const [small, large] = [SIZE, 2 * SIZE].map((size) => `[${"1,\n".repeat(size)}x`);
  const read = (text: string) => charactersRead(() => expect(() => parseJsonc(text)).toThrow("expected a value"));
  expect(read(large!)).toBeLessThan(2.1 * read(small!));
});

test("a file of five megabytes is read and edited", () => {
  const text = `[\n${'  { "name": "value", "list": [1, 2, 3] }, // entry\n'.repeat(100_000)}]\n`;
  expect(text.length).toBeGreaterThan(5_000_000);
  const edited = editJsonc(text, [{ op: "insert", path: [], value: "new" }]);
  expect(edited).toEndWith('// entry\n  "new",\n]\n');
  expect(edited.length).toBe(text.length + '\n  "new",'.length);
});
