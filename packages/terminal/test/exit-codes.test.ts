import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes, signalCodes } from "../src/exit-codes.ts";

test("every exit code has its own number and meaning", () => {
  expect(new Set(exitCodes.map(({ code }) => code)).size).toBe(exitCodes.length);
  expect(new Set(exitCodes.map(({ means }) => means)).size).toBe(exitCodes.length);
  for (const code of Object.values(signalCodes)) expect(exitCodes.map((each) => each.code)).toContain(code);
});

test("the reference lists every exit code, and no other", () => {
  const reference = readFileSync(join(import.meta.dirname, "../../../docs/reference/command-line.md"), "utf8");
  const rows = [...reference.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, means]) => [Number(code), means]);
  expect(rows).toEqual(exitCodes.map(({ code, means }) => [code, means]));
});
