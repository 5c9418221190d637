// How many tests ran, from what test runners print. Only the exit code says that they passed; the counts say whether
// there were any, and how many were skipped.
import { goCounts } from "./go-test-output.ts";
import { type TestRunner, testRunners } from "./test-runners.ts";

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface RunnerCounts extends TestCounts {
  /** How often the command starts this runner. */
  readonly named: number;
}

/** What one runner says. `named`: how often the command starts it; 0 if it does not name it. */
function countsOf(runner: TestRunner, output: string, named: number): TestCounts | undefined {
  const found = all(output, runner.summary).map(([text]) => runner.read(text));
  const isBroken = runner.broken?.test(output) === true && found.every(({ failed }) => failed === 0);
  if (isBroken) found.push({ passed: 0, failed: 1, skipped: 0 });
  const programs = runner.program === undefined ? 0 : all(output, runner.program).length;
  const expected = Math.max(named, programs, 1) + Number(isBroken);
  return found.length === 0 ? undefined : added(worst(found).slice(0, expected));
}

/**
 * What the output proves, summed over the runners that the command starts; `undefined` if nothing. A test can print anything, even
 * a summary. So runners that the command does not name do not count, and of more summaries than there should be, the worst count.
 */
export function testCounts(output: string, command = ""): TestCounts | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
  const plain = `${output.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r\n", "\n")}\n`;
  const found: RunnerCounts[] = testRunners.flatMap((runner) => {
    const named = all(command, runner.command).length;
    const counts = countsOf(runner, plain, named);
    return counts === undefined ? [] : [{ ...counts, named }];
  });
  const go = goCounts(plain);
  if (go !== undefined) found.push({ ...go, named: all(command, /\bgo\s+test\b|\bgotestsum\b/).length });
  const named = found.filter((each) => each.named > 0);
  // Which runner `make test` starts is unknown.
  const counted = named.length > 0 ? named : namesRunner(command) ? [] : worst(found).slice(0, 1);
  return counted.length === 0 ? undefined : added(counted);
}

/** Whether the command says which runner it starts. */
export function namesRunner(command: string): boolean {
  return /\bgo\s+test\b/.test(command) || testRunners.some((runner) => runner.command.test(command));
}

function worst<Counts extends TestCounts>(counts: readonly Counts[]): readonly Counts[] {
  return counts.toSorted((a, b) => b.failed - a.failed || a.passed - b.passed);
}

function added(counts: readonly TestCounts[]): TestCounts {
  return counts.reduce(
    (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }),
    { passed: 0, failed: 0, skipped: 0 },
  );
}

function all(text: string, pattern: RegExp): readonly RegExpMatchArray[] {
  return [...text.matchAll(new RegExp(pattern, "gm"))];
}
