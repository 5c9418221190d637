import { expect, test } from "bun:test";
import { errorsIn, failedHooks, failedPlugins } from "../../src/opencode/opencode.ts";

const log = `timestamp=2026-01-01T00:00:00.000Z level=INFO run=1 message="creating instance" directory=/x
timestamp=2026-01-01T00:00:00.000Z level=ERROR run=1 message="failed to load plugin" path=verse@1.0.0 error="Plugin export is not a function"
timestamp=2026-01-01T00:00:00.000Z level=ERROR run=1 message="failed to load plugin" path=file:///a/b error="it said \\"no\\" twice"
timestamp=2026-01-01T00:00:00.000Z level=ERROR run=1 message="plugin config hook failed" error=boom
timestamp=2026-01-01T00:00:00.000Z level=ERROR run=1 message="something else" error="\\x is no escape"
what a plugin printed level of ERROR=
`;

test("errors are found among the lines, whatever is between them", () => {
  const errors = errorsIn(log);
  expect(errors).toHaveLength(4);
  expect(failedPlugins(errors)).toEqual(
    new Map([
      ["verse@1.0.0", "Plugin export is not a function"],
      ["file:///a/b", 'it said "no" twice'],
    ]),
  );
  expect(failedHooks(errors)).toEqual(["boom"]);
  expect(errors.at(-1)?.get("error")).toBe("\\x is no escape");
  expect(errorsIn("")).toEqual([]);
});
