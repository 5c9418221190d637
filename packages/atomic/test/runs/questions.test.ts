import { describe, expect, test } from "bun:test";
import { toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import type { Json } from "@atomic/workflows/internal/run/json";
import {
  answerTo,
  headline,
  howToAnswer,
  promptFor,
  questionsOf,
  type RunQuestion,
  signalsFor,
} from "../../src/view/questions.ts";
import { TestJournal } from "./journal.ts";

const asking = (): TestJournal =>
  new TestJournal(
    graph({ name: "release" })
      .start(toolNode({ id: "build", run: () => 1 }))
      .then(waitNode({ prompt: "" })),
  );

function question(about: Json): RunQuestion {
  const [first] = questionsOf(asking().asked("ask", about).view.state);
  return first!;
}

const ship = { kind: "wait", question: "Ship it?" };
const database = { kind: "ask-user", question: "Which?", options: [{ label: "SQLite" }, { label: "Postgres" }] };
const several = { ...database, multiple: true };
const named = { kind: "ask-user", question: "What is its name?" };
const push = {
  type: "permission",
  host: "opencode",
  path: "a",
  tool: "bash",
  detail: "git push",
  always: "git push *",
};
const bash = { type: "permission", host: "opencode", path: "build", tool: "bash", detail: "rm -rf build" };

describe("what is asked", () => {
  test.each([
    [ship, "approval", "Ship it?"],
    [database, "choice", "Which?"],
    [named, "text", "What is its name?"],
    [bash, "permission", "build wants to use bash: rm -rf build"],
    ["plain text", "approval", "plain text"],
    [{ of: "another program" }, "approval", '{"of":"another program"}'],
  ] as const)("%j is a question of kind %s", (about, kind, text) => {
    expect(question(about as Json)).toMatchObject({ key: "ask", kind, text });
  });

  test("an answered question is no longer asked", () => {
    const journal = asking().asked("one", ship).asked("two", ship).answered("one", true);
    expect(questionsOf(journal.view.state).map(({ key }) => key)).toEqual(["two"]);
  });

  test("an answer that has not been read yet counts", () => {
    const journal = asking().asked("one", ship);
    journal.add({ type: "signal-received", key: "one", value: true, inbox: 1 });
    expect(questionsOf(journal.view.state)).toEqual([]);
  });

  test("an interrupted step's question stays open, because it will be asked again", () => {
    const journal = asking().started("build").asked("build?1", bash, "build").add({ type: "run-released" });
    expect(questionsOf(journal.view.state).map(({ key }) => key)).toEqual(["build?1"]);
  });

  test("a question is closed when its step has ended", () => {
    const journal = asking().started("build").asked("build?1", bash, "build").failed("build", "no");
    expect(questionsOf(journal.view.state)).toEqual([]);
  });

  test("a run that has ended asks nothing", () => {
    const journal = asking()
      .asked("one", ship)
      .add({ type: "run-ended", outcome: { kind: "cancelled" } });
    expect(questionsOf(journal.view.state)).toEqual([]);
  });
});

describe("what is said", () => {
  test.each([
    [ship, undefined, true],
    [ship, "yes", true],
    [ship, " Y ", true],
    [ship, "Ok!", true],
    [ship, "nope", false],
    [ship, "no", false],
    [ship, "refuse", false],
    [database, "Postgres", "Postgres"],
    [database, "postgres", "Postgres"],
    [database, "2", "Postgres"],
    [several, "1, postgres", ["SQLite", "Postgres"]],
    [several, "sqlite", ["SQLite"]],
    [named, "true", "true"],
    [bash, undefined, "allow"],
    [bash, "yes", "allow"],
    [bash, "no", "deny"],
    [bash, " Always. ", "always"],
  ] as const)("for %j, %j means %j", (about, words, value) => {
    expect(answerTo(question(about as Json), { words })).toEqual({ value: value as Json });
  });

  test.each([
    [ship, undefined, false],
    [bash, undefined, "deny"],
    [bash, "use git", { answer: "deny", reason: "use git" }],
  ] as const)("for %j, a rejection with %j means %j", (about, words, value) => {
    expect(answerTo(question(about as Json), { words, deny: true })).toEqual({ value: value as Json });
  });

  test.each([
    [database, undefined, false, "Choose one of SQLite, Postgres."],
    [database, "3", false, '"3" is not one of SQLite, Postgres.'],
    [database, "p", false, '"p" is not one of SQLite, Postgres.'],
    [database, "Postgers", false, '"Postgers" is not one of SQLite, Postgres (did you mean Postgres?).'],
    [several, "1, x", false, '"x" is not one of SQLite, Postgres.'],
    [database, undefined, true, "This is not a yes/no question."],
    [named, " ", false, "Type some text."],
    [named, undefined, true, "This is not a yes/no question."],
    [bash, "perhaps", false, '"perhaps" is not yes, no or always.'],
    [ship, "always", false, '"always" is neither yes nor no.'],
    [ship, "", false, '"" is neither yes nor no.'],
    [ship, "cancel", false, '"cancel" is neither yes nor no.'],
    [ship, "please wait, I found a bug", false, '"please wait, I found a bug" is neither yes nor no.'],
    [ship, '{"version":"1.4.0"}', false, '"{"version":"1.4.0"}" is neither yes nor no.'],
    [ship, "because", true, "This question does not accept a value with --deny."],
  ] as const)("for %j, %j (rejected: %j) is not an answer", (about, words, deny, problem) => {
    expect(answerTo(question(about as Json), { words, deny })).toEqual({ problem });
  });
});

test("`always` also answers the open questions that it covers", () => {
  const journal = asking().started("build");
  const details = ["git push", "git push origin", "git pull"];
  for (const [at, detail] of details.entries()) {
    const always = detail.replace(/(git \w+).*/, "$1 *");
    journal.asked(`build?${at + 1}`, { ...push, detail, always }, "build");
  }
  const open = questionsOf(journal.view.state);
  expect(signalsFor(open[0]!, "always", open)).toEqual([
    { key: "build?1", value: "always" },
    { key: "build?2", value: "allow" },
  ]);
  expect(signalsFor(open[0]!, "allow", open)).toEqual([{ key: "build?1", value: "allow" }]);
});

test.each([
  [push, "bash: git push *"],
  [bash, "exactly this command"],
  [{ ...push, tool: "edit", detail: "src/a.ts", always: "*" }, "edit, any file in the project"],
  [{ ...push, tool: "edit", detail: "/etc/hosts", always: undefined }, "exactly this use of edit"],
  [{ ...push, tool: "github/merge", always: "*" }, "any use of github/merge"],
])("the prompt for %j says that `always` covers %s", (about, covers) => {
  const asked = question(JSON.parse(JSON.stringify(about)) as Json);
  expect(promptFor(asked)).toBe(`  yes, no, or always in this run (${covers}): `);
});

test.each([
  [push, ["--key ask", "--deny --key ask", "always --key ask"]],
  [ship, ["--key ask", "--deny --key ask"]],
  [database, ["SQLite --key ask"]],
  [{ ...database, options: [{ label: "my own" }] }, ["'my own' --key ask"]],
  [named, ['"…" --key ask']],
] as const)("the answer to %j is shown as a command for this question only", (about, commands) => {
  expect(howToAnswer("calm-otter", question(about as Json)).map(({ command }) => command)).toEqual(
    commands.map((rest) => `atomic approve calm-otter ${rest}`),
  );
});

test.each([
  ["Ship it?", "Ship it?"],
  ["Dark mode\n\nNo more crash\n\n  Publish \x1b[2J1.4.0?\n", "… Publish \\x1b[2J1.4.0?"],
  ["Ready?\nThe tests pass.", "Ready? …"],
  ["Say **something** long", "Say something long"],
  ["# The plan\n\n- a step\n\n**Publish `1.4.0`?**", "… Publish 1.4.0?"],
  ["> See [the notes](https://example.org/notes)?", "See the notes (https://example.org/notes)?"],
  ["Name the release.\nIt is short.", "Name the release. …"],
  [`${"long ".repeat(40)}?`, `${"long ".repeat(40).slice(0, 99)}…`],
])("a sentence about %j has %j", (text, line) => {
  expect(headline(question({ kind: "wait", question: text }))).toBe(line);
});

test("a sentence about what an agent wants to do has every sign of it", () => {
  const about = { type: "permission", tool: "bash", detail: "rm **/__x__", path: "review" };
  expect(headline(question(about))).toBe("review wants to use bash: rm **/__x__");
});
