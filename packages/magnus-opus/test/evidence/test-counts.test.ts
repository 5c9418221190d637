import { describe, expect, test } from "bun:test";
import { testCounts } from "../../src/evidence/test-counts.ts";

const vitest = `
 ✓ src/a.test.ts (3 tests | 1 skipped) 4ms

 Test Files  1 failed | 1 passed (2)
      Tests  1 failed | 5 passed | 2 skipped | 1 todo (9)
   Start at  10:00:00
   Duration  1.20s
`;
const jest = `
Test Suites: 1 passed, 1 total
Tests:       1 skipped, 7 passed, 8 total
Snapshots:   0 total
Time:        0.5 s
`;
const bun = `
 12 pass
 1 skip
 2 fail
 30 expect() calls
Ran 15 tests across 2 files. [20.00ms]
`;
const node = `
ℹ tests 4
ℹ suites 0
ℹ pass 2
ℹ fail 1
ℹ cancelled 0
ℹ skipped 1
ℹ todo 0
ℹ duration_ms 50
`;
const playwright = `
Running 4 tests using 1 worker
  1 failed
    [chromium] › a.spec.ts:3:1 › has title ──────
  1 skipped
  2 passed (5.1s)
`;

test.each([
  ["vitest", vitest, { passed: 5, failed: 1, skipped: 3 }],
  ["jest", jest, { passed: 7, failed: 0, skipped: 1 }],
  ["bun", bun, { passed: 12, failed: 2, skipped: 1 }],
  ["node", node, { passed: 2, failed: 1, skipped: 1 }],
  ["node's TAP", node.replaceAll("ℹ", "#"), { passed: 2, failed: 1, skipped: 1 }],
  ["playwright", playwright, { passed: 2, failed: 1, skipped: 1 }],
  ["two runners, one after the other", jest + bun, { passed: 19, failed: 2, skipped: 2 }],
  ["colours", " \u001b[32m 12 pass\u001b[0m\n\u001b[31m 0 fail\u001b[39m\n", { passed: 12, failed: 0, skipped: 0 }],
  ["line ends of Windows", bun.replaceAll("\n", "\r\n"), { passed: 12, failed: 2, skipped: 1 }],
])("counts what %s says", (_, output, counts) => {
  expect(testCounts(output)).toEqual(counts);
});

describe("nothing is counted", () => {
  test.each(["", "all good", "5 passed", "Tests: 3", "I ran 4 tests and all of them passed.\n", "passed (3)"])(
    "of %j",
    (output) => expect(testCounts(output)).toBeUndefined(),
  );
});
