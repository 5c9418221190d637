import { expect, test } from "bun:test";
import { exitCodes } from "@atomic/terminal/exit-codes";
import { HugoError } from "../src/errors.ts";

test("an error says what, where and what next, and leads to a documented exit code", () => {
  const cause = new Error("deeper");
  const error = new HugoError("name-invalid", { message: "no", at: "package.json:2:3", hint: "Rename it.", cause });
  expect({ ...error, message: error.message, cause: error.cause }).toMatchObject({
    name: "HugoError",
    code: "name-invalid",
    message: "no",
    at: "package.json:2:3",
    hint: "Rename it.",
    cause,
  });
  expect(exitCodes.map(({ code }) => code)).toContain(error.exitCode);
});

test("an error without a file or a cause has neither", () => {
  const error = new HugoError("spec-invalid", { message: "no", hint: "Write it differently." });
  expect(error.at).toBeUndefined();
  expect("cause" in error).toBe(false);
});

test.each([
  ["package-not-found", 1],
  ["version-not-found", 1],
  ["declined", 1],
  ["not-approved", 4],
  ["search-unavailable", 6],
] as const)("%s ends with %i, as docs/reference/command-line.md says", (code, exitCode) => {
  expect(new HugoError(code, { message: "no", hint: "Look." }).exitCode).toBe(exitCode);
});
