import { expect, test } from "bun:test";
import { changedCode, describeChangedCode } from "../../src/trust/capabilities/changed-code.ts";
import { tree } from "../tree.ts";

const before = {
  "index.js": "a();\nb();\nc();\n",
  "lib/same.js": "x();\n",
  "run.sh": "ls\n",
  "README.md": "old\n",
  "tool.bin": Buffer.from([0, 1]),
};

const reportFor = (after: Readonly<Record<string, string | Uint8Array>>) =>
  describeChangedCode(changedCode(tree(before), tree(after)));

test("an update that changes no code reports nothing", () => {
  expect(reportFor({ ...before, "README.md": "new\n", "agents/a.md": "Hi\n" })).toBeUndefined();
});

test("changed code is reported with its line counts", () => {
  expect(reportFor({ ...before, "index.js": "a();\nd();\ne();\nc();\n", "README.md": "new\n" })).toBe(
    "code changed: index.js (+2 −1)",
  );
});

test("code that is added, removed, without an extension or not text is reported", () => {
  const { "run.sh": _, ...rest } = before;
  const after = { ...rest, entry: 'import "x";\n', "tool.bin": Buffer.from([0, 2]) };
  expect(reportFor(after)).toBe("code changed: entry (+1 −0), run.sh (+0 −1), tool.bin (no text)");
});

test("only some of many changed files are named", () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`m${i}.js`, "x();\n"]));
  expect(reportFor({ ...before, ...many })).toEndWith("m4.js (+1 −0) and 2 more");
});
