import { expect, test } from "bun:test";
import { type FileContent, type Project, tmpProject } from "@atomic/testing/project";
import { toolNode } from "@atomic/workflows/internal/graph/action-nodes";
import { atomic } from "./atomic.ts";
import { begin, newGraph } from "./runs/begun.ts";

const task = (id: string, name: string, more: object = {}): object => ({ id, name, status: "pending", ...more });

async function projectWithTasks(tasks: readonly object[], path = "research/tasks.json"): Promise<Project> {
  return await project({ [path]: { version: "1.0", tasks } });
}

async function project(files: Readonly<Record<string, FileContent>>): Promise<Project> {
  return await tmpProject({ git: false, files: { ".atomic/workflows/x.ts": "", ...files } });
}

const some = [
  task("1", "Log in", { status: "passing" }),
  task("2", "Log out", { dependencies: ["4"] }),
  task("3", "Colours \x1b[31m", { priority: 1 }),
  task("4", "Store", { status: "failing", error: "no disk" }),
  task("5", "Search", { status: "in_progress", claimedBy: "calm-otter/tasks#1:pick" }),
];

test("tasks are listed with what they wait for, and which comes next", async () => {
  await using here = await projectWithTasks(some);
  const { stdout, stderr, code } = await atomic(here, ["tasks"]);
  expect(stdout).toBe(
    [
      "TASK  STATUS       NAME              ABOUT",
      "1     passing      Log in",
      "2     pending      Log out           blocked by 4",
      String.raw`3     pending      Colours \x1b[31m  next`,
      "4     failing      Store             no disk",
      "5     in progress  Search            left unfinished by a run that has ended",
      "",
    ].join("\n"),
  );
  expect(stderr).toBe("research/tasks.json: 5 tasks: 2 pending, 1 in progress, 1 passing, 1 failing\n");
  expect(code).toBe(0);
});

test("a task of a run that can be resumed says how", async () => {
  await using here = await projectWithTasks(some);
  await begin(here, newGraph().start(toolNode({ run: () => 1 })), { budget: { steps: 0 } });
  const { stdout } = await atomic(here, ["tasks"]);
  expect(stdout).toContain("left unfinished by run calm-otter: atomic resume calm-otter\n");
});

test("programs get the tasks as they are, and the next ones", async () => {
  await using here = await projectWithTasks(some, "plans/mine.json");
  const { stdout } = await atomic(here, ["tasks", "mine.json", "--json"], { cwd: "plans" });
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    path: here.path("plans/mine.json"),
    tasks: some,
    counts: { pending: 2, passing: 1 },
    complete: false,
  });
});

test.each([
  [{}, [], "atomic: research/tasks.json does not exist\nCreate it, or", 1],
  [{ "research/tasks.json": "{ nonsense" }, [], "atomic: research/tasks.json:1:3: expected a property name", 3],
  [{ "research/tasks.json": { version: "1.0", tasks: [task("1", "a"), task("1", "b")] } }, [], "tasks.json:", 3],
  [{}, ["other.json"], "atomic: other.json does not exist\n", 1],
] as const)("with %j, tasks %j is refused clearly", async (files, argv, message, exitCode) => {
  await using here = await project(files);
  const { stdout, stderr, code } = await atomic(here, ["tasks", ...argv]);
  expect(stderr).toContain(message);
  expect({ stdout, code }).toEqual({ stdout: "", code: exitCode });
});

test("programs get each problem of a file separately: what, where, and what to do", async () => {
  await using here = await project({ "bad.json": "{ nonsense", "two.json": [{ description: 1 }, { description: 2 }] });
  const errorOf = async (...argv: readonly string[]) => {
    const { stdout, stderr } = await atomic(here, [...argv, "--json"]);
    expect(stderr).toBe("");
    return JSON.parse(stdout).error;
  };
  expect(await errorOf("tasks")).toEqual({
    code: "tasks-missing",
    message: "research/tasks.json does not exist",
    at: "research/tasks.json",
    hint: "Create it, or convert another list with `atomic tasks import <file>`.",
  });
  expect(await errorOf("tasks", "import", "bad.json")).toEqual({
    code: "tasks-invalid",
    message: 'bad.json:1:3: expected a property name in double quotes or "}", found "nonsense".',
    at: "bad.json:1:3",
    hint: expect.any(String),
  });
  const { parts, ...both } = await errorOf("tasks", "import", "two.json");
  expect(both).toEqual({ code: "tasks-invalid", message: "two.json has 2 problems", at: "two.json" });
  expect(parts).toEqual([
    { at: "two.json:3:20", message: "[0].description must be text, not 1.", hint: 'Write "1".' },
    { at: "two.json:6:20", message: "[1].description must be text, not 2.", hint: 'Write "2".' },
  ]);
});

const features = [
  { category: "functional", description: "Log in", steps: ["open"], passes: true },
  { category: "functional", description: "Log out", steps: [], passes: false },
];

test("a feature list becomes a tasks file, which is not overwritten", async () => {
  await using here = await project({ "feature-list.json": features });
  const { stdout, code } = await atomic(here, ["tasks", "import", "feature-list.json"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2 tasks from a .*: wrote research\/tasks\.json\n$/);
  expect(await here.json("research/tasks.json")).toMatchObject({
    tasks: [
      { name: "Log in", status: "passing" },
      { name: "Log out", status: "pending" },
    ],
  });
  const again = await atomic(here, ["tasks", "import", "feature-list.json"]);
  expect(again.code).toBe(3);
  expect(again.stderr).toContain("research/tasks.json already exists");
  const merged = await atomic(here, ["tasks", "import", "feature-list.json", "--merge", "--json"]);
  expect(JSON.parse(merged.stdout)).toMatchObject({ did: "merged", added: [], kept: expect.arrayContaining(["1"]) });
  expect((await atomic(here, ["tasks", "import", "feature-list.json", "--replace"])).code).toBe(0);
});

test("a list elsewhere is written where requested, and an invalid one is not written", async () => {
  await using here = await project({ "a/prd.json": { userStories: [{ id: "US-1", title: "Log in", passes: false }] } });
  expect(await atomic(here, ["tasks", "import", "prd.json", "--to", "t.json"], { cwd: "a" })).toMatchObject({
    code: 0,
  });
  expect(await here.json("a/t.json")).toMatchObject({ tasks: [{ id: "US-1", name: "Log in" }] });
  await here.write("odd.json", { odd: true });
  const { code, stderr } = await atomic(here, ["tasks", "import", "odd.json"]);
  expect(code).toBe(3);
  expect(stderr).toContain("odd.json: This is not a list that can be imported.");
  expect(await atomic(here, ["tasks", "import", "x", "--merge", "--replace"])).toMatchObject({ code: 2 });
});
