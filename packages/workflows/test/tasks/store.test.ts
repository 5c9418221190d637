import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lock } from "@atomic/durable-files/lock/lock";
import { tmpProject } from "@atomic/testing/project";
import { markPicked, settle } from "../../src/tasks/pick.ts";
import { type TaskStore, taskStore } from "../../src/tasks/store.ts";
import { type TasksFolder, task, tasksFolder, tasksText } from "./tasks.ts";

const by = "r1/L#1:pick";
const storeOf = ({ path }: TasksFolder): TaskStore =>
  taskStore({ folder: path, path: "research/tasks.json", now: () => new Date(0) });

async function pick(store: TaskStore, id: string): Promise<void> {
  await store.change((tasks) => {
    const at = tasks.findIndex((each) => each.id === id);
    const { edits } = markPicked(tasks[at] as (typeof tasks)[number], at, { by, attempt: 1 });
    return { edits, result: undefined };
  });
}

const ended = (store: TaskStore, id: string, ok: boolean) =>
  store.change((tasks) =>
    settle(tasks, { id, by }, ok ? { ok } : { ok, error: { name: "Error", message: "tests fail" } }),
  );

const handmade = `\ufeff{ // the plan
\t"version": "1.0", "tasks": [\r
\t\t{"id":"a",  "name":"A", "status":"pending", "estimate": 1.0e1, "owner": {"who": "me",},}, // first
\t\t/* then */ { "id" : "b", "status":"pending", "name":"B" }\r
\t],
}`;

test("marks are splices: a task that passes changes in one word", async () => {
  await using folder = await tasksFolder(handmade);
  const store = storeOf(folder);
  await pick(store, "a");
  expect(await folder.text()).toBe(
    handmade
      .replace(`"pending", "estimate"`, `"in_progress", "estimate"`)
      .replace(`"who": "me",},}`, `"who": "me",}, "claimedBy": "r1/L#1:pick", "attempts": 1,}`),
  );
  expect(await ended(store, "a", true)).toEqual({ did: "marked", status: "passing" });
  expect(await folder.text()).toBe(handmade.replace(`"pending", "estimate"`, `"passing", "estimate"`));
});

test("a failure records which run tried, how often, and why it failed", async () => {
  await using folder = await tasksFolder(task("a"));
  const store = storeOf(folder);
  await pick(store, "a");
  expect(await ended(store, "a", false)).toEqual({ did: "marked", status: "failing" });
  expect(await folder.tasks()).toEqual([
    task("a", { status: "failing", claimedBy: by, attempts: 1, error: "tests fail" }),
  ]);
});

test("a file that records when it was changed keeps doing so", async () => {
  const text = JSON.stringify({ version: "1.0", tasks: [task("a")], metadata: { updatedAt: "2020", source: "spec" } });
  await using folder = await tasksFolder(text);
  await pick(storeOf(folder), "a");
  expect(JSON.parse(await folder.text()).metadata).toEqual({ updatedAt: "1970-01-01T00:00:00.000Z", source: "spec" });
});

test("an edit between reading and marking is kept, and considered", async () => {
  await using folder = await tasksFolder(task("a"), task("b"));
  const seen: string[] = [];
  await storeOf(folder).change((tasks) => {
    seen.push(tasks.map(({ id }) => id).join());
    // The user saves the file at this very moment.
    if (seen.length === 1) writeFileSync(folder.file, tasksText(task("new"), task("a", { notes: "mine" })));
    const at = tasks.findIndex(({ id }) => id === "a");
    return { edits: [{ op: "set", path: ["tasks", at, "status"], value: "passing" }], result: undefined };
  });
  expect(seen).toEqual(["a,b", "new,a"]);
  expect(await folder.tasks()).toEqual([task("new"), task("a", { status: "passing", notes: "mine" })]);
});

