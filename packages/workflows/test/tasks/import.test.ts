import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ImportRequest, importTasks, readList } from "../../src/tasks/import/import-tasks.ts";
import { parseTasks } from "../../src/tasks/parse.ts";
import { type TasksFolder, task, tasksFolder } from "./tasks.ts";

const features = [
  { category: "functional", description: "Add feature X", steps: ["open it", "click"], passes: true },
  { category: "style", description: "Round corners", steps: [], passes: false, owner: "me" },
  { description: "Ship" },
];
const stories = {
  project: "Shop",
  branchName: "ralph/shop",
  userStories: [
    {
      id: "US-2",
      title: "Pay",
      description: "As a buyer…",
      acceptanceCriteria: ["Typecheck passes"],
      priority: 2,
      passes: false,
      notes: "",
    },
    { id: "US-1", title: "Cart", acceptanceCriteria: [], priority: 1, passes: true, notes: "easy", size: "S" },
  ],
};

async function imported(folder: TasksFolder, list: unknown, more: Partial<ImportRequest> = {}) {
  await writeFile(join(folder.path, "list.json"), typeof list === "string" ? list : JSON.stringify(list));
  return await importTasks({ folder: folder.path, from: "list.json", now: () => new Date(0), ...more });
}

test("a feature list becomes tasks", async () => {
  await using folder = await tasksFolder();
  expect(await imported(folder, features)).toEqual({
    list: "feature-list.json",
    file: "research/tasks.json",
    did: "created",
    added: ["1", "2", "3"],
    kept: [],
  });
  expect(JSON.parse(await folder.text())).toEqual({
    version: "1.0",
    tasks: [
      {
        id: "1",
        name: "Add feature X",
        description: "Category: functional",
        status: "passing",
        metadata: { steps: ["open it", "click"], category: "functional" },
      },
      {
        id: "2",
        name: "Round corners",
        description: "Category: style",
        status: "pending",
        metadata: { steps: [], category: "style", owner: "me" },
      },
      { id: "3", name: "Ship", status: "pending" },
    ],
    metadata: {
      createdAt: "1970-01-01T00:00:00.000Z",
      updatedAt: "1970-01-01T00:00:00.000Z",
      source: "migrated",
      migratedFrom: "list.json",
    },
  });
  expect(parseTasks(await folder.text(), "tasks.json")).toHaveLength(3);
});

test("a prd.json becomes tasks", async () => {
  await using folder = await tasksFolder();
  expect(await imported(folder, stories)).toMatchObject({ list: "prd.json", added: ["US-2", "US-1"] });
  const { tasks, metadata } = JSON.parse(await folder.text());
  expect(metadata).toMatchObject({
    source: "migrated",
    migratedFrom: "list.json",
    project: "Shop",
    branchName: "ralph/shop",
  });
  expect(tasks).toEqual([
    {
      id: "US-2",
      name: "Pay",
      description: "As a buyer…",
      status: "pending",
      priority: 2,
      acceptanceCriteria: ["Typecheck passes"],
    },
    {
      id: "US-1",
      name: "Cart",
      status: "passing",
      priority: 1,
      acceptanceCriteria: [],
      notes: "easy",
      metadata: { size: "S" },
    },
  ]);
});

test("features keep their own ids, and others do not get them", () => {
  const { imported: made } = readList(JSON.stringify([{ description: "a" }, { id: "1", description: "b" }]), "x.json");
  expect(made.tasks.map(({ id }) => id)).toEqual(["1-", "1"]);
});

describe("a tasks file that exists", () => {
  const mine = `// mine\n{ "version": "1.0", "tasks": [ { "id": "2", "name": "Mine", "status": "failing" } ] }\n`;

  test("is not overwritten", async () => {
    await using folder = await tasksFolder(mine);
    await expect(imported(folder, features)).rejects.toMatchObject({
      message: "research/tasks.json already exists",
      at: "research/tasks.json",
      hint: "Add to it with --merge, or overwrite it with --replace.",
    });
    expect(await folder.text()).toBe(mine);
  });

  test("gets the tasks it lacks, and is otherwise unchanged", async () => {
    await using folder = await tasksFolder(mine);
    expect(await imported(folder, features, { existing: "merge" })).toMatchObject({
      did: "merged",
      added: ["1", "3"],
      kept: ["2"],
    });
    const text = await folder.text();
    expect(text).toStartWith(
      `// mine\n{ "version": "1.0", "tasks": [ { "id": "2", "name": "Mine", "status": "failing" }, `,
    );
    expect(parseTasks(text, "x").map(({ id, status }) => `${id} ${status}`)).toEqual([
      "2 failing",
      "1 passing",
      "3 pending",
    ]);
    expect(await imported(folder, features, { existing: "merge" })).toMatchObject({ added: [], kept: ["1", "2", "3"] });
    expect(await folder.text()).toBe(text);
  });

  test("is replaced on request, even a broken one", async () => {
    await using folder = await tasksFolder("{ broken");
    expect(await imported(folder, features, { existing: "replace" })).toMatchObject({ did: "replaced" });
    expect(await folder.tasks()).toHaveLength(3);
  });
});

test.each([
  ["{ not json", "list.json:1:3: expected a property name"],
  ["{}", "list.json: This is not a list that can be imported."],
  ["[]", "list.json: The list is empty."],
  ['[{ "description": 1 }]', "list.json:1:19: [0].description must be text, not 1."],
  ['[{ "description": "a" },\n { "steps": ["x"] }]', 'list.json:2:2: [1] has no "description".'],
  ['{ "userStories": [{ "id": "a" }] }', 'list.json:1:19: userStories[0] has no "title".'],
  [
    '{ "userStories": [{ "id": "a", "title": "A" }, { "id": "a", "title": "B" }] }',
    'list.json: tasks[1] and tasks[0] have the same id "a".',
  ],
])("%s is refused with its place", async (text, expected) => {
  await using folder = await tasksFolder();
  await expect(imported(folder, text)).rejects.toThrow(expected);
  expect(await Bun.file(folder.file).exists()).toBe(false);
});

test("a list that does not exist is named", async () => {
  await using folder = await tasksFolder(task("a"));
  await expect(importTasks({ folder: folder.path, from: "gone.json" })).rejects.toThrow("gone.json does not exist");
});
