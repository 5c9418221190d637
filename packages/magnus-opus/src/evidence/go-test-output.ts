// `go test` prints no summary, so its tests are counted one by one.
import { objectIn } from "@atomic/durable-files/jsonc/object-in";
import type { TestCounts } from "./test-counts.ts";

/** A line of `go test -json`, or what a line of its plain output means. */
interface GoEvent {
  readonly Action: string;
  readonly Package?: string | undefined;
  /** Absent for the result of a whole package. */
  readonly Test?: string | undefined;
  readonly Output?: string;
}

const results: ReadonlySet<string> = new Set(["pass", "fail", "skip"]);

/**
 * Counts the tests of `go test -json` and `go test -v`. Plain `go test` names only those that fail, so the number that passed stays
 * unknown. A result counts only for a test that was started: any test can print a line like `--- PASS`.
 */
export function goCounts(output: string): TestCounts | undefined {
  const open = new Map<string, string>();
  const counts = { pass: 0, fail: 0, skip: 0 };
  let packages = 0;
  let hasUnseenTests = false;
  let failedHere = 0;
  for (const { Action: action, Package: of, Test: test } of eventsIn(output)) {
    if (test !== undefined) {
      if (action === "run") open.set(test, of ?? "");
      if (!results.has(action) || (!open.delete(test) && action !== "fail")) continue;
      counts[action as keyof typeof counts]++;
      if (action === "fail") failedHere++;
    } else if (results.has(action) || action === "unseen") {
      packages++;
      hasUnseenTests ||= action === "unseen";
      // Not compiled, or ended in the middle of a test.
      if (action === "fail" && failedHere === 0) counts.fail++;
      failedHere = 0;
      open.clear();
    }
  }
  if (packages === 0 || (hasUnseenTests && counts.pass + counts.fail + counts.skip === 0)) return undefined;
  return { passed: counts.pass, failed: counts.fail, skipped: counts.skip };
}

function* eventsIn(output: string): Generator<GoEvent> {
  let isVerbose = false;
  for (const line of output.split("\n")) {
    const event = jsonEvent(line);
    if (event !== undefined) {
      yield event;
      continue;
    }
    const run = /^=== RUN {3}(\S+)$/.exec(line)?.[1];
    const [, result, test] = /^\s*--- (PASS|FAIL|SKIP): (\S+) \(/.exec(line) ?? [];
    const [, end] = /^(ok {2}|FAIL|\? {3})\t\S+/.exec(line) ?? [];
    isVerbose ||= run !== undefined;
    if (run !== undefined) yield { Action: "run", Test: run };
    if (result !== undefined) yield { Action: result.toLowerCase(), Test: test };
    if (end === "FAIL") yield { Action: "fail" };
    if (end?.startsWith("?")) yield { Action: "skip" };
    if (end?.startsWith("ok")) yield { Action: isVerbose || line.includes("[no tests to run]") ? "pass" : "unseen" };
    if (end !== undefined) isVerbose = false;
  }
}

/** What `go test -json` would have printed without `-json`; other output stays as it is. */
export function goText(output: string): string {
  if (!output.includes('"Action":')) return output;
  const texts = output.split("\n").map((line) => {
    const event = jsonEvent(line);
    return event === undefined ? `${line}\n` : (event.Output ?? "");
  });
  return texts.join("").trimEnd();
}

function jsonEvent(line: string): GoEvent | undefined {
  if (!line.startsWith('{"') || !line.includes('"Action":')) return undefined;
  return objectIn(line) as GoEvent | undefined;
}
