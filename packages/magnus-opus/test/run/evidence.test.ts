import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRed, type SettledCommand, type TestEvidence, testVerdict, usable } from "../../src/run/evidence.ts";
import { reduce } from "../../src/run/reduce.ts";
import { evidence as anyEvidence } from "./arbitrary-events.ts";
import { plugin, started } from "./simulated-run.ts";

const green: TestEvidence = {
  argv: ["npm", "test"],
  tree: "now",
  exit: { kind: "code", code: 0 },
  counts: { passed: 5, failed: 0, skipped: 0 },
  ms: 10,
  outputHash: "sha256:0",
};
const red: TestEvidence = { ...green, exit: { kind: "code", code: 1 }, counts: { passed: 3, failed: 2, skipped: 0 } };
const rules = { tree: "now", skippedTests: "allow" } as const;

test("tests that passed on the current tree count", () => {
  expect(testVerdict([green], rules)).toEqual({ passed: true });
  expect(testVerdict([red, green], rules)).toEqual({ passed: true });
});

test.each<[string, TestEvidence[], Partial<typeof rules>]>([
  ["the plugin has not run the tests", [], {}],
  ["the files have changed since the tests ran", [{ ...green, tree: "before" }], {}],
  ["the state of the project's files is unknown", [green], { tree: undefined as never }],
  ["the tests took too long", [{ ...green, exit: { kind: "timeout" } }], {}],
  ["the tests did not start: no npm", [{ ...green, exit: { kind: "not-started", detail: "no npm" } }], {}],
  ["2 of 5 tests failed", [red], {}],
  ["the tests exited with code 3", [{ ...green, exit: { kind: "code", code: 3 } }], {}],
  ["there are no tests", [{ ...green, counts: { passed: 0, failed: 0, skipped: 0 } }], {}],
  ["all tests were skipped", [{ ...green, counts: { passed: 0, failed: 0, skipped: 7 } }], {}],
  [
    "1 test was skipped",
    [{ ...green, counts: { passed: 5, failed: 0, skipped: 1 } }],
    { skippedTests: "refuse" as never },
  ],
  ["3 tests passed, but 5 ran before", [red, { ...green, counts: { passed: 3, failed: 0, skipped: 2 } }], {}],
])("no pass: %s", (because, evidence, other) => {
  expect(testVerdict(evidence, { ...rules, ...other })).toEqual({ passed: false, because });
});

const counted = (passed: number, skipped = 0): TestEvidence => ({ ...green, counts: { passed, failed: 0, skipped } });

describe("fewer tests than in any earlier run of them", () => {
  test.each<[string, TestEvidence[]]>([
    ["removed", [counted(10), counted(1)]],
    ["skipped", [counted(10), counted(1, 9)]],
    ["removed step by step", [counted(10), counted(9), counted(9)]],
    ["removed after they failed and passed", [red, counted(10), red, counted(9)]],
  ])("do not count as a pass: %s", (_, evidence) => {
    expect(testVerdict(evidence, rules)).toMatchObject({ passed: false, because: expect.stringContaining("before") });
  });

  test("as many or more are one, and a run that does not say how many is nothing to compare with", () => {
    const { counts: _, ...silent } = red;
    expect(testVerdict([counted(10), red, counted(11), counted(11)], rules)).toEqual({ passed: true });
    expect(testVerdict([silent, counted(1)], rules)).toEqual({ passed: true });
  });
});

describe("what runs as the tests", () => {
  const settled = { argv: ["npm", "test"], script: "test: vitest run" };
  const real: TestEvidence = { ...green, script: "test: vitest run" };
  const fake: TestEvidence = { ...counted(99), script: 'test: echo "Tests: 99 passed, 99 total"' };

  test.each<[string, TestEvidence]>([
    ["another script", fake],
    ["another command", { ...real, argv: ["true"] }],
    ["no script", green],
  ])("stays what it was when the run began: %s is not evidence", (_, evidence) => {
    expect(testVerdict([evidence], { ...rules, testCommand: settled })).toMatchObject({
      passed: false,
      because: expect.stringContaining("have the user waive all_tests_pass"),
    });
  });

  test("the reason names both, so it can be restored", () => {
    expect(testVerdict([fake], { ...rules, testCommand: settled })).toEqual({
      passed: false,
      because:
        'the test command changed from npm test (test: vitest run) to npm test (test: echo "Tests: 99 passed, 99 total"): restore it, or have the user waive all_tests_pass',
    });
  });

  test("the output of a wrong command is not compared and does not count as a failed test", () => {
    expect(testVerdict([fake, real], { ...rules, testCommand: settled })).toEqual({ passed: true });
    const falseRed = { ...red, script: "test: exit 1" };
    expect(usable([falseRed, real], settled)).toEqual([real]);
  });

  describe("if it does not name its runner, so that any summary counts", () => {
    const recipe = { argv: ["make", "test"], setBy: "settings" as const, definition: "sha256:1" };
    const made: TestEvidence = { ...green, ...recipe, isRunnerUnknown: true };
    const changed = { ...made, definition: "sha256:2" };
    const because =
      "what make test does has changed since the run began: restore its recipe or script, or have the user waive all_tests_pass";

    test("its recipe stays what it was", () => {
      expect(testVerdict([made], { ...rules, testCommand: recipe })).toEqual({ passed: true });
      expect(testVerdict([changed], { ...rules, testCommand: recipe })).toEqual({ passed: false, because });
      expect(testVerdict([made, changed], rules)).toEqual({ passed: false, because });
      expect(usable([{ ...red, ...changed, exit: red.exit, counts: red.counts }], recipe)).toEqual([]);
    });

    test("a runner that it names may be configured, and an older journal knows no recipe", () => {
      const { isRunnerUnknown: _, ...named } = changed;
      expect(testVerdict([named], { ...rules, testCommand: recipe })).toEqual({ passed: true });
      expect(testVerdict([made], { ...rules, testCommand: { argv: ["make", "test"] } })).toEqual({ passed: true });
    });
  });

  test("if the run began without tests, it is what was run first", () => {
    expect(testVerdict([real, real], rules)).toEqual({ passed: true });
    expect(testVerdict([real, fake], rules)).toMatchObject({ passed: false });
  });
});

