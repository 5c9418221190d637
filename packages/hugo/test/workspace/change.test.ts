import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { emptyLock } from "@atomic/workflows/internal/hugo-lock/lock";
import { change } from "../../src/workspace/change.ts";
import { readSnapshot } from "../../src/workspace/snapshot.ts";
import { installCopy, installPlugin, placeIn } from "./support.ts";

test("a change writes lock, config and copied files, and the next look finds them", async () => {
  await using project = await tmpProject({ files: { "opencode.json": '{ "model": "a/b" } // mine\n' } });
  const place = placeIn(project);
  await change(place, "hugo install", async (workspace) => ({
    changes: installPlugin(workspace, "review"),
    result: 1,
  }));
  const files = { "agents/reader.md": "Reads.\n", "skills/tidy/run.sh": "#!/bin/sh\n" };
  await change(place, "hugo install", async (workspace) => ({
    changes: installCopy(workspace, "docs", files),
    result: 1,
  }));

  const snapshot = await readSnapshot(place);
  expect([...snapshot.lock.workflows.keys()]).toEqual(["docs", "review"]);
  expect(snapshot.isEnabled("review")).toBe(true);
  expect(snapshot.isEnabled("docs")).toBe(true);
  const disk = snapshot.disk([...Object.keys(files), "agents/none.md"]);
  expect([...disk].map(([path, { executable }]) => [path, executable])).toEqual([
    ["agents/reader.md", false],
    ["skills/tidy/run.sh", true],
  ]);
  expect(await project.read("opencode.json")).toContain("} // mine");
  expect(await project.read(".opencode/.hugo/.gitignore")).toBe("*\n");
});

test("a command that decides to do nothing leaves nothing behind", async () => {
  await using project = await tmpProject();
  const result = await change(placeIn(project), "hugo install", async (workspace) => {
    expect(workspace.lock).toEqual(emptyLock);
    return { result: "declined" };
  });
  expect(result).toBe("declined");
  expect(await project.tree()).toEqual([]);
});
