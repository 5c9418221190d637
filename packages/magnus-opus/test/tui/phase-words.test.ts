import { describe, expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import type { PersonDecision } from "../../src/run/event.ts";
import { hold } from "../../src/run/held.ts";
import { personAct } from "../../src/run/person-act.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import {
  answerCommand,
  byNearness,
  closedMessage,
  damageMessage,
  notSent,
  questionOf,
  refusalLines,
  sentMessage,
  sidebarText,
  statusLine,
} from "../../src/tui/phase-words.ts";
import type { WatchedRun } from "../../src/tui/watched-runs.ts";
import { anna, type RunStart, root, SimulatedRun, started } from "../run/simulated-run.ts";

/** A run that waits for a person: about its plan, or what kind of feature it is. */
function planned(start: RunStart = {}): SimulatedRun {
  const run = new SimulatedRun(start);
  while (run.step());
  return run;
}

function finished(): MagnusState {
  const run = planned();
  while (run.state.phase !== "acceptance") {
    run.person((state, by) => personAct("approve", "", state, by));
    while (run.step());
  }
  return run.state;
}

const shown = (state: MagnusState, columns = 60): string =>
  withoutColour(sidebarText({ state, refusal: undefined }, columns));

const inSession = (state: MagnusState, session: string): MagnusState => ({
  ...state,
  sessions: { [session]: state.sessions[root]! },
});

describe("of several runs", () => {
  const run = (session: string, more: Partial<MagnusState> = {}): WatchedRun => ({
    state: { ...inSession(planned().state, session), ...more },
    refusal: undefined,
  });
  const [beta, alpha] = [run("ses_beta", { description: "beta" }), run("ses_alpha", { description: "alpha" })];
  const over = { status: { kind: "done" } } as const;

  test.each([
    ["the session's own", "ses_alpha", [beta, alpha], ["ses_alpha", "ses_beta"]],
    ["elsewhere, the newest", "ses_third", [beta, alpha], ["ses_beta", "ses_alpha"]],
    ["without a session, the newest", undefined, [beta, alpha], ["ses_beta", "ses_alpha"]],
    ["one that is not over", undefined, [run("ses_old", over), alpha], ["ses_alpha", "ses_old"]],
    ["the session's own, even if it is over", "ses_old", [alpha, run("ses_old", over)], ["ses_old", "ses_alpha"]],
  ])("%s comes first", (_, session, runs, order) => {
    expect(byNearness(runs, session).flatMap(({ state }) => Object.keys(state.sessions))).toEqual(order);
  });

  test("the status line is about the first one", () => {
    expect(withoutColour(statusLine(byNearness([beta, alpha], "ses_alpha"), 120))).toMatch(
      /^magnus alpha: .* · 1 more · \/magnus-plan$/,
    );
  });
});

describe("a dialog that closes by itself", () => {
  const { state } = planned();
  test.each([
    ["a removed run", undefined, "The run was removed, or its session was deleted"],
    ["a run that is over", { ...state, status: { kind: "done" } } as const, "a profile page: the run has ended"],
    [
      "a paused run",
      { ...state, status: { kind: "paused", reason: "command", detail: "you stopped it" } } as const,
      "a profile page: the run is paused: you stopped it",
    ],
    ["a decision", started(), "a profile page: this was decided elsewhere"],
    ["another plan", state, "a profile page: what you were asked about has changed"],
  ])("names %s", (_, now, message) => {
    expect(closedMessage(now && { state: now, refusal: undefined })).toBe(message);
  });

  test("says what was not sent", () => {
    expect(notSent("")).toBe("");
    expect(notSent("half\na th\u001b")).toBe(". What you typed was not sent: half a th\\x1b");
  });
});

test("damaged runs are one message", () => {
  expect(damageMessage(new Map())).toBeUndefined();
  const one = ["impl-1", "its journal is damaged"] as const;
  expect(damageMessage(new Map([one]))).toBe("Cannot show the run impl-1: its journal is damaged. See /magnus-status");
  const three = new Map([one, ["impl-2", "x"], ["impl-3", "y"]]);
  expect(damageMessage(three)).toContain(
    "Cannot show the run impl-1: its journal is damaged. 2 more cannot be shown either; see",
  );
});

describe("what a run asks", () => {
  test.each([
    ["nothing while agents work", started(), undefined, undefined],
    ["what kind of feature it is", planned({ workflow: "UNCLEAR" }).state, "What kind of feature is it?", undefined],
    ["whether to build the plan", planned().state, "Is this the plan to build?", "implementation-plan.md"],
    ["whether the result is right", finished(), "Is the result what you wanted?", undefined],
  ])("is %s", (_, state, title, reads) => {
    const question = questionOf(state);
    expect(question?.title).toBe(title);
    if (reads !== undefined) expect(question?.reads).toBe(reads);
    if (question !== undefined) expect(question.choices[0]?.title).toBe("Later");
  });

  test("changes when a plan is sent back, so the next one is asked about again", () => {
    const run = planned();
    const before = questionOf(run.state)?.key;
    run.person((state, by) => personAct("reject", "smaller", state, by));
    while (run.step());
    expect(questionOf(run.state)?.key).not.toBe(before);
  });
});

