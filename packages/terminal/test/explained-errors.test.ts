// Errors that a user may see explain themselves, whichever copy of a package threw them.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isExplained } from "@atomic/durable-files/explained-error";
import { Refusal, UsageError } from "../src/refusal.ts";

/** Caught before anyone sees them. */
const internal = [
  "Aborted",
  "AmbiguousTar",
  "DamagedTar",
  "Interrupted",
  "RateLimitError",
  "Refused",
  "StepAbortedError",
  "StepFailedError",
  "StepTimeoutError",
  "Unsteady",
  "Unusual",
];

test("every error class of the product extends ExplainedError, unless it is caught on the way", () => {
  const packages = ["durable-files", "terminal", "workflows", "hugo", "atomic", "magnus-opus"];
  const plain = packages.flatMap((name) => {
    const folder = join(import.meta.dirname, "../..", name, "src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    return files.flatMap((file) =>
      [...readFileSync(join(folder, file), "utf8").matchAll(/class (\w+) extends Error\b/g)].map(([, found]) => found),
    );
  });
  expect(plain.filter((name) => name !== "ExplainedError" && !internal.includes(name ?? ""))).toEqual([]);
});

test("an error of another copy of the package is recognized", async () => {
  const url = import.meta.resolve("@atomic/durable-files/explained-error");
  const copy: typeof import("@atomic/durable-files/explained-error") = await import(`${url}?copy`);
  class Foreign extends copy.ExplainedError {}
  const error = new Foreign("odd", { message: "odd" });
  expect(isExplained(error)).toBe(true);
  expect(isExplained(new Error("odd"))).toBe(false);
});

test("usage errors end with 2, refusals with 1 unless they say otherwise", () => {
  expect(new UsageError("no").exitCode).toBe(2);
  expect(new Refusal("x", { message: "no" }).exitCode).toBe(1);
  expect(new Refusal("x", { message: "no", exitCode: 3 }).exitCode).toBe(3);
});
