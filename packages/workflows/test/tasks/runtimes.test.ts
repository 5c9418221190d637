// Tasks are worked through wherever their users are: on Node, on Bun, and on the Bun inside OpenCode.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { tmpProject } from "@atomic/testing/project";
import { repository } from "../plugin/workflow-folder.ts";
import { loop } from "./tasks.ts";

setDefaultTimeout(180_000);

const program = `
import { readFileSync } from "node:fs";
import { hasSignal } from "./tasks/completion-signal.js";
import { gitFingerprint } from "./tasks/git-fingerprint.js";
import { importTasks } from "./tasks/import/import-tasks.js";
import { parseTasks } from "./tasks/parse.js";
import { taskLoopDecisions } from "./tasks/task-loop-decisions.js";

const [folder] = process.argv.slice(2);
const loop = ${JSON.stringify(loop({ limit: 2 }))};
const tasksPath = "research/tasks.json";
const imported = await importTasks({ folder, from: "list.json", now: () => new Date(0) });
const decisions = taskLoopDecisions({ folder, now: () => new Date(1) });
const { signal } = new AbortController();
const notes = [];
const info = (idemKey) => ({ idemKey, signal, note: (text) => notes.push(text) });
const picked = await decisions.pick({ loop, tasksPath, iteration: 1, mayRun: true }, info("r/L#1:pick"));
const outcomes = [{ ok: true }, { ok: false, error: { name: "Error", message: "no" } }];
for (const [at, task] of picked.tasks.entries()) {
  for (const _twice of [1, 2]) await decisions.settle({ loop, tasksPath, task, outcome: outcomes[at] }, info("r/L#1:settle"));
}
const end = await decisions.pick({ loop, tasksPath, iteration: 2, mayRun: true }, info("r/L#2:pick"));
let problem;
try { parseTasks("{ \\"version\\": 1 }", "x.json"); } catch (error) { problem = error.message; }
console.log(JSON.stringify({
  imported, picked, notes, end, problem,
  text: readFileSync(folder + "/" + tasksPath, "utf8"),
  files: await gitFingerprint(folder),
  signals: [hasSignal("Done.\\n\\nCOMPLETE", "COMPLETE"), hasSignal("I will say COMPLETE", "COMPLETE")],
}));
`;

test("Node, Bun and the Bun inside OpenCode do the same with the same tasks", async () => {
  const workflows = join(repository, "packages/workflows");
  const build = Bun.spawnSync([join(repository, "node_modules/.bin/tsc"), "-b", workflows]);
  expect(build.stdout.toString()).toBe("");
  const script = join(workflows, "dist/.tasks-runtimes.mjs");
  await Bun.write(script, program);
  const runs: Record<string, unknown>[] = [];
  for (const argv of [["node", "--no-warnings"], [process.execPath], [opencodeBinary]]) {
    await using project = await tmpProject({
      files: { "list.json": '[{ "description": "A" }, { "description": "B" }]' },
    });
    const { stdout, stderr } = Bun.spawnSync([...argv, script, project.dir], {
      env: { ...process.env, BUN_BE_BUN: "1" },
    });
    expect(stdout.length, stderr.toString()).toBeGreaterThan(0);
    runs.push(JSON.parse(stdout.toString()));
  }
  await Bun.file(script).delete();
  expect(runs[0]).toMatchObject({
    end: { do: "stop", reason: "1 task failing: 2 (no)", complete: false },
    notes: [
      'research/tasks.json: "1" is already marked as passing; it was left unchanged.',
      'research/tasks.json: "2" is already marked as failing; it was left unchanged.',
    ],
    files: expect.any(String),
    signals: [true, false],
  });
  expect(runs[1]).toEqual(runs[0] as Record<string, unknown>);
  expect(runs[2]).toEqual(runs[0] as Record<string, unknown>);
});
