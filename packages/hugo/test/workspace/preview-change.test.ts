import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { change, type Decide, previewChange } from "../../src/workspace/change.ts";
import { installCopy, packageIn, placeIn } from "./support.ts";
import { treeOf } from "./tree.ts";

const files = { "agents/reader.md": "Reads.\n" };

const install: Decide<{ stored: string; paths: string[]; staging: string }> = async (workspace) => {
  const staging = workspace.store.staging();
  const fetched = packageIn(staging, "@org/docs", files);
  const { folder } = await workspace.store.put(fetched, { workflow: "docs" });
  const draft = installCopy(workspace, "docs", files);
  const paths = (draft.files ?? []).map(({ path }) => path);
  return { changes: draft, result: { stored: folder, paths, staging } };
};

test("a dry run decides the same as a real run, and writes nothing into the project", async () => {
  await using project = await tmpProject({ files: { "opencode.json": "{}\n" } });
  const place = placeIn(project);
  const before = treeOf(project.dir);
  const rehearsed = await previewChange(place, install);
  expect(treeOf(project.dir)).toEqual(before);
  const real = await change(place, "hugo install", install);
  expect({ ...rehearsed, staging: "" }).toEqual({ ...real, staging: "" });
});

test("a dry run leaves nothing in the temporary folder either, also if it fails", async () => {
  await using project = await tmpProject();
  const { staging } = await previewChange(placeIn(project), install);
  expect(fs.existsSync(staging)).toBe(false);
  let left = "";
  const failing = previewChange(placeIn(project), async ({ store }) => {
    left = store.staging();
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(left).not.toBe("");
  expect(fs.existsSync(left)).toBe(false);
});

test("a dry run does not wait for another Hugo", async () => {
  await using project = await tmpProject();
  const place = placeIn(project);
  const workflows = await change(place, "hugo install", async () => ({
    result: await previewChange(place, async ({ lock }) => ({ result: lock.workflows.size })),
  }));
  expect(workflows).toBe(0);
});
