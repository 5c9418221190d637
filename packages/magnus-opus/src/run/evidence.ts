// What a test run proves. Only the plugin creates evidence, never a model.
import * as z from "zod/mini";

const count = z.int().check(z.gte(0));

const command = {
  argv: z.array(z.string()).check(z.minLength(1)),
  /** The package.json scripts that it runs, verbatim. */
  script: z.optional(z.string()),
  /** A hash of the other files that say what it does: a Makefile, a script of the project. */
  definition: z.optional(z.string()),
  /** Absent if neither a person nor the stack chose it. */
  setBy: z.optional(z.enum(["settings", "stack"])),
};
export const settledCommand = z.object(command);
export type SettledCommand = z.infer<typeof settledCommand>;

export const testEvidence = z.object({
  ...command,
  /** Hash of the files, the same before *and* after the tests; if they differ, there is no evidence. */
  tree: z.string().check(z.minLength(1)),
  exit: z.union([
    z.object({ kind: z.literal("code"), code: z.int() }),
    z.object({ kind: z.literal("timeout") }),
    z.object({ kind: z.literal("not-started"), detail: z.string() }),
  ]),
  /** Undefined if the output was not understood. A test file that does not load counts as failed. */
  counts: z.optional(z.object({ passed: count, failed: count, skipped: count })),
  /** Only the project's own files say which runner is started: a recipe, or a script, whatever its name. Any summary counts. */
  isRunnerUnknown: z.optional(z.boolean()),
  /** The command names a runner, and that prints a summary whenever it runs tests. */
  isSummaryExpected: z.optional(z.boolean()),
  /** Files with tests in the tree. */
  testFiles: z.optional(count),
  ms: z.number(),
  outputHash: z.string(),
});
export type TestEvidence = z.infer<typeof testEvidence>;

export type TestVerdict =
  /** `because`: only if the exit code alone decided. */
  { readonly passed: true; readonly because?: string } | { readonly passed: false; readonly because: string };

export interface TestRules {
  /** The tree as it is now. */
  readonly tree: string | undefined;
  readonly skippedTests: "allow" | "refuse";
  /** The command when the run began; if there was none, the first one that was run. */
  readonly testCommand?: SettledCommand | undefined;
}

/** Whether the last evidence shows that the tests pass on the current files. Anything unknown means no. */
export function testVerdict(evidence: readonly TestEvidence[], rules: TestRules): TestVerdict {
  const { tree, skippedTests, testCommand = evidence[0] } = rules;
  const last = evidence.at(-1);
  if (last === undefined) return no("the plugin has not run the tests");
  if (tree === undefined) return no("the state of the project's files is unknown");
  if (last.tree !== tree) return no("the files have changed since the tests ran");
  if (testCommand !== undefined && !isSameText(last, testCommand)) {
    const [before, now] = [testCommand, last].map(
      ({ argv, script }) => argv.join(" ") + (script === undefined ? "" : ` (${script})`),
    );
    return no(`the test command changed from ${before} to ${now}: restore it, or have the user waive all_tests_pass`);
  }
  if (testCommand !== undefined && !isSame(last, testCommand)) {
    const what = `what ${last.argv.join(" ")} does has changed since the run began`;
    return no(`${what}: restore its recipe or script, or have the user waive all_tests_pass`);
  }
  if (last.exit.kind === "timeout") return no("the tests took too long");
  if (last.exit.kind === "not-started") return no(`the tests did not start: ${last.exit.detail}`);
  if (last.counts === undefined) {
    const why = whyCodeIsNotEnough(last, rules.testCommand);
    if (why !== undefined) return no(`the test output does not say how many passed, and ${why}`);
    if (usable(evidence, testCommand).some(({ counts }) => counts !== undefined && counts.passed > 0)) {
      return no("the test output no longer says how many passed");
    }
    if (last.exit.code !== 0) return no(`the tests exited with code ${last.exit.code}${notRunText(last)}`);
    return { passed: true, because: "they exited with code 0; how many ran is unknown" };
  }
  const { passed, failed, skipped } = last.counts;
  if (failed > 0) return no(`${failed} of ${passed + failed} tests failed`);
  if (last.exit.code !== 0) return no(`the tests exited with code ${last.exit.code}`);
  if (passed === 0) return no(skipped > 0 ? "all tests were skipped" : "there are no tests");
  if (skipped > 0 && skippedTests === "refuse")
    return no(skipped === 1 ? "1 test was skipped" : `${skipped} tests were skipped`);
  // Deleting or skipping a failing test does not fix it.
  const ran = usable(evidence, testCommand).map(({ counts }) => (counts ? counts.passed + counts.failed : 0));
  const most = Math.max(...ran);
  if (passed < most) return no(`${passed} ${passed === 1 ? "test" : "tests"} passed, but ${most} ran before`);
  return { passed: true };
}

/** Only evidence from the settled command: a building agent can make any other command print anything. */
export function usable(
  evidence: readonly TestEvidence[],
  testCommand: SettledCommand | undefined = evidence[0],
): readonly TestEvidence[] {
  return evidence.filter((each) => testCommand !== undefined && isSame(each, testCommand));
}

/** What prints any summary that it likes must be what it was; a named runner prints its own. Older journals know no definition. */
function isSame(evidence: TestEvidence, settled: SettledCommand): boolean {
  const isKept = settled.setBy === undefined || evidence.definition === settled.definition;
  return isSameText(evidence, settled) && (evidence.isRunnerUnknown !== true || isKept);
}

function isSameText(a: SettledCommand, b: SettledCommand): boolean {
  return a.script === b.script && JSON.stringify(a.argv) === JSON.stringify(b.argv);
}

/**
 * Why the exit code alone proves nothing; undefined if it counts. A building agent could replace the tests by a program that does
 * nothing, so the command has to be one that it did not choose and cannot have changed, and there has to be something to run.
 */
function whyCodeIsNotEnough(last: TestEvidence, settled: SettledCommand | undefined): string | undefined {
  if (settled?.setBy === undefined) return "the test command was not known when the run began";
  if (last.definition !== settled.definition) return "what the test command does has changed since the run began";
  return (last.testFiles ?? 0) > 0 ? undefined : "the project has no test files";
}

/** A shell's codes for a command that it cannot run. */
const notRun: ReadonlySet<number> = new Set([126, 127]);

/** Whether tests ran and at least one failed. `settled`: the command when the run began, for output without counts. */
export function isRed(evidence: TestEvidence, settled?: SettledCommand): boolean {
  const { exit, counts, isRunnerUnknown } = evidence;
  if (exit.kind !== "code" || exit.code === 0) return false;
  if (counts !== undefined) return counts.failed > 0;
  // A runner that is not installed fails, too: without its summary, no test has run.
  if (isRunnerUnknown !== true || notRunText(evidence) !== "") return false;
  return whyCodeIsNotEnough(evidence, settled) === undefined;
}

/** Says that no test has run, if that is certain; empty if it is not. */
function notRunText({ exit, counts, isSummaryExpected }: TestEvidence): string {
  if (exit.kind !== "code" || counts !== undefined) return "";
  if (notRun.has(exit.code)) return ": the command could not be run, so no test ran";
  return isSummaryExpected === true ? " and printed no summary, so no test ran" : "";
}

function no(because: string): TestVerdict {
  return { passed: false, because };
}
