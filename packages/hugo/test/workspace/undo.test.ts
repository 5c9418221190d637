import { describe, expect, test } from "bun:test";
import * as fs from "node:fs";
import { chmod } from "node:fs/promises";
import { type Project, tmpProject } from "@atomic/testing/project";
import { change, type Decide } from "../../src/workspace/change.ts";
import { parkedPath } from "../../src/workspace/copied-files.ts";
import type { WorkspacePlace } from "../../src/workspace/place.ts";
import { type ChangeSet, readSnapshot, type Workspace } from "../../src/workspace/snapshot.ts";
import { undo } from "../../src/workspace/undo.ts";
import {
  generations,
  installCopy,
  installPlugin,
  lockWith,
  lockWithout,
  packageIn,
  placeIn,
  refusalOf,
} from "./support.ts";
import { treeOf } from "./tree.ts";

const files = { "agents/reader.md": "Reads.\n", "skills/tidy/run.sh": "#!/bin/sh\n" };
const really = { dryRun: false };

async function make(place: WorkspacePlace, draft: (workspace: Workspace) => ChangeSet): Promise<void> {
  await change(place, "hugo", async (workspace) => ({ changes: draft(workspace), result: 0 }));
}

const withDocs = (workspace: Workspace): ChangeSet => installCopy(workspace, "docs", files);

/** Moves the files of "docs" out of sight. */
function parkDocs(workspace: Workspace): ChangeSet {
  const docs = workspace.lock.workflows.get("docs")!;
  const disk = workspace.disk([...Object.keys(files), ...Object.keys(files).map((path) => parkedPath("docs", path))]);
  const changes = Object.keys(files).flatMap((path) => [
    { kind: "write", path: parkedPath("docs", path), ...disk.get(path)! } as const,
    { kind: "delete", path } as const,
  ]);
  const delivery = { ...docs.delivery, parked: true } as typeof docs.delivery;
  return { title: "disable docs", lock: lockWith(workspace.lock, "docs", { ...docs, delivery }), files: changes };
}

function removeDocs(workspace: Workspace): ChangeSet {
  const there = [...workspace.disk(Object.keys(files)).keys()];
  const changes = there.map((path) => ({ kind: "delete", path }) as const);
  return { title: "remove docs", lock: lockWithout(workspace.lock, "docs"), files: changes };
}

async function fullProject(): Promise<Project> {
  const project = await tmpProject({
    files: { "opencode.jsonc": "{}\n", "opencode.json": '{ "model": "a/b" } // mine\n' },
  });
  await chmod(project.path("opencode.json"), 0o640);
  return project;
}

