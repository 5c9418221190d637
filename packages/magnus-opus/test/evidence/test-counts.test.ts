// What test runners print. `recorded`: by the real program of that version. `written`: after its documentation, because it was not
// installed where the recordings were made. Those that are installed here also run for real, see real-runners.test.ts.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { goText } from "../../src/evidence/go-test-output.ts";
import { testCounts } from "../../src/evidence/test-counts.ts";

interface Recording {
  readonly title: string;
  readonly command: string;
  readonly counts: object | undefined;
  readonly output: string;
}

const folder = `${import.meta.dirname}/recorded`;
const recordings = readdirSync(folder).flatMap((name) => recordingsIn(readFileSync(`${folder}/${name}`, "utf8")));

test.each(recordings.map((each) => [each.title, each] as const))("%s", (_, { command, counts, output }) => {
  expect(testCounts(output, command)).toEqual(counts as never);
  expect(testCounts(output.replaceAll("\n", "\r\n"), command)).toEqual(counts as never);
});

test("every runner has a recording, and most have one of a test that prints a summary", () => {
  expect(recordings.length).toBeGreaterThan(60);
  expect(recordings.filter(({ title }) => title.includes("prints")).length).toBeGreaterThanOrEqual(12);
});

describe("nothing is counted", () => {
  test.each([
    "",
    "all good",
    "5 passed",
    "Tests: 3",
    "Tests:       3 passed, 3 total\n",
    " 12 pass\n 0 fail\n",
    "I ran 4 tests and all of them passed.\n",
    "passed (3)",
    "Ran 9 tests in 0.1s\n\nOK\n",
    "--- PASS: TestOne (0.00s)\nPASS\n",
  ])("of %j", (output) => expect(testCounts(output)).toBeUndefined());

  test("of a runner that the command does not start", () => {
    expect(testCounts("============ 9 passed in 0.02s ============\n", "npm test; test: vitest run")).toBeUndefined();
  });
});

test("JSON of go test is shown as what it says", () => {
  const line = (event: object) => JSON.stringify({ Time: "2026-01-02T10:00:00Z", ...event });
  const output = [
    "# example.com/b",
    line({ Action: "run", Package: "a", Test: "TestOne" }),
    line({ Action: "output", Package: "a", Test: "TestOne", Output: "    a_test.go:6: later\n" }),
    '{"Action": broken',
  ].join("\n");
  expect(goText(output)).toBe('# example.com/b\n    a_test.go:6: later\n{"Action": broken');
});

/** Sections that begin with `@@ origin | version | what | command | passed failed skipped`. */
function recordingsIn(text: string): readonly Recording[] {
  return text
    .split(/^@@ /m)
    .slice(1)
    .map((section) => {
      const [head = "", ...lines] = section.split("\n");
      const [origin, version, what, command = "", numbers = ""] = head.split(" | ");
      const [passed, failed, skipped] = numbers.split(" ").map(Number);
      return {
        title: `${version}, ${origin}: ${what}`,
        command,
        counts: numbers === "unknown" ? undefined : { passed, failed, skipped },
        output: lines.join("\n").replaceAll("\\e[", "\u001b["),
      };
    });
}
