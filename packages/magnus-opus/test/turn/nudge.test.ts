import { expect, test } from "bun:test";
import {
  decideNudge,
  type IdleSession,
  mostNudges,
  type NudgeHistory,
  notNudged,
  type Todo,
} from "../../src/turn/nudge.ts";

const todo = (content: string, status = "pending"): Todo => ({ content, status });
const session = (todos: readonly Todo[], more: Partial<IdleSession> = {}): IdleSession => ({
  ...{ todos, agent: "build", skipAgents: ["plan"], isChild: false, waitsForPerson: false, said: "Done for now." },
  ...{ hasBackgroundTasks: false, ...more },
});
const open = [todo("a"), todo("b", "in_progress")];

/** What is decided at the end of each turn, if every nudge is sent. */
function decisions(turns: readonly (readonly Todo[])[], history: NudgeHistory = notNudged): string[] {
  return turns.map((todos) => {
    const decision = decideNudge(history, session(todos));
    if (decision.do !== "nothing") history = decision.history;
    return decision.do;
  });
}

test("an agent that never finishes its todos gets two nudges and a stop", () => {
  expect(decisions([open, open, open, open])).toEqual(["nudge", "nudge", "stop", "nothing"]);
});

test("each closed todo earns two more nudges", () => {
  const one = [todo("a", "completed"), todo("b")];
  const two = [todo("a", "completed"), todo("b", "cancelled"), todo("c")];
  expect(decisions([open, one, one, one])).toEqual(["nudge", "nudge", "nudge", "stop"]);
  expect(decisions([open, open, one, two, two, two])).toEqual(["nudge", "nudge", "nudge", "nudge", "nudge", "stop"]);
});

test("renaming, removing or adding todos is not progress, and neither is one that begins closed", () => {
  const renamed = [todo("a, really"), todo("b")];
  const more = [todo("a, really"), todo("b"), todo("c"), todo("d", "completed")];
  expect(decisions([open, renamed, more])).toEqual(["nudge", "nudge", "stop"]);
});

test("a list that grows as fast as it shrinks ends, too", () => {
  const turns = Array.from({ length: mostNudges + 1 }, (_, turn) => [
    ...Array.from({ length: turn }, (__, done) => todo(`${done}`, "completed")),
    todo(`${turn}`),
  ]);
  expect(decisions(turns).indexOf("stop")).toBe(mostNudges);
});

test("two todos with the same text: only the one that is closed from now on is progress", () => {
  const twice = (first: string, second: string) => [todo("Write tests", first), todo("Write tests", second)];
  const stuck = twice("completed", "pending");
  expect(decisions([stuck, stuck, stuck])).toEqual(["nudge", "nudge", "stop"]);
  expect(decisions([twice("pending", "pending"), stuck, stuck, stuck])).toEqual(["nudge", "nudge", "nudge", "stop"]);
});

test.each<[string, Partial<IdleSession>, NudgeHistory?]>([
  ["there are no todos", { todos: [] }],
  ["all of them are closed", { todos: [todo("a", "completed"), todo("b", "cancelled")] }],
  ["the user has stopped it", {}, { ...notNudged, isStopped: true }],
  ["it is a child session", { isChild: true }],
  ["its agent is skipped", { agent: "plan" }],
  ["a person is awaited", { waitsForPerson: true }],
  ["it asks something", { said: "Shall I go on?" }],
  ["it asks something and names the answers", { said: "Shall I drop it?\n\n1. Yes\n2. No\n\nLet me know." }],
  ["background tasks are running", { hasBackgroundTasks: true }],
])("nothing happens if %s", (_, more, history = notNudged) => {
  expect(decideNudge(history, session(open, more)).do).toBe("nothing");
});
