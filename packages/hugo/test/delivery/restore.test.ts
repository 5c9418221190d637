import { expect, test } from "bun:test";
import type { LockedFile } from "@atomic/workflows/internal/hugo-lock/lock";
import { decide } from "../../src/delivery/decide.ts";
import { findDrift, planRestoration } from "../../src/delivery/restore.ts";
import { storedFolder } from "../../src/workspace/store/store.ts";
import { agent, copyPackage, pluginPackage } from "./candidates.ts";
import { after, memoryView } from "./memory-view.ts";

const candidate = copyPackage("1.0.0", {
  "agents/reviewer.md": agent("One."),
  "skills/diff/SKILL.md": "---\nname: diff\ndescription: d\n---\n",
  "skills/diff/run.sh": "#!/bin/sh\n",
});
const options = {
  source: "@org/review",
  target: { packageName: "@org/review" },
  folder: "/p/.opencode/.hugo/store/review-0123/node_modules/@org/review",
  isEnabled: true,
  modified: "merge",
  restoreDeleted: true,
} as const;
const { lock } = decide(memoryView(), candidate, options);
const delivery = lock.workflows.get("review")?.delivery;
if (delivery?.kind !== "copy") throw new Error("It is delivered by copying.");

test("missing files come back with their executable bit, and their bases with them", () => {
  const { files, bases, edited, lost } = planRestoration(
    memoryView({ lock }),
    "review",
    delivery,
    candidate.translation,
  );
  expect(files.map(({ path, executable }) => [path, executable])).toEqual([
    ["agents/reviewer.md", false],
    ["skills/diff/SKILL.md", false],
    ["skills/diff/run.sh", true],
  ]);
  expect([bases.length, edited, lost]).toEqual([3, [], []]);
});

test("a file that the user permanently deleted is not restored", () => {
  const marked = [...delivery.files].map(([path, file]): [string, LockedFile] => {
    return [path, path.endsWith("run.sh") && file.kind === "installed" ? { ...file, deleted: true } : file];
  });
  const known = { ...delivery, files: new Map(marked) };
  const { files, lost } = planRestoration(memoryView({ lock }), "review", known, candidate.translation);
  expect(files.map(({ path }) => path)).toEqual(["agents/reviewer.md", "skills/diff/SKILL.md"]);
  expect(lost).toEqual([]);
});

test("an edited file stays, and what is there needs nothing", () => {
  const files = { "agents/reviewer.md": "mine", "skills/diff/run.sh": "#!/bin/sh\n" };
  const plan = planRestoration(memoryView({ lock, files }), "review", delivery, candidate.translation);
  expect(plan.files.map(({ path }) => path)).toEqual(["skills/diff/SKILL.md"]);
  expect(plan.edited).toEqual(["agents/reviewer.md"]);
});

test("files missing from the locked version are lost, not made up", () => {
  const other = copyPackage("1.1.0", { "agents/reviewer.md": agent("Two.") });
  const plan = planRestoration(memoryView({ lock }), "review", delivery, other.translation);
  expect(plan.lost).toEqual(["agents/reviewer.md", "skills/diff/SKILL.md", "skills/diff/run.sh"]);
  expect(plan.files).toEqual([]);
});

test.each([
  ["a plugin", pluginPackage("1.0.0"), true],
  ["a copy", candidate, true],
  ["a parked copy", candidate, false],
] as const)("what Hugo has just installed is not drift: %s", (_, packet, isEnabled) => {
  const view = memoryView();
  const folder = storedFolder(view.place.stateFolder, packet.workflow, packet.packageName, { tree: packet.hash });
  expect(findDrift(after(view, decide(view, packet, { ...options, folder, isEnabled })))).toEqual([]);
});

test("a lock from an earlier Hugo is drift until the next update", () => {
  const { tree: _, ...old } = lock.workflows.get("review")!;
  const view = memoryView({ lock: { ...lock, workflows: new Map([["review", old]]) } });
  expect(findDrift(view)).toMatchObject([{ workflow: "review", hint: "hugo update review" }]);
});
