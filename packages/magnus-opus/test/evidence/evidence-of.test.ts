import { expect, test } from "bun:test";
import type { TestRun } from "../../src/evidence/run-tests.ts";
import { evidenceOf } from "../../src/evidence/run-tests.ts";
import { testVerdict } from "../../src/run/evidence.ts";

const ran: TestRun = {
  ...{ argv: ["npm", "test"], exitCode: 0, ended: "exit", counts: { passed: 3, failed: 0, skipped: 0 } },
  ...{ outputHash: "sha256:1", tail: "3 passed", tree: "sha256:2", ms: 5, changed: [], testFiles: 1 },
  isRunnerUnknown: false,
};

const unknown = "the test output does not say how many passed, and the test command was not known when the run began";

const verdict = (changes: Partial<TestRun>) => {
  const proof = evidenceOf({ ...ran, ...changes });
  if ("nothing" in proof) return `nothing: ${proof.nothing}`;
  const found = testVerdict([proof.evidence], { tree: "sha256:2", skippedTests: "allow" });
  return found.passed ? "passed" : found.because;
};

test.each<[string, Partial<TestRun>, string]>([
  ["tests that pass", {}, "passed"],
  ["tests that fail", { exitCode: 1, counts: { passed: 2, failed: 1, skipped: 0 } }, "1 of 3 tests failed"],
  ["an exit code without counts", { exitCode: 1, counts: undefined }, unknown],
  ["success without counts", { counts: undefined }, unknown],
  ["a signal", { ended: "signal", exitCode: null }, "the tests exited with code 137"],
  ["a timeout", { ended: "timeout", exitCode: null }, "the tests took too long"],
  [
    "a missing program",
    { ended: "not-started", exitCode: null, tail: "spawn x ENOENT\n" },
    "the tests did not start: spawn x ENOENT",
  ],
  [
    "a missing program that says nothing",
    { ended: "not-started", tail: "" },
    "the tests did not start: the command could not be started",
  ],
  ["a stop", { ended: "aborted", exitCode: null }, "nothing: the tests were stopped. Run them again"],
  [
    "files that change meanwhile",
    { tree: undefined, changed: ["wrote junit.xml", "changed a.snap"] },
    "nothing: while the tests ran, something wrote junit.xml, changed a.snap, so it is unclear which files were tested. If the tests did it, add the file to .gitignore or let them write it to a temporary folder; if another program did it, stop that program. Then run them again",
  ],
])("%s", (_, changes, expected) => {
  expect(verdict(changes)).toBe(expected);
});

test("evidence says whether the command names a runner, which prints a summary", () => {
  const isExpected = (changes: Partial<TestRun>) => {
    const proof = evidenceOf({ ...ran, ...changes });
    return "evidence" in proof && proof.evidence.isSummaryExpected === true;
  };
  expect(isExpected({ argv: ["make", "test"] })).toBe(false);
  expect(isExpected({ script: "test: node run.js" })).toBe(false);
  expect(isExpected({ script: "test: vitest run" })).toBe(true);
  expect(isExpected({ argv: ["go", "test", "./..."] })).toBe(true);
});
