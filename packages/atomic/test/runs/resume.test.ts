// What you can tell a run when you resume it: limits, answers about tools, and what would be ignored.
import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Project } from "@atomic/testing/project";
import { atomic } from "../atomic.ts";
import { projectWith } from "./begun.ts";

const counting = `{ name: "counting", arguments: { maxIterations: { type: "number", default: 2 }, goal: { type: "string" } } as const },
  (graph) => graph.loop(toolNode({ id: "work", run: () => null }), { id: "turns", until: () => false, maxIterations: ({ input }) => input.maxIterations, onIncomplete: "fail" })`;

function runId(project: Project): string {
  const [id = ""] = readdirSync(project.path(".atomic/runs")).filter((name) => !name.startsWith("."));
  return id;
}

test("a run that stops at another limit after a raise names the new limit", async () => {
  await using project = await projectWith({ counting });
  const first = await atomic(project, ["run", "counting", "--max-steps", "0"]);
  expect(first.stderr).toContain("stopped: 0 of 0 steps used");
  const { code, stderr } = await atomic(project, ["resume", runId(project), "--max-steps", "9", "--budget-usd", "0"]);
  expect(code).toBe(5);
  expect(stderr).toContain("stopped: $0.00 of $0.00 used");
  expect(stderr).toContain(`atomic resume ${runId(project)} --budget-usd <more>`);
});

test("a loop that reached its limit is restarted, not retried", async () => {
  await using project = await projectWith({ counting });
  const { code, stderr } = await atomic(project, ["run", "counting", "--goal", "a b"]);
  expect(code).toBe(1);
  expect(stderr).toEndWith("    atomic run counting --max-iterations <more> --goal 'a b' --host opencode\n");
  const again = await atomic(project, ["resume", runId(project), "--retry"]);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(
    "Retrying would fail the same way. Start a new run: atomic run counting --max-iterations <more> --goal 'a b' --host opencode\n",
  );
});

test("the command that starts a run again keeps its host, model, policy and budget", async () => {
  await using project = await projectWith({ counting });
  await project.write("a script.json", "[]");
  const given = ["--model", "big", "--allow", "bash", "--deny", "all", "--ask", "github/*", "--budget-usd", "5"];
  const limits = ["--budget-tokens", "900", "--max-time", "90s", "--max-steps", "50", "--idle-timeout", "2h"];
  const own = ["run", "counting", "--host", "claude"];
  const { stderr } = await atomic(project, [...own, ...given, ...limits]);
  expect(stderr).toEndWith(
    "    atomic run counting --max-iterations <more> --host claude --model big --allow bash --deny all --ask 'github/*' --budget-usd 5 --budget-tokens 900 --max-time 90s --max-steps 50 --idle-timeout 7200s\n",
  );
  const scripted = await atomic(project, ["run", "counting", "--script", "a script.json"]);
  expect(scripted.stderr).toEndWith(`--max-iterations <more> --script '${project.path("a script.json")}'\n`);
});

const deciding = `{ name: "deciding" }, (graph) => graph
  .start(waitNode({ id: "ok", prompt: "Ship it?", timeoutMs: 60_000, fallback: false }))
  .then(toolNode({ id: "say", run: ({ outputs }) => \`shipped: \${outputs.ok}\` }))`;

test("a question whose deadline passed while no process worked on the run cannot be answered any more", async () => {
  await using project = await projectWith({ deciding });
  const began = await atomic(project, ["run", "deciding", "--no-wait"]);
  expect(began.code).toBe(4);
  const id = runId(project);
  const late = { now: () => Date.now() + 61_000 };
  const refused = await atomic(project, ["approve", id], late);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^atomic: \S+: this question could be answered until .*: Ship it\?\n/);
  expect(refused.stderr).toEndWith(`Continue without an answer: atomic resume ${id}\n`);
  const shown = await atomic(project, ["show", id], late);
  expect(shown.stdout).toEndWith(`\n    atomic resume ${id}  # too late to answer; continue without an answer\n`);
  expect(shown.stdout).not.toContain("atomic approve");
  expect((await atomic(project, ["approve", id])).code).toBe(0);
  expect(await atomic(project, ["resume", id])).toMatchObject({ code: 0, stdout: "shipped: true\n" });
});

test.each([
  [["--max-iterations", "9"], "'--max-iterations' cannot be combined with --resume"],
  [["--host", "claude"], "'--host' cannot be combined with --resume: a resumed run keeps its host and input"],
  [["--dry-run"], "'--dry-run' cannot be combined with --resume"],
])("%j with --resume is refused, not ignored", async (words, message) => {
  await using project = await projectWith({ counting });
  await atomic(project, ["run", "counting", "--max-steps", "1"]);
  const { code, stderr } = await atomic(project, ["run", "counting", "--resume", runId(project), ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test("a run whose workflow has changed is refused before it continues", async () => {
  await using project = await projectWith({ counting });
  await atomic(project, ["run", "counting", "--max-steps", "1"]);
  const file = ".atomic/workflows/counting.ts";
  await project.write(file, (await project.read(file)).replace('id: "work"', 'id: "other"'));
  const again = ["resume", runId(project), "--max-steps", "9", "--keep-graph"];
  const { code, stderr } = await atomic(project, again);
  expect(code).toBe(3);
  expect(stderr).toContain(
    `\natomic: The run ${runId(project)} cannot continue: The graph "counting" has a problem:\n`,
  );
  expect(stderr).toContain("Use the version of the workflow that started the run.\n");
  expect(stderr).toEndWith(`from a node on: atomic resume ${runId(project)} --from <node>\n`);
});

test("permission rules can be given to a run that continues", async () => {
  const asking = `{ name: "asking" }, (graph) => graph.start(agentNode({ id: "look", prompt: "Look." }))`;
  const script = `export default async function* () {
  const outcome = yield { tool: "bash", input: { command: "ls" }, run: () => "a file" };
  yield { text: \`seen \${outcome?.ok}\` };
}\n`;
  await using project = await projectWith({ asking }, { "script.mjs": script });
  const first = await atomic(project, ["run", "asking", "--script", "script.mjs", "--max-steps", "0"]);
  expect(first.code).toBe(5);
  const again = ["resume", runId(project), "--max-steps", "9", "--no-wait"];
  const { code, stdout } = await atomic(project, [...again, "--allow", "bash"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "seen true\n" });
});