describe("undo", () => {
  test("goes back step by step, byte for byte, to a project that Hugo has never seen", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    const states = [treeOf(project.dir)];
    for (const step of [(w: Workspace) => installPlugin(w, "review"), withDocs, parkDocs]) {
      await make(place, step);
      states.push(treeOf(project.dir));
    }
    const titles: string[] = [];
    for (const state of states.slice(0, -1).reverse()) {
      titles.push((await undo(place, really)).title);
      expect(treeOf(project.dir)).toEqual(state);
    }
    expect(titles).toEqual(["disable docs", "install docs", "install review"]);
    expect((await refusalOf(undo(place, really))).code).toBe("nothing-to-undo");
  });

  test("reports what it did to each file", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    await make(place, withDocs);
    await make(place, removeDocs);
    expect(await undo(place, really)).toEqual({
      title: "remove docs",
      files: [
        { path: ".opencode/agents/reader.md", did: "brought-back" },
        { path: ".opencode/skills/tidy/run.sh", did: "brought-back" },
        { path: ".opencode/hugo.json", did: "brought-back" },
      ],
      notices: [],
    });
    expect((await undo(place, really)).files.map(({ did }) => did)).toEqual(["deleted", "deleted", "deleted"]);
  });

  test("as a dry run reports the same and changes nothing", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    await make(place, withDocs);
    await make(place, removeDocs);
    const before = treeOf(project.dir);
    const preview = await undo(place, { dryRun: true });
    expect(treeOf(project.dir)).toEqual(before);
    expect(await undo(place, really)).toEqual(preview);
  });

  test("brings local edits and rights of a removed file back", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    await make(place, withDocs);
    await project.write(".opencode/agents/reader.md", "Reads, and I edited it.\n");
    await chmod(project.path(".opencode/agents/reader.md"), 0o600);
    const before = treeOf(project.path(".opencode/agents"));
    await make(place, removeDocs);
    expect(await project.exists(".opencode/agents")).toBe(false);
    await undo(place, really);
    expect(treeOf(project.path(".opencode/agents"))).toEqual(before);
  });

  test("finds the packages and bases again that the state before it needs", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    const store: Decide<number> = async (workspace) => {
      const staging = workspace.store.staging();
      const fetched = packageIn(staging, "@org/docs", { "agents/reader.md": "Reads.\n" });
      const { hash } = await workspace.store.put(fetched, { workflow: "docs" });
      const draft = withDocs(workspace);
      const docs = { ...draft.lock.workflows.get("docs")!, tree: hash };
      return { changes: { ...draft, lock: lockWith(draft.lock, "docs", docs) }, result: 0 };
    };
    await change(place, "hugo install", store);
    await make(place, removeDocs);
    await change(place, "hugo list", async () => ({ result: 0 }));
    await undo(place, really);
    const snapshot = await readSnapshot(place);
    expect([...(snapshot.storedTree("docs")?.keys() ?? [])]).toEqual(["agents/reader.md", "package.json"]);
    const docs = snapshot.lock.workflows.get("docs")!.delivery;
    const [file] = docs.kind === "copy" ? [...docs.files.values()] : [];
    expect(file?.kind === "installed" && snapshot.baseOf(file.base)).toEqual(Buffer.from("Reads.\n"));
    await undo(place, really);
    expect(await project.exists(".opencode")).toBe(false);
  });

  test("refuses, and names the files, if something was changed since", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    await make(place, (workspace) => installPlugin(workspace, "review"));
    await make(place, withDocs);
    await project.write(".opencode/agents/reader.md", "Edited.\n");
    await project.remove(".opencode/skills/tidy/run.sh");
    const before = treeOf(project.dir);
    const error = await refusalOf(undo(place, really));
    expect(error).toMatchObject({ code: "undo-blocked", exitCode: 3 });
    expect(error.message).toEndWith(": .opencode/agents/reader.md, .opencode/skills/tidy/run.sh");
    expect(treeOf(project.dir)).toEqual(before);
  });

  test("refuses if the old content is no longer there or no longer the same", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    await make(place, withDocs);
    await make(place, removeDocs);
    const bases = project.path(".opencode/.hugo/bases");
    for (const name of fs.readdirSync(bases)) fs.writeFileSync(`${bases}/${name}`, "tampered");
    const error = await refusalOf(undo(place, really));
    expect(error.code).toBe("undo-blocked");
    expect(await project.exists(".opencode/agents/reader.md")).toBe(false);
  });

  test.each([
    "../../etc/passwd",
    "/etc/passwd",
    "~/.profile",
    ".opencode/plugins/x.js",
    ".opencode/.hugo/x",
    "src/x.ts",
  ])("of a list that names %s refuses: it may have come with a repository", async (path) => {
    await using project = await fullProject();
    const place = placeIn(project);
    await make(place, withDocs);
    const generation = project.path(".opencode/.hugo/generations/000001.json");
    fs.writeFileSync(generation, JSON.stringify({ version: 1, title: "x", files: [{ path }] }));
    expect((await refusalOf(undo(place, really))).message).toContain("does not manage this file");
  });

  test.each(["", "{", "[]", '{"version":2,"title":"x","files":[]}', '{"version":1,"title":"x","files":[{"path":1}]}'])(
    "of a list that says %j refuses",
    async (text) => {
      await using project = await fullProject();
      const place = placeIn(project);
      await make(place, withDocs);
      await project.write(".opencode/.hugo/generations/000001.json", text);
      expect((await refusalOf(undo(place, really))).code).toBe("undo-blocked");
      expect(generations(place)).toEqual([]);
    },
  );
});

describe("generations", () => {
  test("are listed from the newest, with what they changed", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    expect(generations(place)).toEqual([]);
    await make(place, withDocs);
    await make(place, removeDocs);
    const listed = generations(place);
    expect(listed.map(({ number, title }) => [number, title])).toEqual([
      [2, "remove docs"],
      [1, "install docs"],
    ]);
    expect(listed[0]?.files).not.toEqual([]);
  });

  test("are kept for twenty changes, with all that they need and nothing else", async () => {
    await using project = await fullProject();
    const place = placeIn(project);
    for (let i = 0; i < 12; i++) {
      await make(place, withDocs);
      await make(place, removeDocs);
    }
    expect(generations(place).map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => 24 - i));
    // Two agents and the one lock that was ever there before a change.
    expect(fs.readdirSync(project.path(".opencode/.hugo/bases"))).toHaveLength(3);
    for (let i = 0; i < 20; i++) await undo(place, really);
    expect((await refusalOf(undo(place, really))).code).toBe("nothing-to-undo");
    expect(await project.exists(".opencode/hugo.json")).toBe(false);
  }, 180_000);
});
