// The test runners whose output is understood: how a command names them, and what they print when they are done.
import type { TestCounts } from "./test-counts.ts";

export interface TestRunner {
  readonly name: string;
  /** How a command line or a script starts it. */
  readonly command: RegExp;
  /** The whole block that it prints at its end: one line alone is easily printed by a test, too. */
  readonly summary: RegExp;
  read(summary: string): TestCounts;
  /** A line for each test program, for runners that start several and print a summary for each. */
  readonly program?: RegExp;
  /** Tests that were not even compiled. They count as one that failed. */
  readonly broken?: RegExp;
}

/** The sum of all numbers that the pattern finds. */
function sum(text: string, pattern: RegExp): number {
  const found = text.matchAll(new RegExp(pattern, `${pattern.flags.replace("g", "")}g`));
  return [...found].reduce((total, [, ...groups]) => total + Number(groups.find((digits) => digits !== undefined)), 0);
}

/** For summaries like `1 failed, 2 passed, 1 skipped`. */
const inWords =
  (passed: RegExp, failed: RegExp, skipped: RegExp) =>
  (text: string): TestCounts => ({
    passed: sum(text, passed),
    failed: sum(text, failed),
    skipped: sum(text, skipped),
  });

/** For summaries that name the total and everything that did not pass. */
const byTotal =
  (total: RegExp, failed: RegExp, skipped: RegExp) =>
  (text: string): TestCounts => {
    const lost = { failed: sum(text, failed), skipped: sum(text, skipped) };
    return { passed: Math.max(0, sum(text, total) - lost.failed - lost.skipped), ...lost };
  };

/** A line about files and a line about tests. A file that does not load has no tests of its own, but it has failed. */
const filesAndTests = (text: string): TestCounts => {
  const [files = "", tests = ""] = text.split("\n");
  const counts = inWords(/(\d+) passed/, /(\d+) failed/, /(\d+) (?:skipped|todo|pending)/)(tests);
  return counts.failed > 0 ? counts : { ...counts, failed: sum(files, /(\d+) failed/) };
};

