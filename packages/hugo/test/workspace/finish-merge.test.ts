import { expect, test } from "bun:test";
import { emptyLock, type Lock, type LockedWorkflow } from "@atomic/workflows/internal/hugo-lock/lock";
import { mergeLocks } from "../../src/workspace/finish-merge.ts";
import { pluginWorkflow } from "../commands/workspace.ts";

/** `a1 b2` is a lock with a 1.0.0 and b 2.0.0. */
function lock(words: string): Lock {
  const workflows = words.split(" ").flatMap((word): [string, LockedWorkflow][] => {
    const [name = "", major] = word;
    return word === "" ? [] : [[name, pluginWorkflow(name, { version: `${major}.0.0` })]];
  });
  return { ...emptyLock, workflows: new Map(workflows) };
}

test.each([
  ["", "a1", "b1", "a1 b1", "b", ""],
  ["", "a1", "a1", "a1", "", ""],
  ["a1", "a1 b1", "a1 c1", "a1 b1 c1", "c", ""],
  ["a1", "a2", "a1 b1", "a2 b1", "b", ""],
  ["a1", "a1 b1", "a2", "a2 b1", "", ""],
  ["a1 b1", "a1", "a1 b1 c1", "a1 c1", "c", ""],
  ["a1 b1", "a1 b1 c1", "a1", "a1 c1", "", ""],
  ["a1", "", "", "", "", ""],
  ["a1", "a2", "a3", "a2", "", "a"],
  ["a1", "", "a2", "", "", "a"],
  ["a1", "a2", "", "a2", "", "a"],
  ["", "a1", "a2 b1", "a1 b1", "b", "a"],
])(
  "of [%s], [%s] and [%s] merge to [%s], with [%s] added and [%s] contested",
  (base, ours, theirs, all, more, both) => {
    const { lock: merged, added, contested } = mergeLocks(lock(base), lock(ours), lock(theirs));
    const words = [...merged.workflows].map(([name, { version }]) => `${name}${version[0]}`).sort();
    expect(words.join(" ")).toBe(all);
    expect(added.join(" ")).toBe(more);
    expect(contested.map(({ name }) => name).join(" ")).toBe(both);
  },
);

test.each([
  [{}, { x: "file" }, { x: "array" }, { x: "array" }],
  [{}, { x: "file" }, { x: "file", y: "array" }, { x: "file", y: "array" }],
  [{ x: "file" }, { x: "file" }, {}, {}],
  [{ x: "file" }, {}, { x: "file" }, {}],
] as const)("of what Hugo created, %j, %j and %j merge to %j", (base, ours, theirs, all) => {
  const made = (configs: object): Lock => ({ ...emptyLock, configs: new Map(Object.entries(configs)) });
  expect(Object.fromEntries(mergeLocks(made(base), made(ours), made(theirs)).lock.configs)).toEqual(all);
});
