import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { hashOf } from "../../src/packages/hash.ts";
import { change } from "../../src/workspace/change.ts";
import { readSnapshot, type Workspace } from "../../src/workspace/snapshot.ts";
import { undo } from "../../src/workspace/undo.ts";
import { installPlugin, lockWith, placeIn, pluginWorkflow, refusalOf } from "./support.ts";
import { treeOf } from "./tree.ts";

const oldConfig = `{
  // mine
  "model": "a/b",
  "hugo": {
    "workflows": {
      "old": { "package": "@org/old", "version": "1.0.0", "agents": ["elder"], "commands": [], "skills": [] }
    }
  },
  "plugin": ["@org/old"]
}
`;
const withoutKey = `{
  // mine
  "model": "a/b",
  "plugin": ["@org/old"]
}
`;
const copied = "I am old.\n";
const oldState = {
  workflows: [
    {
      name: "older",
      version: "0.9.0",
      source: { type: "registry", name: "older" },
      files: [
        { source: "agents/elder.md", destination: "agents/elder.md", hash: hashOf(copied).slice("sha256:".length) },
        { source: "agents/lost.md", destination: "agents/lost.md", hash: "0".repeat(64) },
      ],
    },
  ],
};

const somethingElse = async (workspace: Workspace) => ({
  changes: { title: "change", lock: lockWith(workspace.lock, "new", pluginWorkflow("new")) },
  result: workspace.notices,
});

describe("the hugo key of an opencode.json", () => {
  test("is shown as already moved by read-only commands, which say so and write nothing", async () => {
    await using project = await tmpProject({ files: { "opencode.json": oldConfig } });
    const before = treeOf(project.dir);
    const snapshot = await readSnapshot(placeIn(project));
    expect([...snapshot.lock.workflows.keys()]).toEqual(["old"]);
    expect(snapshot.isEnabled("old")).toBe(true);
    expect(snapshot.notices).toEqual([
      'The "hugo" key in opencode.json will be moved to hugo.json the next time a command changes something.',
    ]);
    expect(treeOf(project.dir)).toEqual(before);
  });

  test("is moved with the first change, once, with a message, and the rest of the file stays", async () => {
    await using project = await tmpProject({ files: { "opencode.json": oldConfig } });
    const place = placeIn(project);
    const notices = await change(place, "hugo install", somethingElse);
    expect(notices).toEqual(['The "hugo" key in opencode.json has been moved to hugo.json.']);
    expect(await project.read("opencode.json")).toBe(withoutKey);
    const snapshot = await readSnapshot(place);
    expect([...snapshot.lock.workflows.keys()]).toEqual(["new", "old"]);
    expect(snapshot.notices).toEqual([]);
  });

  test("is moved together with what the command changes in the same file", async () => {
    await using project = await tmpProject({ files: { "opencode.json": oldConfig } });
    await change(placeIn(project), "hugo install", async (workspace) => ({
      changes: installPlugin(workspace, "review"),
      result: 0,
    }));
    expect(await project.read("opencode.json")).toBe(
      withoutKey.replace('["@org/old"]', '["@org/old", "@org/review@1.0.0"]'),
    );
  });

  test("is restored by undo", async () => {
    await using project = await tmpProject({ files: { "opencode.json": oldConfig } });
    const before = treeOf(project.dir);
    await change(placeIn(project), "hugo install", somethingElse);
    await undo(placeIn(project), { dryRun: false });
    expect(treeOf(project.dir)).toEqual(before);
  });

  test("stays where it is if the command changes nothing", async () => {
    await using project = await tmpProject({ files: { "opencode.json": oldConfig } });
    await change(placeIn(project), "hugo install", async () => ({ result: "declined" }));
    expect(await project.read("opencode.json")).toBe(oldConfig);
  });

  test("counts less than what hugo.json records about the same workflow", async () => {
    await using project = await tmpProject();
    const place = placeIn(project);
    await change(place, "hugo install", async ({ lock }) => ({
      changes: { title: "x", lock: lockWith(lock, "old", pluginWorkflow("old", "2.0.0")) },
      result: 0,
    }));
    await project.write("opencode.json", oldConfig);
    expect((await readSnapshot(place)).lock.workflows.get("old")?.version).toBe("2.0.0");
  });

  test("of the user's own config belongs to the user's own OpenCode, not to a project", async () => {
    await using project = await tmpProject({ files: { "~/.config/opencode/opencode.json": oldConfig } });
    expect((await readSnapshot(placeIn(project))).lock.workflows.size).toBe(0);
    expect([...(await readSnapshot(placeIn(project, true))).lock.workflows.keys()]).toEqual(["old"]);
  });

  test("that makes no sense is refused with its place, and nothing is changed", async () => {
    const text = '{ "hugo": { "workflows": { "old": 1 } } }';
    await using project = await tmpProject({ files: { "opencode.json": text } });
    const error = await refusalOf(change(placeIn(project), "hugo install", somethingElse));
    expect(error).toMatchObject({ code: "legacy-invalid", at: `${project.path("opencode.json")}:1:35` });
    expect(await project.tree()).toEqual(["opencode.json"]);
  });
});

describe("the state.json of copied files", () => {
  test("is moved with the first change, and unedited files become the bases of later merges", async () => {
    await using project = await tmpProject({
      files: { ".opencode/state.json": oldState, ".opencode/agents/elder.md": copied },
    });
    const place = placeIn(project);
    expect((await readSnapshot(place)).notices).toHaveLength(1);
    expect(await change(place, "hugo install", somethingElse)).toEqual([
      ".opencode/state.json has been moved to hugo.json.",
    ]);
    expect(await project.exists(".opencode/state.json")).toBe(false);
    const snapshot = await readSnapshot(place);
    expect([...snapshot.lock.workflows.keys()]).toEqual(["new", "older"]);
    expect(snapshot.baseOf(hashOf(copied))).toEqual(Buffer.from(copied));
  });

  test("is restored by undo", async () => {
    await using project = await tmpProject({
      files: { ".opencode/state.json": oldState, ".opencode/agents/elder.md": copied },
    });
    const before = treeOf(project.dir);
    await change(placeIn(project), "hugo install", somethingElse);
    await undo(placeIn(project), { dryRun: false });
    expect(treeOf(project.dir)).toEqual(before);
  });
});
