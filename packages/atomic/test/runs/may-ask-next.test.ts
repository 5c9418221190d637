// When a run that was just answered may ask again at once.
import { expect, test } from "bun:test";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { mayAskNext } from "../../src/live/may-ask-next.ts";
import { newGraph } from "./begun.ts";
import { TestJournal } from "./journal.ts";

const graph = newGraph()
  .start(waitNode({ id: "first", prompt: "Now?" }))
  .wait(waitNode({ id: "second", prompt: "And now?" }))
  .then(toolNode({ id: "say", run: () => "said" }));

const asked = (): TestJournal => new TestJournal(graph).asked("first", "Now?");
const got = { type: "signal-received", key: "first", value: true, inbox: 1 } as const;

test.each<[string, TestJournal, boolean]>([
  ["before it has taken the answer", asked().add(got), true],
  ["when it has", asked().answered("first", true), true],
  ["not once a step has begun", asked().answered("first", true).started("say"), false],
  ["after that step", asked().answered("first", true).started("say").finished("say"), true],
  [
    "not while a step is to be tried again",
    asked().answered("first", true).started("say").failed("say", "no", 1),
    false,
  ],
  [
    "not while it sleeps",
    asked().answered("first", true).add({ type: "sleep-started", key: "nap", ms: 1, until: 1 }),
    false,
  ],
  ["while its branches begin", asked().answered("first", true).forked("look", 2), true],
  [
    "while another branch works, before it has taken the answer",
    new TestJournal(graph).started("other").asked("first", "Now?").add(got),
    true,
  ],
  ["not while it is being cancelled", asked().add({ type: "run-cancel-requested", inbox: 1 }), false],
  ["not while no process works on it", asked().add({ type: "run-released" }).add(got), false],
  ["not after its end", asked().answered("first", true).done(), false],
])("%s", (_title, journal, expected) => {
  expect(mayAskNext(journal.view.state)).toBe(expected);
});
