import { expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { displayWidth } from "@atomic/terminal/width";
import { timelineText } from "../../src/timeline/text.ts";
import { passing, root, SimulatedRun } from "../run/simulated-run.ts";
import { eventfulRun, hostile, runWithOddEvents, waitingRun } from "./eventful-run.ts";

const plain = { colour: false };

/** From its title to the next. */
function sectionOf(text: string, title: string): string {
  return text.split(/\n\n/).find((part) => part.startsWith(`${title}\n`)) ?? "";
}

test("phases are in order, with their duration, cost and end", () => {
  const phases = sectionOf(timelineText(eventfulRun(), plain), "Phases").split("\n").slice(2);
  const words = phases.map((line) => line.trim().split(/ {2,}/));
  expect(words.map(([, phase, , , end]) => `${phase}: ${end}`)).toEqual([
    ...["requirements: passed", "architecture: passed", "plan-review: sent-back", "architecture (2): passed"],
    ...["plan-review (2): sent-back", "architecture (3): passed"],
    ...["plan-review (3): passed", "implementation: passed", "design-validation: sent-back"],
    ...["ui-fixes: passed", "design-validation (2): passed", "code-review: sent-back", "review-fixes: passed"],
    ...[
      "code-review (2): sent-back",
      "review-fixes (2): passed",
      "code-review (3): sent-back",
      "review-fixes (3): passed",
    ],
    ...["code-review (4): waived", "testing: passed", "acceptance: passed", "cleanup: passed"],
  ]);
  expect(words[7]).toEqual([
    "0:14:40",
    "implementation",
    "3m 0s",
    "$0.02",
    "passed",
    expect.stringMatching(/^·+█+·+$/),
  ]);
});

test("gates show what opened them, who, why, and how long they waited for the user", () => {
  const gates = sectionOf(timelineText(eventfulRun(), plain), "Gates");
  expect(gates).toContain(
    "plan-review (3): all_reviewers_approve, approved by anna (command), waited 20s for the user",
  );
  expect(gates).toContain("design-validation (2): pass_or_fix, 1 of 1 reviewer approves (single-model review)");
  expect(gates).toContain("testing: all_tests_pass, 12 tests pass");
  expect(gates).toContain("code-review (4): all_reviewers_approve, waived by anna (command): the reviewer is wrong");
  expect(gates).toContain("acceptance: user_approval, approved by anna (command), waited 14h 0m for the user");
});

test("the user's actions are shown with their names and reasons", () => {
  const people = sectionOf(timelineText(eventfulRun(), plain), "People").split("\n");
  expect(people).toHaveLength(6);
  expect(people[1]).toContain("anna (command) rejected plan-review, back to architecture: </style>");
  expect(people[4]).toContain("anna (command) waived all_reviewers_approve of code-review: the reviewer is wrong");
});

test("repeated refusals are shown once with a count, and pauses with their reason", () => {
  const refusals = sectionOf(timelineText(eventfulRun(), plain), "Refusals and pauses").split("\n");
  expect(refusals).toHaveLength(4);
  expect(refusals[1]).toContain("orchestrator's edit was refused: user_approval: the user's approval of");
  expect(refusals[2]).toContain("(3 times)");
  expect(refusals[3]).toContain("the run paused: abort: Esc");
});

test("tests, reviews, delegations and cost are shown", () => {
  const text = timelineText(eventfulRun(), plain);
  expect(sectionOf(text, "Tests")).toContain("testing: tests: 11 passed, 1 failed: npm test");
  expect(sectionOf(text, "Reviews")).toContain(
    "reviewer reviewed: NEEDS_REVISION, 1 finding: one bug; MAJOR src/a.ts:3 wrong",
  );
  expect(sectionOf(text, "Delegations").split("\n")).toHaveLength(2 + 23);
  expect(sectionOf(text, "Cost over time")).toContain("█ $0.23\n");
});

test("a waiting run says what it is waiting for", () => {
  const text = timelineText(waitingRun(), plain);
  expect(text).toContain("status    running, in plan-review\n");
  expect(sectionOf(text, "Gates")).toContain(
    "plan-review: all_reviewers_approve, lacks the user's approval of the plan",
  );
});

test("an event that was not allowed is shown as ignored, and an unfinished session as open", () => {
  const text = timelineText(runWithOddEvents(), plain);
  expect(text).toContain("ignored: the user (shell) approved acceptance");
  expect(text).toContain("1 event not allowed, so not counted");
  expect(sectionOf(text, "Delegations")).toMatch(/ open$/m);
});

test.each([40, 60, 80, 100, 200])(
  "no line is wider than a terminal of %d columns, but for a word that is",
  (columns) => {
    for (const events of [eventfulRun(), waitingRun()]) {
      for (const line of timelineText(events, { columns, colour: true }).split("\n")) {
        const longest = Math.max(
          0,
          ...line
            .trim()
            .split(" ")
            .map((word) => displayWidth(withoutColour(word))),
        );
        const indent = line.length - line.trimStart().length;
        expect(displayWidth(withoutColour(line))).toBeLessThanOrEqual(Math.max(columns, indent + longest + 12));
      }
    }
  },
);

test("nothing that a model wrote reaches the terminal as a command", () => {
  const text = timelineText(eventfulRun(), { columns: 80, colour: false });
  expect(text).toContain("\\x1b]0;owned\\x07");
  expect(text).toContain("\\u{202e}");
  for (const character of [...hostile.terminal, ...hostile.direction]) {
    if (/[\p{Cc}\p{Cf}]/u.test(character)) expect(text).not.toContain(character);
  }
});

test("colors are only used on terminals that support them", () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
  const colours = /\u001b\[\d+m/;
  expect(timelineText(eventfulRun(), { colour: true })).toMatch(colours);
  expect(timelineText(eventfulRun(), plain)).not.toMatch(colours);
});

test("without a run's start it reports that there is no timeline", () => {
  expect(timelineText([], plain)).toBe("These events do not belong to a run.\n");
  expect(timelineText(eventfulRun().slice(1), plain)).toBe("These events do not belong to a run.\n");
});

test("a review by several models shows each vote with its model, and what they came to", () => {
  const run = new SimulatedRun({ flow: "review" });
  const { at } = run.state;
  for (const model of ["one/a", "two/b"]) {
    const session = `ses_${model}`;
    run.plugin({ type: "session-joined", session, parent: root, agent: "reviewer", depth: 1, model });
    const by = { kind: "agent", agent: "reviewer", session } as const;
    const submission = model === "one/a" ? passing : { abstains: "it said nothing" };
    run.emit({ type: "review-submitted", at, by, submission, model });
  }
  run.plugin({
    ...{ type: "review-concluded", phase: "code-review", report: "reviews/code-review/consensus.md" },
    ...{ verdict: "approved", because: "1 of 1 reviewer approves", label: "single-model review" },
  });
  const lines = sectionOf(timelineText(run.events, plain), "Reviews").trim().split("\n").slice(1);
  expect(lines.map((line) => line.trim().replace(/^\S+ +/, ""))).toEqual([
    "code-review: reviewer (one/a) reviewed: APPROVED: reads well",
    "code-review: reviewer (two/b) abstained from a review: it said nothing",
    "code-review: concluded: 1 of 1 reviewer approves: single-model review; reviews/code-review/consensus.md",
  ]);
});
