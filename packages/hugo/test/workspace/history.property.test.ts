// Any history of installations and removals, some of which fail, can be walked back to its start.
import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import fc from "fast-check";
import { change } from "../../src/workspace/change.ts";
import { type ChangeSet, readSnapshot, type Workspace } from "../../src/workspace/snapshot.ts";
import { undo } from "../../src/workspace/undo.ts";
import { installCopy, lockWithout, packageIn, placeIn, withTree } from "./support.ts";
import { treeOf } from "./tree.ts";

const workflow = fc.constantFrom("one", "two", "three");
const command = fc.oneof(
  fc.record({ do: fc.constant("install" as const), workflow, text: fc.string({ maxLength: 5 }) }),
  fc.record({ do: fc.constant("remove" as const), workflow }),
  fc.record({ do: fc.constant("fail" as const), workflow }),
);

const filesOf = (name: string, text = ""): Record<string, string> => ({
  [`agents/${name}.md`]: text,
  [`skills/${name}/SKILL.md`]: `Skill ${text}\n`,
});

async function install(workspace: Workspace, name: string, text: string): Promise<ChangeSet> {
  const staging = workspace.store.staging();
  const fetched = packageIn(staging, `@org/${name}`, filesOf(name, text));
  const { hash } = await workspace.store.put(fetched, { workflow: name });
  return withTree(installCopy(workspace, name, filesOf(name, text)), name, hash);
}

function remove(workspace: Workspace, name: string): ChangeSet {
  const there = [...workspace.disk(Object.keys(filesOf(name))).keys()];
  const files = there.map((path) => ({ kind: "delete", path }) as const);
  return { title: `remove ${name}`, lock: lockWithout(workspace.lock, name), files };
}

test("a history can be walked back, and at every point the store holds what the lock names and no more", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 8 }), async (history) => {
      await using project = await tmpProject({ git: false, files: { "opencode.json": "{}\n" } });
      const place = placeIn(project);
      const states = [treeOf(project.dir)];
      for (const step of history) {
        await change(place, "hugo", async (workspace) => {
          if (step.do === "remove") return { changes: remove(workspace, step.workflow), result: 0 };
          const draft = await install(workspace, step.workflow, step.do === "install" ? step.text : "never");
          if (step.do === "fail") throw new Error("on purpose");
          return { changes: draft, result: 0 };
        }).catch((error: Error) => expect(error.message).toBe("on purpose"));
        const now = treeOf(project.dir);
        if (JSON.stringify(now) !== JSON.stringify(states.at(-1))) states.push(now);
        const snapshot = await readSnapshot(place);
        for (const name of snapshot.lock.workflows.keys()) expect(snapshot.storedTree(name)).toBeDefined();
      }
      for (const state of states.slice(0, -1).reverse()) {
        await undo(place, { dryRun: false });
        expect(treeOf(project.dir)).toEqual(state);
      }
    }),
    { numRuns: 25 },
  );
}, 180_000);
