import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { planEntries } from "../src/transaction/plan-entries.ts";
import { advance, findRecord, type RecordEntry, recordPath, writeIntent } from "../src/transaction/record.ts";
import { stage } from "../src/transaction/stage.ts";
import { refusal } from "./refusal.ts";
import { interrupt } from "./scenario/interrupted.ts";
import { after, before, expectedProject, readProject, stateDir, writeProject } from "./scenario/project-files.ts";
import { tinyDisk, tinyDiskTest } from "./scenario/tiny-disk.ts";
import { tree } from "./scenario/tree.ts";

type Interrupted = AsyncDisposable & { path: string; state: string; entries: RecordEntry[] };

async function interrupted(applied: number | "prepared"): Promise<Interrupted> {
  const folder = await temporaryFolder();
  const path = join(folder.path, "project");
  const entries = await interrupt(path, applied);
  return { path, state: stateDir(path), entries, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

const entryOf = ({ entries }: Interrupted, name: string): RecordEntry =>
  entries.find(({ target }) => target.endsWith(name)) ?? expect.unreachable(name);

test("if nothing was interrupted, nothing is written", async () => {
  await using folder = await temporaryFolder();
  expect(await recover(join(folder.path, "none"))).toBeUndefined();
  expect(fs.readdirSync(folder.path)).toEqual([]);
});

test("a transaction that was only prepared is undone", async () => {
  await using project = await interrupted("prepared");
  expect(await recover(project.state)).toEqual({
    outcome: "undone",
    files: project.entries.map(({ target }) => target),
    edited: [],
    lost: [],
    keptFolders: [],
    message: "An interrupted change to 4 files was undone: no file had been changed yet.",
  });
  expect(readProject(project.path)).toEqual(expectedProject(before));
});

for (const applied of [0, 1, 2, 3, 4]) {
  test(`a committed transaction is finished after ${applied} of 4 files`, async () => {
    await using project = await interrupted(applied);
    expect(await recover(project.state)).toMatchObject({ outcome: "finished", edited: [] });
    expect(readProject(project.path)).toEqual(expectedProject(after));
    expect(await recover(project.state)).toBeUndefined();
  });
}

test("a finished transaction is only cleaned up, no matter what the files look like now", async () => {
  await using project = await interrupted(4);
  advance(project.state, "commit", "done");
  fs.writeFileSync(join(project.path, "opencode.json"), "edited");
  expect(await recover(project.state)).toMatchObject({ outcome: "finished" });
  expect(readProject(project.path)).toEqual(expectedProject({ ...after, "opencode.json": "edited" }));
});

for (const name of ["SKILL.md", "review.md", "old.md"]) {
  test(`an edit of ${name} that came in between is kept and the other files are put back`, async () => {
    // The config, which comes first, is applied; the edited file is not.
    await using project = await interrupted(1);
    const { target } = entryOf(project, name);
    fs.mkdirSync(join(target, ".."), { recursive: true });
    fs.writeFileSync(target, "edited in between");
    const report = await recover(project.state);
    expect(report).toMatchObject({ outcome: "put-back", edited: [target] });
    expect(report?.message).toContain(
      `was rolled back because another program changed ${target} in the meantime (those changes were kept)`,
    );
    const path = target.slice(project.path.length + 1);
    expect(readProject(project.path)).toEqual(expectedProject({ ...before, [path]: "edited in between" }));
  });
}

test("an edit on top of an applied file is kept and the rest is finished", async () => {
  await using project = await interrupted(1);
  fs.appendFileSync(join(project.path, "opencode.json"), "// on top\n");
  expect(await recover(project.state)).toMatchObject({ outcome: "finished" });
  expect(readProject(project.path)).toEqual(
    expectedProject({ ...after, "opencode.json": `${after["opencode.json"]}// on top\n` }),
  );
});

test("when the rest is put back, an edit on top of an applied file is kept too", async () => {
  await using project = await interrupted(1);
  const edits = { "opencode.json": "edited after", ".opencode/commands/review.md": "edited before" };
  for (const [path, content] of Object.entries(edits)) fs.writeFileSync(join(project.path, path), content);
  expect(await recover(project.state)).toMatchObject({ outcome: "put-back" });
  expect(readProject(project.path)).toEqual(expectedProject({ ...before, ...edits }));
});

test("every edit that stood in the way is named", async () => {
  await using project = await interrupted(0);
  const targets = ["opencode.json", "review.md", "old.md"].map((name) => entryOf(project, name).target);
  for (const target of targets) fs.writeFileSync(target, "edited");
  expect((await recover(project.state))?.edited).toEqual(targets);
});

test("an editor's last-moment save to the replaced file is restored", async () => {
  await using project = await interrupted(0);
  const { target, temp } = entryOf(project, "opencode.json");
  // The editor opens the file, the transaction renames over it, the editor writes.
  const editor = fs.openSync(target, "r+");
  fs.renameSync(temp, target);
  fs.writeSync(editor, "saved late");
  fs.closeSync(editor);
  expect(await recover(project.state)).toMatchObject({ outcome: "put-back", edited: [target] });
  expect(fs.readFileSync(target, "utf8")).toStartWith("saved late");
});

test("a deleted file that was recreated counts as an edit: it stays, and the rest is restored", async () => {
  await using project = await interrupted(4);
  const { target } = entryOf(project, "old.md");
  fs.writeFileSync(target, "made anew");
  expect(await recover(project.state)).toMatchObject({ outcome: "put-back", edited: [target] });
  const path = ".opencode/agents/legacy/old.md";
  expect(readProject(project.path)).toEqual(expectedProject({ ...before, [path]: "made anew" }));
});

test("a file that another program deleted first counts as deleted", async () => {
  await using project = await interrupted(1);
  fs.rmSync(entryOf(project, "old.md").target);
  expect(await recover(project.state)).toMatchObject({ outcome: "finished" });
  expect(readProject(project.path)).toEqual(expectedProject(after));
});

/** What `git clean -fdq` does to files that no `.gitignore` names. */
function cleanStaged(
  entries: readonly RecordEntry[],
  which: readonly ("temp" | "backup")[] = ["temp", "backup"],
): void {
  for (const entry of entries) for (const name of which) fs.rmSync(entry[name], { force: true });
}

test("nothing is called finished if what was prepared has been removed, and what cannot be put back is named", async () => {
  await using project = await interrupted(1);
  cleanStaged(project.entries);
  const config = entryOf(project, "opencode.json").target;
  const report = await recover(project.state);
  expect(report).toMatchObject({ outcome: "incomplete", edited: [], lost: [config] });
  expect(report?.message).toContain("could not be rolled back completely because the staged content for");
  expect(report?.message).toContain(`${config} could not be restored because the old content was removed`);
  expect(readProject(project.path)).toEqual(expectedProject({ ...before, "opencode.json": after["opencode.json"]! }));
  expect(await recover(project.state)).toBeUndefined();
});

for (const [applied, outcome, files] of [
  [0, "put-back", before],
  [4, "finished", after],
] as const) {
  test(`when all staged files were removed after ${applied} of 4 files, the change is ${outcome}`, async () => {
    await using project = await interrupted(applied);
    cleanStaged(project.entries);
    expect(await recover(project.state)).toMatchObject({ outcome, lost: [] });
    expect(readProject(project.path)).toEqual(expectedProject(files));
  });
}

for (const applied of [1, 2, 3]) {
  test(`without the rest of the new content, ${applied} of 4 files are put back from the old one`, async () => {
    await using project = await interrupted(applied);
    cleanStaged(project.entries, ["temp"]);
    const rest = project.entries.slice(applied).filter(({ kind }) => kind !== "delete");
    const report = await recover(project.state);
    // A deletion needs no new content: after three files there is nothing to miss.
    expect(report?.outcome).toBe(rest.length > 0 ? "put-back" : "finished");
    expect(readProject(project.path)).toEqual(expectedProject(rest.length > 0 ? before : after));
  });

  test(`without any old content, ${applied} of 4 files are named as not put back`, async () => {
    await using project = await interrupted(applied);
    cleanStaged(project.entries, ["backup"]);
    const done = project.entries.slice(0, applied).map(({ target }) => target);
    expect(await recover(project.state)).toMatchObject({ outcome: "incomplete", lost: done });
    const left = fs.readdirSync(project.path, { recursive: true }).map(String);
    expect(left.filter((name) => name.includes(".durable-") || name.includes("transaction."))).toEqual([]);
  });
}

test("a deletion that has to be put back without its old content is named", async () => {
  await using project = await interrupted(4);
  const { target, backup } = entryOf(project, "old.md");
  fs.rmSync(backup);
  fs.writeFileSync(entryOf(project, "review.md").backup, "saved late");
  expect(await recover(project.state)).toMatchObject({ outcome: "incomplete", lost: [target] });
});

test("a file whose mode alone was to change counts as changed only if its old content is still kept", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "tool.sh");
  fs.writeFileSync(path, "same");
  const state = join(folder.path, ".state");
  fs.mkdirSync(state);
  const plan = planEntries(state, [{ path, content: "same", mode: 0o700 }], undefined);
  writeIntent(state, plan.record);
  await stage(plan);
  advance(state, "intent", "commit");
  cleanStaged(plan.record.entries);
  expect(await recover(state)).toMatchObject({ outcome: "incomplete", lost: [path] });
});