describe("an answer is a command of the run's session", () => {
  const renamed = { commandNames: { approve: "magnus-approve", reject: "magnus-reject" } };
  test.each([
    ["approve", { commandNames: {} }, "approve", undefined, { command: "approve", arguments: "" }],
    ["approve, where /approve is yours", renamed, "approve", undefined, { command: "magnus-approve", arguments: "" }],
    ["a type", renamed, "approve --type=MIXED", undefined, { command: "magnus-approve", arguments: "--type=MIXED" }],
    ["a rejection", renamed, "reject", "smaller", { command: "magnus-reject", arguments: "-- smaller" }],
  ])("%s", (_, state, value, words, command) => {
    expect(answerCommand(state, value, words)).toEqual(command);
  });

  test("words that look like options are words", () => {
    const { arguments: typed } = answerCommand({ commandNames: {} }, "reject", "--force is too much");
    const acted = personAct("reject", typed, planned().state, { by: anna, at: 9_000 });
    expect(acted).toMatchObject({ ok: true, event: { type: "rejected", notes: "--force is too much" } });
  });
});

describe("the sidebar", () => {
  test("has the phases, and below the current one what it lacks", () => {
    const run = new SimulatedRun();
    run.step();
    expect(shown(run.state, 37)).toMatchInlineSnapshot(`
      "Magnus Opus
      a profile page
      ✓ Requirements Gathering
      ▶ Architecture Planning
        ○ implementation-plan.md
        ○ quick-reference.md
      · Plan Review
      · Implementation
      · Design Validation
      · UI Fixes
      · Code Review
      · Review Fixes
      · Testing
      · User Acceptance
      · Cleanup"
    `);
  });

  test("says what waits for you", () => {
    expect(shown(planned().state)).toMatch(/\? waiting for .*approval/);
  });

  test("names a decision that an agent may have made", () => {
    const { state } = planned();
    const acted = personAct("approve", "", state, { by: anna, at: 9_000 });
    if (!acted.ok) throw new Error(acted.because);
    const held = reduce(state, hold(acted.event as PersonDecision, "a shell", "agents had a shell"));
    expect(shown(held)).toContain("? paused (held): 1 decision is waiting");
  });

  test("is as wide as it may be, and shows foreign text as it is", () => {
    const state = { ...planned().state, description: `\u001b[31mred\u202e ${"漢字".repeat(50)}` };
    const text = shown(state, 37);
    for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(37);
    expect(text).toContain("\\x1b[31mred\\u{202e}");
  });
});

describe("a refusal without a sidebar", () => {
  const refused = (missing: string, state = planned().state): WatchedRun => {
    const call = { session: "ses_root", agent: "orchestrator", tool: "write", gate: "user_approval", missing };
    return { state, refusal: { type: "call-refused", at: 1, by: { kind: "plugin" }, ...call } };
  };
  const lines = (run: WatchedRun, columns: number): string => withoutColour(refusalLines([run], columns, undefined));

  test("is shown with its reason, as wide as the terminal", () => {
    const run = refused("the user's approval of implementation-plan.md");
    expect(lines(run, 120)).toBe("magnus ✗ write was refused: the user's approval of implementation-plan.md");
    expect(lines(run, 56)).toBe("magnus ✗ write was refused: the user's approval of\n         implementation-plan.md");
  });

  test("takes three lines at most, and draws nothing", () => {
    const text = lines(refused(`\u001b[2J${"漢字".repeat(200)}`), 40);
    expect(text).toContain("\\x1b[2J");
    expect(text.split("\n")).toHaveLength(3);
    for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(text.endsWith(" …")).toBe(true);
  });

  test("is not shown of a run that is over, and there is none without a refusal", () => {
    const { state } = planned();
    expect(lines(refused("x", { ...state, status: { kind: "done" } }), 80)).toBe("");
    expect(lines({ state, refusal: undefined }, 80)).toBe("");
  });

  test("is of the session on screen, if it has a run", () => {
    const other = inSession(planned().state, "ses_other");
    const runs = [refused("its plan", other), { state: planned().state, refusal: undefined }];
    expect(refusalLines(runs, 80, root)).toBe("");
    expect(withoutColour(refusalLines(runs, 80, "ses_other"))).toContain("its plan");
    expect(withoutColour(refusalLines(runs, 80, "ses_third"))).toContain("its plan");
  });
});

test("the status line says what waits, and how to open it again", () => {
  const line = (state: MagnusState): string => withoutColour(statusLine([{ state, refusal: undefined }], 120));
  expect(line(started())).toBe("");
  expect(line(planned().state)).toMatch(/^magnus a profile page: waiting for .*approval.* · \/magnus-plan$/);
});

test("what was sent to a run that is not on the screen is said in a word", () => {
  const run = { description: "a page\u001b[31m" };
  expect(sentMessage(run, "approve --type=MIXED")).toBe("Sent to a page\\x1b[31m: MIXED.");
  expect(sentMessage(run, "approve --shown=1a2b")).toBe("Sent to a page\\x1b[31m: approved.");
  expect(sentMessage(run, "reject")).toBe("Sent to a page\\x1b[31m: rejected.");
});
