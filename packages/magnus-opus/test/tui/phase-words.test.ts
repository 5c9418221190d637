import { describe, expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import type { PersonDecision } from "../../src/run/event.ts";
import { hold } from "../../src/run/held.ts";
import { personAct } from "../../src/run/person-act.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { answerCommand, questionOf, sidebarText, statusLine } from "../../src/tui/phase-words.ts";
import { anna, type RunStart, SimulatedRun, started } from "../run/simulated-run.ts";

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
    if (question !== undefined) expect(question.choices.at(-1)?.title).toBe("Later");
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

test("the status line says what waits, and how to open it again", () => {
  const line = (state: MagnusState): string => withoutColour(statusLine([{ state, refusal: undefined }], 120));
  expect(line(started())).toBe("");
  expect(line(planned().state)).toMatch(/^magnus a profile page: waiting for .*approval.* · \/magnus-plan$/);
});
