import { expect, test } from "bun:test";
import { DurableError } from "../src/errors.ts";
import { isExplained } from "../src/explained-error.ts";

test("an error that explains itself is recognized, whichever copy of the module made it", async () => {
  const copy = (await import(
    `../src/explained-error.ts?copy=${process.pid}`
  )) as typeof import("../src/explained-error.ts");
  class Copied extends copy.ExplainedError {}
  const foreign = new Copied("gone", { message: "It is gone.", at: "a.json:1:2", hint: "Look elsewhere." });
  expect(copy.ExplainedError === (await import("../src/explained-error.ts")).ExplainedError).toBe(false);
  expect(isExplained(foreign)).toBe(true);
  expect(foreign).toMatchObject({ code: "gone", at: "a.json:1:2", hint: "Look elsewhere.", exitCode: 1 });
});

test("an error thrown by a bug is not an explained error", () => {
  for (const thrown of [new TypeError("x is not a function"), { code: "gone", message: "no" }, "text", undefined]) {
    expect(isExplained(thrown)).toBe(false);
  }
});

test("a durable error keeps its exact place and escapes what a terminal would obey", () => {
  const error = new DurableError("syntax", { message: "bad\x1b[2J", at: "a\x1b.json", hint: "fix\x07" });
  expect(isExplained(error)).toBe(true);
  expect(error.message).not.toContain("\x1b");
  expect(error.hint).not.toContain("\x07");
  expect([error.at, error.exitCode]).toEqual(["a\x1b.json", 3]);
});
