import { expect, test } from "bun:test";
import { startedRun } from "../../src/opencode/start-run.ts";

const problem = (message: string, hint?: string): string => `${JSON.stringify({ error: { message, hint } })}\n`;

test.each([
  ["a run", '{"runId":"calm-otter"}\n', { runId: "calm-otter", problem: "" }],
  ["a run after other lines", 'Loading\n{"runId":"calm-otter"}\n', { runId: "calm-otter", problem: "" }],
  [
    "a problem with what to do",
    problem("ship: <version> is missing.", "Run `atomic run ship --help` for usage."),
    { problem: "ship: <version> is missing. Run `atomic run ship --help` for usage." },
  ],
  ["a problem alone", problem("Workflow not found: x"), { problem: "Workflow not found: x" }],
  [
    "the help, as JSON over several lines",
    '{\n  "name": "run"\n}\n',
    { problem: "This does not start a run. Type /run <workflow> [arguments]" },
  ],
  ["nothing", "", { problem: "This does not start a run. Type /run <workflow> [arguments]" }],
])("what atomic run prints is %s", (_, answer, started) => {
  expect(startedRun(answer)).toEqual(started);
});
