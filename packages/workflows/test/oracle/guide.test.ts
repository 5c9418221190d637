import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { differences, whoReadsWhat, whoWins } from "./guide.ts";

const guide = readFileSync(new URL("../../../../docs/guide/who-reads-what.md", import.meta.url), "utf8");

test.each([
  ["who reads what", whoReadsWhat()],
  ["who wins", whoWins()],
  ["differences", differences()],
])("the guide's part %j says what the code does", (part, text) => {
  const [, between = ""] = guide.split(`<!-- ${part} -->`);
  expect(between.trim()).toBe(text);
});
