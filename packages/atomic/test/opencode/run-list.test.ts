import { expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import type { FollowedRun } from "../../src/opencode/followed-runs.ts";
import {
  movedBy,
  questionAfter,
  type RunList,
  relisted,
  runTable,
  shownAround,
  withRuns,
} from "../../src/opencode/run-list.ts";
import { questionOf } from "../../src/view/questions.ts";

const none: RunList = { runs: [], selected: undefined };

function open(runId: string): FollowedRun {
  const state = { name: "ship", createdAt: 0, updatedAt: 0, status: { kind: "pending" } };
  return { runId, view: { state } as unknown as FollowedRun["view"], questions: [], isWorkedOn: false };
}

const ids = ({ runs }: RunList): readonly string[] => runs.map(({ runId }) => runId);

test("the chosen run stays chosen when a new one is added above it", () => {
  const before = movedBy(withRuns(none, [open("calm-otter"), open("brave-lark")]), 1);
  expect(before.selected).toBe("brave-lark");
  const after = withRuns(before, [open("new-newt")]);
  expect({ ids: ids(after), selected: after.selected }).toEqual({
    ids: ["new-newt", "calm-otter", "brave-lark"],
    selected: "brave-lark",
  });
  expect(movedBy(after, -1).selected).toBe("calm-otter");
});

test("the first run is chosen, and the ends are the ends", () => {
  expect(movedBy(none, 1)).toEqual(none);
  const list = withRuns(none, [open("calm-otter"), open("brave-lark")]);
  expect(list.selected).toBe("calm-otter");
  expect([movedBy(list, -1).selected, movedBy(list, 5).selected]).toEqual(["calm-otter", "brave-lark"]);
});

test.each<[string, readonly string[], string | undefined]>([
  ["calm-otter", ["calm-otter", "new-newt"], "calm-otter"],
  ["calm-otter", ["brave-lark", "new-newt"], "new-newt"],
  ["new-newt", ["brave-lark", "calm-otter"], "calm-otter"],
  ["calm-otter", [], undefined],
])("when %s was chosen and %j are left, %p is chosen", (selected, left, now) => {
  const three = withRuns(none, [open("brave-lark"), open("calm-otter"), open("new-newt")]);
  const summaries = three.runs.filter(({ runId }) => left.includes(runId));
  const list = relisted({ ...three, selected }, summaries);
  expect({ ids: ids(list).toSorted(), selected: list.selected }).toEqual({ ids: left.toSorted(), selected: now });
});

test("questions are gone round", () => {
  const questions = ["one", "two"].map((key) => questionOf(key, { about: { question: "Ok?" } }));
  const next = (last: string | undefined): string | undefined => questionAfter(questions, last)?.key;
  expect([next(undefined), next("one"), next("two"), next("answered")]).toEqual(["one", "two", "one", "one"]);
  expect(questionAfter([], "one")).toBeUndefined();
});

test.each([80, 44, 30])("the status is whole in %i columns", (columns) => {
  const summary = { name: "release-everything", createdAt: 1, updatedAt: 1, bytes: 0 };
  const failed = { key: "publish", name: "Error", message: "the registry did not answer" };
  const list: RunList = {
    runs: [
      { ...summary, runId: "courageous-hummingbird", status: { kind: "failed", error: failed, at: 2 } },
      { ...summary, runId: "calm-otter", status: { kind: "cancelled", at: 2 } },
    ],
    selected: "calm-otter",
  };
  const lines = withoutColour(runTable(list, new Map(), { columns, rows: 10, now: 60_001 })).split("\n");
  expect(lines.map((line) => line.length <= columns)).toEqual([true, true, true]);
  expect([lines[1], lines[2]]).toEqual([expect.stringContaining("  failed"), expect.stringContaining("  cancelled")]);
  expect([lines[1], lines[2]]).toEqual([expect.stringContaining("courag"), expect.stringContaining("❯  calm-o")]);
});

test.each([
  [0, 5, [0, 1, 2, 3, 4]],
  [9, 5, [7, 8, 9, 10, 11]],
  [19, 5, [15, 16, 17, 18, 19]],
  [12, 1, [12]],
  [12, 2, [11, 12]],
  [12, 0, [12]],
  [12, -3, [12]],
  [3, 30, Array.from({ length: 20 }, (_, at) => at)],
  [-1, 3, [0, 1, 2]],
])("of 20 lines with number %i chosen, %i rows show %j", (chosen, rows, expected) => {
  const items = Array.from({ length: 20 }, (_, at) => at);
  expect(shownAround(items, chosen, rows)).toEqual(expected);
});
