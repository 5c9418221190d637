// How many tests ran, from what test runners print. Only the exit code says that they passed; the counts say whether
// there were any, and how many were skipped.

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Runner {
  readonly name: string;
  /** Matches the summary, and nothing that a test itself may print. */
  readonly summary: RegExp;
  readonly passed: RegExp;
  readonly failed: RegExp;
  readonly skipped: RegExp;
}

const jestCounts = { passed: /(\d+) passed/, failed: /(\d+) failed/, skipped: /(\d+) (?:skipped|todo)/g };

const runners: readonly Runner[] = [
  { name: "vitest", summary: /^\s*Tests\s+\d+ .*\(\d+\)$/m, ...jestCounts },
  { name: "jest", summary: /^Tests:\s+.*\d+ total$/m, ...jestCounts },
  {
    name: "bun",
    summary: /^ *\d+ pass\n(?: *\d+ (?:skip|todo)\n)* *\d+ fail$/m,
    passed: /(\d+) pass/,
    failed: /(\d+) fail/,
    skipped: /(\d+) (?:skip|todo)/g,
  },
  {
    name: "node",
    summary: /^(?:ℹ|#) tests \d+[\s\S]*^(?:ℹ|#) todo \d+$/m,
    passed: /(?:ℹ|#) pass (\d+)/,
    failed: /(?:ℹ|#) fail (\d+)/,
    skipped: /(?:ℹ|#) (?:skipped|todo) (\d+)/g,
  },
  {
    name: "playwright",
    summary: /(?:^ +\d+ (?:failed|flaky|skipped|did not run|passed)\b.*\n(?: {4}.*\n)*)+/m,
    passed: /^ +(\d+) passed/m,
    failed: /^ +(\d+) failed/m,
    skipped: /^ +(\d+) (?:skipped|did not run)/gm,
  },
];

/** The sum of all summaries in the output, since one command may run several runners. `undefined` if there is none. */
export function testCounts(output: string): TestCounts | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of.
  const plain = output.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
  const found = runners.flatMap((runner) =>
    Array.from(`${plain}\n`.matchAll(new RegExp(runner.summary, "gm")), ([summary]) => {
      const sum = (pattern: RegExp): number => {
        const all = summary.matchAll(new RegExp(pattern, `${pattern.flags.replace("g", "")}g`));
        return [...all].reduce((total, [, count]) => total + Number(count), 0);
      };
      return { passed: sum(runner.passed), failed: sum(runner.failed), skipped: sum(runner.skipped) };
    }),
  );
  if (found.length === 0) return undefined;
  return found.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }));
}
