import { describe, expect, test } from "bun:test";
import { recordError } from "../../src/run/step-errors.ts";
import { inspectTasks, parseTasks } from "../../src/tasks/parse.ts";
import { TasksError } from "../../src/tasks/tasks-error.ts";
import { task, tasksText } from "./tasks.ts";

const file = "research/tasks.json";

function problemsOf(text: string): string[] {
  return inspectTasks(text, file).problems.map(
    ({ at, message, hint }) => `${at}: ${message}${hint === undefined ? "" : ` ${hint}`}`,
  );
}

const one = (fields: string): string => `{\n  "version": "1.0",\n  "tasks": [\n    { ${fields} }\n  ]\n}\n`;

test("a file with comments, a byte order mark and its author's own fields is read", () => {
  const text = `\ufeff// mine
  { "version": "1.0", "owner": "me", "tasks": [
    { "id": "a", "name": "A", "status": "pending", "estimate": { "hours": 3 }, }, // soon
  ] }`;
  expect(parseTasks(text, file) as unknown).toEqual([
    { id: "a", name: "A", status: "pending", estimate: { hours: 3 } },
  ]);
});

describe("a problem says where it is and what to do:", () => {
  test.each([
    ["", "research/tasks.json:1:1: expected a value"],
    ["[]", "research/tasks.json:1:1: the whole value must be an object, not a list."],
    ['{ "tasks": [] }', 'research/tasks.json:1:1: "version" is missing. Add "version": "1.0".'],
    ['{ "version": "2.0", "tasks": [] }', 'research/tasks.json:1:14: version must be "1.0", not "2.0".'],
    ['{ "version": "1.0", "tasks": {} }', "research/tasks.json:1:30: tasks must be a list, not an object."],
    [
      one(`"id": 1, "name": "A", "status": "pending"`),
      'research/tasks.json:4:13: tasks[0].id must be text, not 1. Write "1".',
    ],
    [
      one(`"id": " ", "name": "A", "status": "pending"`),
      'research/tasks.json:4:13: tasks[0].id must be text that is not blank, not " ".',
    ],
    [
      one(`"id": "a", "title": "A", "status": "pending"`),
      'research/tasks.json:4:5: tasks[0] has no "name". Rename "title" to "name".',
    ],
    [
      one(`"id": "a", "name": "A", "status": "pasing"`),
      'research/tasks.json:4:41: tasks[0].status must be "pending", "in_progress", "passing", "failing" or "skipped", not "pasing". Did you mean "passing"?',
    ],
    [
      one(`"id": "a", "name": "A", "status": "pending", "priority": "high"`),
      'research/tasks.json:4:64: tasks[0].priority must be a number, not "high".',
    ],
    [
      one(`"id": "a", "name": "A", "status": "pending", "dependencies": "b"`),
      'research/tasks.json:4:68: tasks[0].dependencies must be a list, not "b".',
    ],
    [
      one(`"id": "a", "name": "A", "status": "pending", "attempts": -1`),
      "research/tasks.json:4:64: tasks[0].attempts must be 0 or more, not -1.",
    ],
    [
      one(`"id": "a", "name": "A", "status": "pending", "attempts": 1.5`),
      "research/tasks.json:4:64: tasks[0].attempts must be a whole number, not 1.5.",
    ],
    [
      one(`"id": "a", "name": "A", "status": "pending", "id": "b"`),
      "research/tasks.json:4:52: tasks[0].id appears 2 times. Remove one of them.",
    ],
  ])("%s", (text, expected) => {
    expect(problemsOf(text).join("\n")).toStartWith(expected);
  });
});

test("all problems with the tasks are reported at once, in one error", () => {
  const text = tasksText(
    task("a", { dependencies: ["b"] }),
    task("b", { dependencies: ["c", "deploy"] }),
    task("c", { dependencies: ["a"] }),
    task("self", { dependencies: ["self"] }),
    task("deployed"),
    task("a"),
    task("x", { dependencies: ["y"] }),
    task("y", { dependencies: ["x", "c"] }),
    task("after", { dependencies: ["c"] }),
  );
  expect(() => parseTasks(text, file)).toThrow(TasksError);
  expect(problemsOf(text)).toEqual([
    'research/tasks.json:43:13: tasks[5] and tasks[0] have the same id "a". Give one of them another id.',
    'research/tasks.json:18:9: "b" depends on "deploy", which is not a task. Did you mean "deployed"?',
    'research/tasks.json:8:23: These tasks depend on each other: "a" needs "b" needs "c" needs "a". Remove one of these dependencies.',
    'research/tasks.json:33:23: "self" depends on itself. Remove one of these dependencies.',
    'research/tasks.json:51:23: These tasks depend on each other: "x" needs "y" needs "x". Remove one of these dependencies.',
  ]);
});

test("the journal's record of the error has all problems, in lines that are safe to print", () => {
  const text = tasksText(task("a", { dependencies: ["no\u001b[2Jne"] }), task("a"));
  const error = (() => {
    try {
      return parseTasks(text, file);
    } catch (thrown) {
      return thrown;
    }
  })() as TasksError;
  const { message } = recordError(error);
  expect(message.split("\n")).toEqual([
    `${file} has 2 problems:`,
    expect.stringMatching(/^ {2}\S+:\d+:\d+: .* the same id "a"\. \S/),
    expect.stringMatching(/^ {2}\S+:\d+:\d+: .*no\\x1b\[2Jne/),
  ]);
  expect(message).not.toContain("\u001b");
  expect(error).toMatchObject({
    code: "tasks-invalid",
    at: file,
    details: [{ code: "duplicate-id" }, { code: "unknown-dependency" }],
  });
});

test("problems with the shape do not hide other problems", () => {
  const text = `{ "version": "1.0", "tasks": [
    { "id": "a", "name": "A", "status": "done", "dependencies": ["b"] },
    { "id": "b", "name": "B", "status": "pending", "dependencies": ["a", "gone"] },
    { "id": "c", "name": "C", "status": "pending" },
    { "id": "c", "name": 7, "status": "pending" },
    7
  ] }`;
  const { tasks, problems } = inspectTasks(text, file);
  expect(tasks).toEqual([]);
  expect(problems.map(({ code, at }) => `${code} ${at.split(":")[1]}`)).toEqual([
    "shape 2",
    "shape 5",
    "shape 6",
    "duplicate-id 5",
    "cycle 2",
  ]);
});

test("a chain of 20,000 tasks works, and a cycle at its end is found", () => {
  const chain = Array.from({ length: 20_000 }, (_, at) =>
    task(`t${at}`, at === 0 ? {} : { dependencies: [`t${at - 1}`] }),
  );
  expect(inspectTasks(tasksText(...chain), file).problems).toEqual([]);
  const closed = [task("t0", { dependencies: ["t19999"] }), ...chain.slice(1)];
  expect(inspectTasks(tasksText(...closed), file).problems.map(({ code }) => code)).toEqual(["cycle"]);
});

test("ids and dependencies that are not text are reported, whatever they are", () => {
  const odd = `{ "tasks": [{ "id": { "a": [{}] }, "name": "x", "status": "pending", "dependencies": [{}, [[]], null] }] }`;
  const { tasks, problems } = inspectTasks(odd, file);
  expect(tasks).toEqual([]);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.every(({ code }) => code === "shape")).toBe(true);
});
