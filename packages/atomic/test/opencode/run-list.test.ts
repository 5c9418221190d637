import { expect, test } from "bun:test";
import type { FollowedRun } from "../../src/opencode/followed-runs.ts";
import { movedBy, type RunList, withRuns } from "../../src/opencode/run-list.ts";

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
