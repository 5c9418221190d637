// Ralph on the real OpenCode, as a user starts it, with a scripted model.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Project, tmpProject } from "@atomic/testing/project";
import { atomic, buildAtomic } from "./atomic.ts";

setDefaultTimeout(180_000);
beforeAll(buildAtomic);

const bin = join(import.meta.dirname, "../../packages/atomic/bin/atomic.js");

/** Ten tasks; by priority and dependencies there is one order in which they can be done. */
const order = ["plan", "schema", "store", "parser", "errors", "command", "help", "docs", "tests", "release"];
const needs: Readonly<Record<string, readonly string[]>> = {
  schema: ["plan"],
  store: ["schema"],
  parser: ["schema"],
  errors: ["store", "parser"],
  command: ["errors"],
  help: ["command"],
  docs: ["help"],
  tests: ["command", "docs"],
  release: ["tests", "docs"],
};

interface Entry {
  readonly id: string;
  readonly status: string;
  readonly error?: string;
}

async function projectFor(model: ModelServer, ids: readonly string[] = order): Promise<Project> {
  const tasks = ids
    .map((id, at) => ({ id, name: `The ${id}`, status: "pending", priority: at, dependencies: needs[id] ?? [] }))
    // Not in the order in which they have to be done.
    .toReversed();
  const project = await tmpProject({
    files: {
      "research/tasks.json": { version: "1.0", tasks },
      "~/.config/opencode/opencode.json": opencodeConfig(model),
    },
  });
  await project.skipPluginInstall();
  return project;
}

async function tasksOf(project: Project): Promise<Entry[]> {
  const { tasks } = (await project.json("research/tasks.json")) as { tasks: Entry[] };
  return tasks.toReversed();
}

const asks = (id: string): string => `"id": "${id}"`;

/** The agent does something that shows if it is done twice. */
function expectTask(model: ModelServer, id: string): void {
  model
    .expect(asks(id))
    .tool("bash", { command: `echo ${id} >> done.txt`, description: `Notes ${id}` })
    .then.reply("It is done, and its checks pass.\n\n<outcome>passing</outcome>");
}

async function ralph(project: Project, ...args: string[]): Promise<OwnedProcess> {
  return await project.start(["node", bin, ...args, "--json"]);
}

/** Kills the run with all that it started, when the model has been asked about this task. */
async function killWhileAsked(model: ModelServer, run: OwnedProcess, id: string): Promise<string> {
  await model.waitFor(asks(id), { deadline: 90_000 });
  const [, runId = ""] = await run.printed(/"runId":"([^"]*)"/, 30_000);
  process.kill(run.pid, "SIGKILL");
  await run.exited;
  return runId;
}

test("ten tasks with dependencies are done in order, each once, although it is killed twice", async () => {
  await using model = await modelServer();
  await using project = await projectFor(model);
  for (const id of order) {
    if (id === "parser" || id === "docs") model.expect(asks(id)).reply("Let me see").hang();
    expectTask(model, id);
  }
  const first = await ralph(project, "run", "ralph", "--allow", "all");
  const runId = await killWhileAsked(model, first, "parser");
  expect((await tasksOf(project)).map(({ status }) => status).slice(0, 5)).toEqual([
    "passing",
    "passing",
    "passing",
    "in_progress",
    "pending",
  ]);

  await killWhileAsked(model, await ralph(project, "resume", runId), "docs");
  const last = await ralph(project, "resume", runId);
  expect({ ...(await last.exited), stderr: last.stderr }).toMatchObject({ code: 0, stderr: "" });

  expect(await project.read("done.txt")).toBe(order.map((id) => `${id}\n`).join(""));
  expect(await tasksOf(project)).toEqual(
    order.map((id) => expect.objectContaining({ id, status: "passing" })) as unknown as Entry[],
  );
  const { stdout } = await atomic(project, "show", runId);
  expect(stdout).toContain(runId);
});

test("a task that fails for ever ends the run with the reason", async () => {
  await using model = await modelServer();
  await using project = await projectFor(model, ["plan", "schema"]);
  for (const _attempt of [1, 2, 3])
    model.expect(asks("plan")).reply("There is no compiler here.\n\n<outcome>failing</outcome>");
  const run = await ralph(project, "run", "ralph", "--allow", "all");
  expect(await run.exited).toMatchObject({ code: 1 });
  expect(run.stdout).toContain("before it was done");
  expect(run.stdout).not.toContain('"complete":true');
  const [plan, schema] = await tasksOf(project);
  expect(plan).toMatchObject({ status: "failing", error: expect.stringContaining("There is no compiler here.") });
  expect(schema).toMatchObject({ status: "pending" });
});

test("a goal loop continues until the agent says COMPLETE on its own line, not when it quotes the instruction", async () => {
  await using model = await modelServer();
  await using project = await projectFor(model, []);
  const quoted = ["I will end with this line:", "`<promise>COMPLETE</promise>`", "> COMPLETE", "```\nCOMPLETE\n```"];
  model.expect("is iteration 1").reply(`One step is done.\n${quoted.join("\n\n")}\n\nIt is not reached yet.`);
  model.expect("is iteration 2").reply("Nothing is missing, and all checks pass.\n\nCOMPLETE");
  const run = await ralph(
    project,
    "run",
    "ralph",
    "--yolo",
    "Sort the shelves",
    "--max-iterations",
    "3",
    "--allow",
    "all",
  );
  expect({ ...(await run.exited), stderr: run.stderr }).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toContain('{"iterations":2,"stopped":"signal","complete":true}');
  expect(model.prompts.map(({ user }) => user.includes("Sort the shelves"))).toEqual([true, true]);
});
