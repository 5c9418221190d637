import { describe, expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import type { FollowedRun } from "../../src/opencode/followed-runs.ts";
import {
  afterAnswer,
  afterCancel,
  choicesFor,
  chosenAnswer,
  closedMessage,
  endOf,
  notSent,
  openRuns,
  sessionsOf,
  shownStatus,
  sidebarText,
  statusLine,
} from "../../src/opencode/run-words.ts";
import { questionOf } from "../../src/view/questions.ts";
import { describeStatus } from "../../src/view/run-status.ts";
import type { RunView } from "../../src/view/run-view.ts";
import { newGraph } from "../runs/begun.ts";
import { TestJournal } from "../runs/journal.ts";

const approval = questionOf("sure", { about: { question: "Ship it?" } });
const permission = questionOf("look?1", { about: { type: "permission", tool: "bash", detail: "ls" } });
const choice = questionOf("db", {
  about: { kind: "ask-user", question: "Which?", options: [{ label: "a,b" }, { label: "c" }] },
});
const counts = questionOf("count", {
  about: { kind: "ask-user", question: "How many?", options: [{ label: "2" }, { label: "1" }, { label: "1,2" }] },
});
const several = { ...choice, multiple: true };
const text = questionOf("name", { about: { kind: "ask-user", question: "Called?" } });

function run(runId: string, kind: string, more: Partial<FollowedRun> = {}): FollowedRun {
  const owner = { pid: 1, host: "here" };
  const state = { runId, name: "ship", status: { kind, owner, for: [] }, calls: new Map() };
  return { runId, view: { state } as unknown as RunView, questions: [], isWorkedOn: kind === "running", ...more };
}

describe("the status line", () => {
  const shown = (runs: readonly FollowedRun[], columns = 100): string => withoutColour(statusLine(runs, columns));

  test.each([
    [[], ""],
    [[run("calm-otter", "done")], ""],
    [[run("calm-otter", "pending"), run("brave-lark", "done")], "atomic 1 idle run · /runs"],
    [[run("calm-otter", "pending"), run("brave-lark", "waiting")], "atomic 2 idle runs · /runs"],
    [[run("brave-lark", "running"), run("calm-otter", "pending")], "atomic ship brave-lark running · /runs"],
    [[run("calm-otter", "running")], "atomic ship calm-otter running · /runs"],
    [
      [run("calm-otter", "pending", { questions: [{ ...approval, text: "  " }] })],
      "atomic ship calm-otter asks: your answer · /runs",
    ],
    [[run("calm-otter", "pending", { questions: [approval] })], "atomic ship calm-otter asks: Ship it? · /runs"],
    [
      [run("brave-lark", "running"), run("calm-otter", "pending", { questions: [approval] })],
      "atomic ship calm-otter asks: Ship it? · 1 more · /runs",
    ],
    [
      [run("calm-otter", "pending", { questions: [approval, text] })],
      "atomic ship calm-otter asks: Ship it? · 1 more · /runs",
    ],
    [
      [
        run("brave-lark", "running"),
        run("calm-otter", "pending", { questions: [approval, text] }),
        run("new-newt", "pending", { questions: [choice, text] }),
      ],
      "atomic ship calm-otter asks: Ship it? · 4 more · /runs",
    ],
  ])("is about what is open, and first about what asks", (runs, line) => {
    expect(shown(runs)).toBe(line);
  });

  test.each([
    [50, "atomic ship calm-otter asks: Is this real… · /runs"],
    [43, "atomic ship calm-otter asks: Is th… · /runs"],
    [42, "ship calm-otter asks: Is this rea… · /runs"],
    [36, "ship calm-otter asks: Is th… · /runs"],
    [35, "asks: Is this really what… · /runs"],
    [14, "asks:… · /runs"],
  ])("fits in %i columns", (columns, line) => {
    const long = questionOf("sure", { about: { question: "Is this really what you want to ship today?" } });
    expect(shown([run("calm-otter", "pending", { questions: [long] })], columns)).toBe(line);
    expect(line.length).toBeLessThanOrEqual(columns);
  });

  test.each([
    [27, "atomic 12 idle runs · /runs"],
    [26, "12 idle runs · /runs"],
    [19, "12 idle ru… · /runs"],
  ])("is one line about idle runs, too, however many, in %i columns", (columns, line) => {
    const idle = Array.from({ length: 12 }, (_, at) => run(`calm-otter-${at}`, "interrupted"));
    expect(shown(idle, columns)).toBe(line);
  });

  test("a run that no process works on and that asks nothing is not open", () => {
    expect(openRuns([run("calm-otter", "pending"), run("brave-lark", "interrupted")])).toEqual([]);
  });
});

describe("an answer in a dialog is what atomic approve would send", () => {
  test.each([
    ["yes", approval, ["yes"], undefined, true],
    ["no", approval, ["no"], undefined, false],
    ["allow", permission, ["yes"], undefined, "allow"],
    ["always", permission, ["always"], undefined, "always"],
    ["deny", permission, ["no"], undefined, "deny"],
    ["deny with a reason", permission, ["no"], "use ls -a", { answer: "deny", reason: "use ls -a" }],
    ["an option with a comma", choice, ["1"], undefined, "a,b"],
    ["several options", several, ["1", "2"], undefined, ["a,b", "c"]],
    ["an option whose name is another one's number", counts, ["1"], undefined, "2"],
    ["several of such options", { ...counts, multiple: true }, ["1", "3"], undefined, ["2", "1,2"]],
    ["text", text, ["text"], "The Tower", "The Tower"],
  ] as const)("%s", (_, question, values, words, value) => {
    expect(chosenAnswer(question, values, words)).toEqual({ value: value as never });
  });

  test.each([approval, permission, choice])("later is none", (question) => {
    expect(choicesFor(question)[0]?.title).toBe("Later");
    expect(chosenAnswer(question, ["later"], undefined)).toBeUndefined();
  });
});

test("an agent's session is found also if its prompt was too long for the journal's line", () => {
  const finished = (result: object) => ({ kind: "step", phase: { kind: "finished", result } });
  const session = { host: "opencode", id: "ses_1" };
  const calls = new Map<string, object>([
    ["look:session", finished({ value: { session, prompt: "Look." } })],
    ["look", finished({ value: { output: "seen" } })],
    ["read:session", finished({ rest: { session: { ...session, id: "ses_2" }, prompt: null }, parts: [] })],
    ["odd:session", finished({ value: "session" })],
  ]);
  expect(sessionsOf({ calls } as unknown as RunView["state"])).toEqual([
    { node: "look", host: "opencode", id: "ses_1" },
    { node: "read", host: "opencode", id: "ses_2" },
  ]);
});

describe("a dialog that closes by itself", () => {
  const closed = new Map([["name", { kind: "wait", phase: "closed" }]]);
  const left = (kind: string, more: object = {}, asks: Partial<FollowedRun> = {}): FollowedRun => {
    const one = run("calm-otter", kind, asks);
    Object.assign(one.view.state, { workspace: {}, signals: new Map(), ...more });
    return one;
  };
  const here = left("running");
  const elsewhere = "calm-otter: this question was answered elsewhere";
  const idle = `${elsewhere}. No process is working on the run. To continue: `;
  test.each<[string, FollowedRun | undefined, string, string, boolean?]>([
    ["after an answer from elsewhere", here, "", elsewhere],
    ["after it was read", left("running", { calls: closed, signals: new Map([["name", "x"]]) }), "", elsewhere],
    ["after an answer that was the run's last one", left("done", { signals: new Map([["name", "x"]]) }), "", elsewhere],
    ["after its time", left("running", { calls: closed }), "", "calm-otter: this question no longer needs an answer"],
    ["after a cancellation", left("cancelled"), "", "calm-otter: the run has ended"],
    ["after it was removed", undefined, "", "calm-otter: the run was removed or can no longer be read"],
    ["and how to continue, if no process does", left("pending"), "", `${idle}atomic resume calm-otter`],
    ["and how to continue, if its process is gone", left("waiting"), "", `${idle}atomic resume calm-otter`],
    [
      "and how to continue a program's run",
      left("pending", { workspace: { program: true } }),
      "",
      `${idle}run the program again with runId "calm-otter"`,
    ],
    [
      "and how to continue at its budget, also with workers",
      left("stopped", { status: { kind: "stopped", reason: "enough", exceeded: { limit: "usd" } } }),
      "",
      `${idle}atomic raise calm-otter --budget-usd <more>`,
      true,
    ],
    ["and leaves the rest to a worker", left("pending"), "", elsewhere, true],
    ["and leaves the rest to its other question", left("pending", {}, { questions: [approval] }), "", elsewhere],
    ["while you type", here, "The\n\x1b[31mTower", `${elsewhere}. What you typed was not sent: The \\x1b[31mTower`],
  ])("says why %s", (_, found, typed, message, hasWorkers = false) => {
    expect(closedMessage("calm-otter", "name", found, { typed, hasWorkers })).toBe(message);
  });
});

test("what you typed is repeated with a problem, as one line", () => {
  expect(notSent("")).toBe("");
  expect(notSent("The\n\x1b[31mTower")).toBe(". What you typed was not sent: The \\x1b[31mTower");
});

describe("after an answer", () => {
  const state = {
    runId: "calm-otter",
    workspace: {},
    status: { kind: "pending" },
    calls: new Map(),
    signals: new Map(),
  };
  const asks = new Map([["other", { kind: "wait", phase: "open" }]]);
  const recorded = "calm-otter has your answer, but no process is working on it. To continue: ";

  test.each([
    ["whose process waits", {}, "waiting", false, false, "calm-otter continues"],
    ["that no process works on", {}, "pending", false, true, "calm-otter continues"],
    ["whose process is gone", {}, "interrupted", false, true, "calm-otter continues"],
    ["in a database", {}, "pending", true, false, "A worker continues calm-otter"],
    ["with another question", { calls: asks }, "pending", false, false, "calm-otter has another question for you"],
    [
      "of a program",
      { workspace: { program: true } },
      "pending",
      false,
      false,
      `${recorded}run the program again with runId "calm-otter"`,
    ],
  ])("a run %s is left as it should be", (_, more, kind, hasWorkers, continues, message) => {
    const after = { ...state, ...more } as unknown as RunView["state"];
    expect(afterAnswer(after, { ...after.status, kind } as RunView["state"]["status"], hasWorkers)).toEqual({
      continues,
      message,
    });
  });
});

test.each([
  ["pending", [approval], "waiting for an answer"],
  ["interrupted", [approval, text], "waiting for 2 answers"],
  ["pending", [], "not being worked on"],
  ["waiting", [], "interrupted: its process is gone"],
])("a run that is %s is shown with its questions", (kind, questions, words) => {
  expect(describeStatus(shownStatus(run("calm-otter", kind, { questions })))).toBe(words);
});

test("the sidebar names every run's status in the same way", () => {
  const { view } = new TestJournal(newGraph("ship").start(toolNode({ id: "build", run: () => "built" })));
  const asking: FollowedRun = { runId: "calm-otter", view, questions: [approval], isWorkedOn: false };
  const lines = withoutColour(sidebarText([asking, asking], { columns: 60, rows: 10 })).split("\n");
  const named = lines.filter((line) => line.startsWith("ship")).map((line) => line.replace(/ {2}0ms.*$/, ""));
  expect(named).toEqual(Array(2).fill("ship calm-otter  waiting for an answer"));
});

const failure = { key: "publish", name: "Error", message: "the registry\u001b[2J did not answer" };

test.each<[Parameters<typeof afterCancel>[1], string]>([
  [{ kind: "cancelling" }, "calm-otter is being cancelled"],
  [{ kind: "cancelled", at: 2 }, "calm-otter is cancelled"],
  [{ kind: "done", result: { value: null }, at: 2 }, "calm-otter has ended: done"],
  [
    { kind: "failed", error: failure, at: 2 },
    "calm-otter has ended: failed: publish: the registry\\x1b[2J did not answer",
  ],
])("after a cancellation, a run that is %j", (status, message) => {
  expect(afterCancel("calm-otter", status).message).toBe(message);
});

test("the end of a run that you started says why it failed", () => {
  const failed = run("calm-otter", "failed");
  Object.assign(failed.view.state.status, { error: failure });
  expect(endOf(run("calm-otter", "done"))).toMatchObject({ variant: "success", message: "ship calm-otter is done" });
  expect(endOf(failed)).toMatchObject({
    variant: "error",
    message: "ship calm-otter failed: publish: the registry\\x1b[2J did not answer",
  });
  expect([endOf(run("calm-otter", "running")), endOf(run("calm-otter", "cancelled"))]).toEqual([undefined, undefined]);
});