test("a created folder is kept if another program has put a file into it", async () => {
  await using project = await interrupted("prepared");
  const theirs = join(project.path, ".opencode/skills/review/notes.md");
  fs.writeFileSync(theirs, "theirs");
  await recover(project.state);
  expect(fs.readFileSync(theirs, "utf8")).toBe("theirs");
});

test("a project that was moved half-way is finished in its new place", async () => {
  await using project = await interrupted(2);
  const moved = `${project.path}-moved`;
  fs.renameSync(project.path, moved);
  expect(await recover(stateDir(moved))).toMatchObject({ outcome: "finished" });
  expect(readProject(moved)).toEqual(expectedProject(after));
});

test("recovery in a copy does not touch the original", async () => {
  await using project = await interrupted(2);
  const copy = `${project.path}-copy`;
  fs.cpSync(project.path, copy, { recursive: true });
  const original = tree(project.path);
  expect(await recover(stateDir(copy))).toMatchObject({ outcome: "finished" });
  expect(tree(project.path)).toEqual(original);
  expect(readProject(copy)).toEqual(expectedProject(after));
});

tinyDiskTest("recovery needs no free space", async () => {
  for (const [applied, expected] of [
    [2, after],
    ["prepared", before],
  ] as const) {
    await using disk = await tinyDisk("1m");
    const project = join(disk.path, "project");
    await interrupt(project, applied);
    // The lock is a few bytes; everything after it works without.
    fs.writeFileSync(join(disk.path, "reserve"), Buffer.alloc(8192));
    disk.fill();
    fs.rmSync(join(disk.path, "reserve"));
    await recover(stateDir(project));
    expect(readProject(project)).toEqual(expectedProject(expected));
  }
});

