import { expect, test } from "bun:test";
import type { BackgroundTask, Notice, Stage } from "../../../src/background/task.ts";
import { interruptedWords, resultWords } from "../../../src/plugin/background/task-words.ts";

const due: Notice = { kind: "due" };
const over = (openTodos = 0): Stage => ({
  ...{ kind: "over", at: 1, mustAbort: false, isFree: false },
  outcome: { kind: "completed", text: "found", openTodos },
});
const task = (stage: Stage, notice: Notice = due): BackgroundTask => ({
  ...{
    id: "ses_a",
    turn: 1,
    parent: "ses_p",
    root: "ses_p",
    depth: 1,
    agent: "explorer",
    description: "look",
    model: "",
  },
  ...{ after: "", launchedAt: 0, stage, notice, heardAt: 0, waitsForPerson: false, isAwaited: false },
});
const [open, late, given] = [task({ kind: "running" }), task(over()), task(over(), { kind: "given", how: "delivery" })];
const more = "You get the details with your next message in the session.";

test.each([
  [[], ""],
  [[given], ""],
  [[open], `1 background task was interrupted. ${more}`],
  [[open, open, given], `2 background tasks were interrupted. ${more}`],
  [[late], `1 background result was not delivered. ${more}`],
  [[open, late, late], `1 background task was interrupted, 2 background results were not delivered. ${more}`],
])("after a restart, only what was lost is counted, and as what it is (%#)", (tasks, words) => {
  expect(interruptedWords(tasks)).toBe(words);
});

test("one todo is one todo", () => {
  expect(resultWords(task(over(1)))).toContain("The agent left 1 todo open.");
  expect(resultWords(task(over(2)))).toContain("The agent left 2 todos open.");
});
