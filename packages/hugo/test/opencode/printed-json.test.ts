import { expect, test } from "bun:test";
import { lastJson } from "../../src/opencode/opencode.ts";

const config = { agent: { poet: { prompt: "{\n}" } }, plugin: [] };
const printed = JSON.stringify(config, null, 2);

test.each([
  ["alone", `${printed}\n`],
  ["after noise", `1\nNOISE {\n{ not json\n${printed}\n`],
  ["before noise", `${printed}\nbye\n}\n`],
  ["after another document", `{\n  "mine": true\n}\n${printed}\n`],
  ["with the line ends of Windows", `${printed.replaceAll("\n", "\r\n")}\r\n`],
])("a document %s is read", (_, text) => {
  expect(lastJson(text)).toEqual(config);
});

test("an empty list is a document, and half of one is none", () => {
  expect(lastJson("hello\n[]\n")).toEqual([]);
  expect(lastJson(printed.slice(0, -2))).toBeUndefined();
  expect(lastJson("")).toBeUndefined();
});