test("a record with any one byte changed, or cut off anywhere, is refused and touches nothing", async () => {
  await using project = await interrupted(2);
  const file = recordPath(project.state, "commit");
  const good = fs.readFileSync(file);
  const refused = (bytes: Buffer): string => {
    fs.writeFileSync(file, bytes);
    try {
      findRecord(project.state);
      return "accepted";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const flipped = [...good.keys()].map((at) => {
    const bytes = Buffer.from(good);
    bytes[at] = bytes[at]! ^ 0x04;
    return refused(bytes);
  });
  const cut = [...good.keys()].map((length) => refused(good.subarray(0, length)));
  expect([...new Set([...flipped, ...cut])]).toEqual(["damaged"]);

  const now = tree(project.path);
  const error = await refusal(() => transaction(project.state, [{ path: join(project.path, "x"), content: "" }]));
  expect(error).toMatchObject({ code: "damaged", at: file });
  expect(tree(project.path)).toEqual(now);
  fs.writeFileSync(file, good);
  expect(await recover(project.state)).toMatchObject({ outcome: "finished" });
});

test("a record of a newer version is refused as such", async () => {
  await using project = await interrupted(2);
  const file = recordPath(project.state, "commit");
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("transaction 1", "transaction 2"));
  expect((await refusal(() => recover(project.state))).message).toContain("perhaps from a newer version");
});

test("two records at once are refused", async () => {
  await using project = await interrupted(2);
  fs.copyFileSync(recordPath(project.state, "commit"), recordPath(project.state, "intent"));
  expect((await refusal(() => recover(project.state))).code).toBe("damaged");
});

test("a record that was torn while it was written is removed without a word", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "project");
  writeProject(path, before);
  fs.mkdirSync(stateDir(path));
  fs.writeFileSync(recordPath(stateDir(path), "tmp"), '{"format":"dur');
  expect(await recover(stateDir(path))).toBeUndefined();
  expect(readProject(path)).toEqual(expectedProject(before));
});

test("a transaction that deletes a file in its own state folder is recovered like any other", async () => {
  await using folder = await temporaryFolder();
  const state = join(folder.path, "around/.state");
  const file = join(state, "notes/old.txt");
  fs.mkdirSync(join(state, "notes"), { recursive: true });
  fs.writeFileSync(file, "old");
  const plan = planEntries(fs.realpathSync(state), [{ path: file, delete: true }], folder.path);
  writeIntent(state, plan.record);
  await stage(plan);
  advance(state, "intent", "commit");
  expect(await recover(state)).toMatchObject({ outcome: "finished", keptFolders: [] });
  expect(fs.readdirSync(state)).toEqual(["lock"]);
});