describe("output that does not say how many passed", () => {
  const settled = { argv: ["make", "test"], setBy: "stack", definition: "sha256:1" } as const;
  const { counts: _, ...silent } = {
    ...{ ...green, ...settled, argv: [...settled.argv], testFiles: 2 },
    isRunnerUnknown: true,
  };
  const verdictOf = (evidence: readonly TestEvidence[], testCommand: SettledCommand | undefined) =>
    testVerdict(evidence, { ...rules, testCommand });
  const settledCommand = { ...settled, argv: [...settled.argv] };

  test("counts by its exit code if a person or the stack set the command, and the verdict says so", () => {
    const because = "they exited with code 0; how many ran is unknown";
    expect(verdictOf([silent], settledCommand)).toEqual({ passed: true, because });
    expect(verdictOf([silent], { ...settledCommand, setBy: "settings" })).toEqual({ passed: true, because });
  });

  const unknown = "the test output does not say how many passed, and ";
  test.each<[string, TestEvidence[], SettledCommand | undefined]>([
    [`${unknown}the test command was not known when the run began`, [silent], undefined],
    [`${unknown}the test command was not known when the run began`, [silent], { argv: ["make", "test"] }],
    [
      `${unknown}what the test command does has changed since the run began`,
      [{ ...silent, definition: "sha256:2", isRunnerUnknown: false }],
      settledCommand,
    ],
    [`${unknown}the project has no test files`, [{ ...silent, testFiles: 0 }], settledCommand],
    ["the test output no longer says how many passed", [{ ...green, ...settledCommand }, silent], settledCommand],
    ["the tests exited with code 2", [{ ...silent, exit: { kind: "code", code: 2 } }], settledCommand],
    [
      "the tests exited with code 127: the command could not be run, so no test ran",
      [{ ...silent, exit: { kind: "code", code: 127 } }],
      settledCommand,
    ],
    [
      "the tests exited with code 1 and printed no summary, so no test ran",
      [{ ...silent, exit: { kind: "code", code: 1 }, isSummaryExpected: true }],
      settledCommand,
    ],
  ])("does not count otherwise: %s", (because, evidence, command) => {
    expect(verdictOf(evidence, command)).toEqual({ passed: false, because });
  });

  test("shows failing tests in the same way, but not if nothing could be run", () => {
    const exits = (code: number): TestEvidence => ({ ...silent, exit: { kind: "code", code } });
    expect([exits(0), exits(1), exits(127)].map((each) => isRed(each, settledCommand))).toEqual([false, true, false]);
    expect(isRed(exits(1))).toBe(false);
    expect(isRed({ ...exits(1), testFiles: 0 }, settledCommand)).toBe(false);
    // `python3 -m pytest` without pytest: the runner that the command names has not printed its summary.
    expect(isRed({ ...exits(1), isSummaryExpected: true }, settledCommand)).toBe(false);
    expect(isRed({ ...exits(1), isRunnerUnknown: false }, settledCommand)).toBe(false);
  });
});

test("only tests that all ran and passed on this tree count as a pass", () => {
  fc.assert(
    fc.property(fc.array(anyEvidence as unknown as fc.Arbitrary<TestEvidence>, { maxLength: 5 }), (list) => {
      const verdict = testVerdict(list, { tree: "tree-1", skippedTests: "allow" });
      if (!verdict.passed) return;
      const last = list.at(-1)!;
      expect(last).toMatchObject({ tree: "tree-1", exit: { kind: "code", code: 0 }, counts: { failed: 0 } });
      expect(last.counts!.passed).toBeGreaterThan(0);
      expect(isRed(last)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("malformed evidence never gets into a state", () => {
  fc.assert(
    fc.property(fc.anything(), (evidence) => {
      const event = { type: "tests-ran", at: 1, by: plugin, evidence } as never;
      expect(reduce(started(), event).evidence).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