test("endless editing ends the attempt, not the edits", async () => {
  await using folder = await tasksFolder(task("a"));
  let edits = 0;
  const change = storeOf(folder).change(() => {
    edits += 1;
    writeFileSync(folder.file, tasksText(task("a", { notes: `edit ${edits}` })));
    return { edits: [{ op: "set", path: ["tasks", 0, "status"], value: "passing" }], result: undefined };
  });
  await expect(change).rejects.toMatchObject({
    message: expect.stringContaining("has been changed since it was read; nothing was written"),
    hint: expect.stringContaining("Run the command again"),
  });
  expect(await folder.tasks()).toEqual([task("a", { notes: `edit ${edits}` })]);
});

test.each([
  ["deleted", [task("b")], true, '"a" is no longer in the file'],
  [
    "taken by another run",
    [task("a", { status: "in_progress", claimedBy: "r2/L#1:pick" })],
    true,
    '"a" was claimed by the run r2 in the meantime',
  ],
  ["begun anew by a person", [task("a")], true, '"a" was set to pending in the meantime'],
  [
    "skipped by a person",
    [task("a", { status: "skipped", claimedBy: by })],
    false,
    '"a" was set to skipped in the meantime',
  ],
  [
    "called failing by the agent",
    [task("a", { status: "failing", claimedBy: by })],
    true,
    '"a" was set to failing in the meantime',
  ],
  ["settled before a crash, passing", [task("a", { status: "passing" })], true, '"a" is already marked as passing'],
  [
    "settled before a crash, failing",
    [task("a", { status: "failing", claimedBy: by, attempts: 1 })],
    false,
    '"a" is already marked as failing',
  ],
])("a task that was %s in the meantime stays as it is, with a reason", async (_name, tasks, ok, because) => {
  await using folder = await tasksFolder(...tasks);
  const before = await folder.text();
  expect(await ended(storeOf(folder), "a", ok)).toEqual({ did: "kept", because });
  expect(await folder.text()).toBe(before);
});

test("an agent that calls its own work passing is not believed if the work failed", async () => {
  await using folder = await tasksFolder(task("a", { status: "passing", claimedBy: by }));
  expect(await ended(storeOf(folder), "a", false)).toEqual({ did: "marked", status: "failing" });
});

test("a file that an agent broke is refused with its place, and stays as it is", async () => {
  await using folder = await tasksFolder('{ "version": "1.0",\n  "tasks": [ { "id": "a" "name" } ] }');
  await expect(ended(storeOf(folder), "a", true)).rejects.toThrow(
    /^research\/tasks\.json:2:26: expected "," or "}" after the property/,
  );
  expect(await folder.text()).toContain('"a" "name"');
});

test("a missing file is reported as missing, and one outside the project is named with its full path", async () => {
  await using folder = await tasksFolder();
  await expect(storeOf(folder).read()).rejects.toMatchObject({
    message: "research/tasks.json does not exist",
    hint: "Create it, or convert another list with `atomic tasks import <file>`.",
  });
  const outside = taskStore({ folder: join(folder.path, "project"), path: "../tasks.json" });
  await expect(outside.read()).rejects.toThrow(`${folder.path}/tasks.json does not exist`);
});

test("the process that holds the lock too long is named", async () => {
  await using folder = await tasksFolder(task("a"));
  await using _held = await lock(join(folder.path, ".atomic/tasks"), { purpose: "a test" });
  const store = taskStore({ folder: folder.path, path: "research/tasks.json", deadlineMs: 0 });
  await expect(store.change(() => ({ edits: [], result: 1 }))).rejects.toThrow(/held by this process .* for "a test"/);
});

test("git sees the tasks file and none of its other files", async () => {
  await using project = await tmpProject({ files: { "research/tasks.json": tasksText(task("a")) } });
  const store = taskStore({ folder: project.dir, path: "research/tasks.json" });
  await pick(store, "a");
  expect((await project.run(["git", "status", "--short", "-uall"])).stdout).toBe(" M research/tasks.json\n");
});

test("a signal ends waiting for the lock", async () => {
  await using folder = await tasksFolder(task("a"));
  await using _held = await lock(join(folder.path, ".atomic/tasks"));
  const stop = new AbortController();
  const change = storeOf(folder).change(() => ({ edits: [], result: 1 }), stop.signal);
  stop.abort(new Error("enough"));
  await expect(change).rejects.toThrow("enough");
});