export const testRunners: readonly TestRunner[] = [
  {
    name: "vitest",
    command: /\bvitest\b/,
    summary: /^ *Test Files +.*\n *Tests +(?:.*\(\d+\)|no tests)(?=\n(?:.*\n){0,3} *Start at )/,
    read: filesAndTests,
  },
  {
    name: "jest",
    command: /\bjest\b|\breact-scripts\s+test\b/,
    summary: /^Test Suites: .*total\nTests: +.*total\nSnapshots: +.*total(?=\nTime: )/,
    read: filesAndTests,
  },
  {
    name: "bun",
    command: /\bbun(?:\.exe)?\s+(?:-\S+\s+)*test\b/,
    summary: /^ *\d+ pass\n(?: *\d+ (?:skip|todo|filtered out)\n)* *\d+ fail\n(?:.*\n){0,4}?Ran \d+ tests? across/,
    read: inWords(/(\d+) pass\b/, /(\d+) (?:fail|errors?)\b/, /(\d+) (?:skip|todo)\b/),
  },
  {
    name: "node",
    command: /\bnode\b.*\s--test\b|\b(?:tsx|ts-node|c8)\b.*\s--test\b/,
    summary: /^(ℹ|#) tests \d+\n(?:\1 .*\n)*\1 todo \d+(?=\n\1 duration_ms )/,
    read: inWords(/^. pass (\d+)/m, /^. (?:fail|cancelled) (\d+)/m, /^. (?:skipped|todo) (\d+)/m),
  },
  {
    name: "playwright",
    command: /\bplaywright\s+test\b/,
    summary: /(?:^ +\d+ (?:failed|flaky|interrupted|skipped|did not run|passed)\b.*\n(?: {4}.*\n)*)+/,
    read: inWords(
      /^ +(\d+) (?:passed|flaky)/m,
      /^ +(\d+) (?:failed|interrupted)/m,
      /^ +(\d+) (?:skipped|did not run)/m,
    ),
  },
  {
    name: "mocha",
    command: /\bmocha\b/,
    summary: /^ +\d+ passing(?: \(.*\))?(?:\n +\d+ pending)?(?:\n +\d+ failing)?$/,
    read: inWords(/(\d+) passing/, /(\d+) failing/, /(\d+) pending/),
    broken: /^ ?Exception during run: |^ +at .*\bloadFiles(?:Async)?\b.*[\\/]mocha[\\/]lib[\\/]/m,
  },
  {
    name: "ava",
    command: /\bava\b(?!.*--tap)/,
    summary:
      /^ +─\n\n(?: +(?:\d+ (?:tests? (?:passed|failed|skipped|todo)|known failures?|unhandled \w+|uncaught exceptions?).*)\n?)+/,
    read: inWords(
      /(\d+) tests? passed/,
      /(\d+) (?:tests? failed|unhandled|uncaught)/,
      /(\d+) (?:tests? (?:skipped|todo)|known failure)/,
    ),
  },
  {
    name: "tap",
    command: /(?<!reporter[= ])\btap(?:e|-run)?\b/,
    summary:
      /^# \{ total: \d+.*\}$|^Suites: +.*completed\nAsserts: +.*$|^# tests +\d+\n# pass +\d+\n(?:# skip +\d+\n)?(?:# fail +\d+$(?!\n# cancelled)|\n# ok$)/,
    read: inWords(
      /\bpass:? +(\d+)|^Asserts:.*?(\d+) passed/m,
      /\bfail:? +(\d+)|^Asserts:.*?(\d+) failed/m,
      /\b(?:skip|todo):? +(\d+)|^Asserts:.*?(\d+) (?:skip|todo)/m,
    ),
  },
  {
    name: "deno",
    command: /\bdeno\s+test\b/,
    summary: /^(?:ok|FAILED) \| \d+ passed.*\| \d+ failed.*\(.*\)$/,
    read: inWords(/(\d+) passed/, /(\d+) failed/, /(\d+) ignored/),
    broken: /^error: (?:Type checking failed|Module not found)/m,
  },
  {
    name: "pytest",
    command: /\bpy\.?test\b/,
    summary: /^(?:=+ )?(?:no tests ran|(?:\d+ (?:subtests )?[a-z]+(?:, )?)+) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/,
    // A failed subtest counts as failed, and so does its test; a subtest that passes is not counted.
    read: inWords(/(\d+) (?:passed|xpassed)/, /(\d+) (?:failed|errors?)\b/, /(\d+) (?:skipped|xfailed)/),
  },
  {
    name: "unittest",
    command: /\bunittest\b|\bmanage\.py\s+test\b|\bsetup\.py\s+test\b/,
    summary: /^-{70}\nRan \d+ tests? in [\d.]+s\n\n(?:OK|FAILED|NO TESTS RAN)(?: \(.*\))?$/,
    read: byTotal(
      /Ran (\d+) tests?/,
      /(?<!expected )(?:failures|errors)=(\d+)|unexpected successes=(\d+)/,
      /(?:skipped|expected failures)=(\d+)/,
    ),
  },
  {
    name: "cargo",
    command: /\bcargo\s+(?:\+\S+\s+)?(?:test|t)\b/,
    summary: /^test result: (?:ok|FAILED)\. \d+ passed; .*filtered out.*$/,
    read: inWords(/(\d+) passed/, /(\d+) failed/, /(\d+) ignored/),
    program: /^ +(?:Running .*\(.*\)|Doc-tests \S+)$/m,
    broken: /^error: could not compile .*\(.*\btest\b.*\)/m,
  },
  {
    name: "nextest",
    command: /\bcargo\s+nextest\b/,
    summary: /^ +Summary \[.*\] \d+ tests? run: .*$/,
    read: inWords(/(\d+) passed/, /(\d+) (?:failed|timed out|exec failed)/, /(\d+) skipped/),
    broken: /^error: could not compile .*\(.*\btest\b.*\)/m,
  },
  {
    name: "rspec",
    command: /\brspec\b/,
    summary: /^Finished in .* \(files took .* to load\)\n\d+ examples?, \d+ failures?.*$/,
    read: byTotal(/^(\d+) examples?/m, /(\d+) failures?/, /(\d+) pending/),
    broken: /^0 examples, .*[1-9]\d* errors? occurred outside of examples$/m,
  },
  {
    name: "phpunit",
    command: /\bphpunit\b|\bparatest\b/,
    summary:
      /^OK \(\d+ tests?, \d+ assertions?\)$|^(?:[A-Z]{2,}!|OK, but .*!)\nTests: \d+, Assertions: \d+.*$|^No tests executed!$/,
    read: byTotal(/(?:^OK \(|^Tests: )(\d+)/m, /(?:Failures|Errors): (\d+)/, /(?:Skipped|Incomplete): (\d+)/),
    broken: /^#\d+ .*\bPHPUnit\b.*\b(?:FileLoader|TestSuiteLoader)\b/im,
  },
  {
    name: "pest",
    command: /\bpest\b|\bartisan\s+test\b/,
    summary: /^ +Tests: +.*\(\d+ assertions?\)\n +Duration: .*$/,
    read: inWords(/(\d+) passed/, /(\d+) failed/, /(\d+) (?:skipped|todos?|incomplete|pending)/),
  },
  {
    name: "maven",
    command: /\bmvnw?\b/,
    summary:
      /^(?:\[\w+\] )?Results ?:\s*\n(?:.*\n)*?(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$/,
    read: (text) =>
      byTotal(
        /Tests run: (\d+)/,
        /(?:Failures|Errors): (\d+)/,
        /Skipped: (\d+)/,
      )(text.slice(text.lastIndexOf("Tests run:"))),
    program: /^\[INFO\] --- (?:maven-)?(?:surefire|failsafe)(?:-plugin)?:\S+:(?:test|integration-test) /m,
    broken: /^\[ERROR\] Failed to execute goal \S+:testCompile /m,
  },
  {
    name: "gradle",
    command: /\bgradlew?\b/,
    summary: /^\d+ tests? completed(?:, \d+ (?:failed|skipped))*$/,
    read: byTotal(/(\d+) tests? completed/, /(\d+) failed/, /(\d+) skipped/),
    program: /^> Task \S*[tT]est\S* FAILED$/m,
    broken: /^> Task \S*:compileTest\w+ FAILED$/m,
  },
  {
    name: "junit",
    command: /\bjunit\b|\bJUnitCore\b/,
    summary:
      /(?:^\[ +\d+ tests (?:found|skipped|started|aborted|successful|failed) +\]\n){6}|^OK \(\d+ tests?\)$|^Tests run: \d+, {2}Failures: \d+$/,
    read: (text) =>
      text.startsWith("[")
        ? inWords(/(\d+) tests successful/, /(\d+) tests (?:failed|aborted)/, /(\d+) tests skipped/)(text)
        : byTotal(/(?:^OK \(|Tests run: )(\d+)/, /Failures: (\d+)/, /$^/)(text),
  },
  {
    name: "dotnet",
    command: /\bdotnet\s+(?:test|vstest)\b/,
    summary:
      /^(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+, Duration: .*$|^Total tests: \d+\n(?: +(?:Passed|Failed|Skipped): \d+\n)*(?= *Total time: )|^Test summary: total: \d+, .*$|^Test run summary: .*\n(?: +\w+: .*\n)+/,
    read: inWords(/(?:Passed|succeeded): +(\d+)/, /(?:Failed|failed): +(\d+)/, /(?:Skipped|skipped): +(\d+)/),
    program: /^Test run for .*\.dll \(.*\)$/m,
    broken: /^.*: error (?:CS|FS|BC)\d+: /m,
  },
];
