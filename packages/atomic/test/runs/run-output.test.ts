// What `atomic run` prints, and what can be shown later.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { atomic } from "../atomic.ts";
import { projectWith } from "./begun.ts";
import { failing, plain, run, runIds, shipping } from "./running.ts";

const wordy = `{ name: "wordy", state: { all: append() } }, (graph) => graph
    .start(toolNode({ id: "early", run: () => "e".repeat(30_000), into: "all" }))
    .wait(waitNode({ id: "approval", prompt: "Go on?" }))
    .if(({ outputs }) => outputs.approval === true)
    .then(toolNode({ id: "late", run: () => "l".repeat(30_000) + "\u001b[2J", into: "all" }))
    .else()
    .then(toolNode({ id: "no", run: () => ({ left: 7 }) }))
    .endif()`;

test("a long answer is printed whole, as text and as JSON, whatever node is the last", async () => {
  await using project = await projectWith({ wordy });
  expect((await run(project, "wordy", "--no-wait")).code).toBe(4);
  const [id = ""] = runIds(project);
  // Also while the run waits.
  expect(await atomic(project, ["show", id, "early"])).toMatchObject({ stdout: `${"e".repeat(30_000)}\n`, code: 0 });
  await atomic(project, ["approve", id]);
  const late = `${"l".repeat(30_000)}\u001b[2J`;
  expect((await atomic(project, ["resume", id])).stdout).toBe(`${late}\n`);
  const inTerminal = await atomic(project, ["show", id, "late"], { columns: 80 });
  expect(inTerminal.stdout).toBe(`${"l".repeat(30_000)}\\x1b[2J\n`);
  const shown = JSON.parse((await atomic(project, ["show", id, "--json"])).stdout);
  expect(shown.answer).toBe(late);
  expect(shown.status.result.value.outputs).toMatchObject({ early: "e".repeat(30_000), late });
  const node = await atomic(project, ["show", id, "late", "--json"]);
  expect(JSON.parse(node.stdout)).toMatchObject({ ok: true, runId: id, node: "late", output: late });
});

test("the last line of JSON has whole values, and an answer that is not a text is printed as JSON", async () => {
  await using project = await projectWith({ wordy });
  await run(project, "wordy", "--no-wait");
  const [id = ""] = runIds(project);
  await atomic(project, ["approve", id, "--deny"]);
  const { stdout } = await atomic(project, ["resume", id, "--json"]);
  const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(result.answer).toEqual({ left: 7 });
  expect(result.status.result.value.state.all).toEqual(["e".repeat(30_000)]);
  expect((await atomic(project, ["show", id, "no"])).stdout).toBe('{\n  "left": 7\n}\n');
});

const busy = `{ name: "busy" }, (graph) => graph.start(agentNode({ id: "look", prompt: "Look around.", permissions: "allow" }))`;

const working = `export default async function* ({ options: { folder } }) {
  yield { text: "I will look" };
  const { output } = yield { tool: "bash", input: { command: "ls" }, detail: "ls", run: () => "a.txt\\u001b[2J" };
  yield { tool: "write", input: { filePath: "b.txt" }, detail: "b.txt", run: async () => {
    (await import("node:fs")).writeFileSync(folder + "/b.txt", "new\\n");
    return "written";
  } };
  yield { text: "found " + output };
}`;

test("what an agent was told, said and did can be shown later, and removed", async () => {
  await using project = await projectWith({ busy }, { "script.mjs": working });
  execFileSync("git", ["init", "-q"], { cwd: project.dir });
  await run(project, "busy", "--script", "script.mjs", "--allow", "all");
  const [id = ""] = runIds(project);
  expect((await atomic(project, ["show", id, "look"])).stdout).toBe("found a.txt\x1b[2J\n");
  const full = (await atomic(project, ["show", id, "look", "--full"])).stdout;
  expect(full).toStartWith(`prompt
  Look around.

agent
  I will look

bash was called
  {
    "command": "ls"
  }

bash returned
  a.txt\\x1b[2J
`);
  expect(full).toContain("files changed\n  diff --git a/b.txt b/b.txt\n  new file mode 100644\n");
  const { transcript } = JSON.parse((await atomic(project, ["show", id, "look", "--json"])).stdout);
  expect(transcript.map(({ note }: { note: { type: string } }) => note.type)).toEqual([
    ...["prompt", "text", "tool-started", "tool-ended", "tool-started", "tool-ended", "text", "files-changed"],
  ]);
  const followed = (await atomic(project, ["show", id, "--follow", "--json"])).stdout.trimEnd().split("\n");
  const types = followed
    .map((line) => JSON.parse(line))
    .map(({ type, key, note }) => `${type} ${note?.type ?? key ?? ""}`);
  expect(types.slice(types.indexOf("step-started look"))).toEqual(
    expect.arrayContaining(["step-note prompt", "step-note files-changed"]),
  );
  expect(types.indexOf("step-note files-changed")).toBeLessThan(types.indexOf("step-finished look"));
  const pruned = await atomic(project, ["prune", "--transcripts", "--older-than", "0s"]);
  expect(pruned).toMatchObject({ code: 0, stdout: `${id}\n`, stderr: expect.stringContaining("1 transcript removed") });
  // The output is not part of it.
  expect((await atomic(project, ["show", id, "look", "--full"])).stdout).toBe("found a.txt\x1b[2J\n");
});

const each = `{ name: "each" }, (graph) => graph
  .start(mapNode({ id: "all", over: ["a b", "c"], as: "one", nodes: toolNode({ id: "w", run: ({ one }) => "hi " + one }) }))
  .loop(toolNode({ id: "turn", run: ({ iteration }) => iteration }), { id: "twice", until: ({ iteration }) => iteration === 2 })`;

test("a node that ran several times says so: one output, or with --all every output, by its path", async () => {
  await using project = await projectWith({ each });
  await run(project, "each");
  const [id = ""] = runIds(project);
  const shown = async (...words: string[]) => await atomic(project, ["show", id, ...words]);
  const { code, stdout, stderr } = await shown("w");
  expect([code, stdout]).toEqual([1, ""]);
  const [first = "", hint = ""] = stderr.split("\n");
  expect(first).toBe(`atomic: "w" has run at 2 paths in ${id}, so its name alone is ambiguous`);
  expect(hint).toContain("Name one path (`atomic show");
  expect(stderr).toContain("w --all");
  expect((await shown("all.c/w")).stdout).toBe("hi c\n");
  expect((await shown("all.d/w")).stderr).toStartWith("atomic: all.d/w did not run\n");
  const { outputs } = JSON.parse((await shown("w", "--all", "--json")).stdout);
  expect(outputs.map(({ output }: { output: string }) => output)).toEqual(["hi a b", "hi c"]);
  expect((await shown("w", "--all")).stdout).toBe(`${outputs[0].key}:\nhi a b\nall.c/w:\nhi c\n`);
  expect(await shown("turn")).toMatchObject({
    stdout: "2\n",
    stderr: expect.stringMatching(
      /^The last of 2 outputs, twice#2\/turn\. For all of them: .*atomic show .* turn --all\n$/,
    ),
  });
  expect(await shown("twice#1/turn")).toMatchObject({ stdout: "1\n", stderr: "" });
  expect(await shown("turn", "--all")).toMatchObject({ stdout: "twice#1/turn:\n1\ntwice#2/turn:\n2\n", stderr: "" });
  expect(await shown("--all")).toMatchObject({ code: 2, stderr: expect.stringContaining("--all needs a node") });
});

const inParallel = `{ name: "stuck" }, (graph) => graph
  .parallel({ id: "m", branches: { a: toolNode({ id: "boom", run: () => { throw new Error("no disk"); } }), b: toolNode({ id: "b", run: () => 1 }) } })`;

test("a node without an output is refused with the reason", async () => {
  await using project = await projectWith({ wordy, failing, stuck: inParallel });
  await run(project, "wordy", "--no-wait");
  const [id = ""] = runIds(project);
  const refused = async (node: string, runId = id) => {
    const { code, stderr } = await atomic(project, ["show", runId, node]);
    return [code, stderr.split("\n")[0]];
  };
  expect(await refused("approval")).toEqual([1, "atomic: approval is waiting for an answer"]);
  expect(await refused("late")).toEqual([1, "atomic: late has not run yet"]);
  expect(await refused("erly")).toEqual([1, `atomic: ${id} has no node "erly" (did you mean "early"?)`]);
  await run(project, "stuck");
  const [stuck = ""] = runIds(project).filter((each) => each !== id);
  const inside = await atomic(project, ["show", stuck, "m"]);
  expect(inside.stderr).toBe(
    `atomic: m did not end: the run failed: m.0/boom: no disk\n\`atomic show ${stuck}\` shows what the run did.\n`,
  );
  await run(project, "failing");
  const [failed = ""] = runIds(project).filter((each) => each !== id && each !== stuck);
  expect(await refused("boom", failed)).toEqual([1, "atomic: boom failed: no \\x1b[31mdisk"]);
});

test("with --json an error contains the same text: what happened and what to type next", async () => {
  await using project = await projectWith({ ship: shipping, failing });
  const last = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  const asked = last(await run(project, "ship", "1.4.0", "--no-wait", "--json"));
  const id = asked.runId;
  const error = {
    code: "waiting",
    message: "is waiting for an answer",
    hint: `atomic approve ${id} --key approval  # yes\natomic approve ${id} --deny --key approval  # no\natomic resume ${id}  # then`,
  };
  expect(asked).toMatchObject({ ok: false, error, exitCode: 4 });
  const followed = await atomic(project, ["show", id, "--follow", "--json"]);
  expect(followed.code).toBe(4);
  expect(last(followed)).toMatchObject({ ok: false, error, exitCode: 4 });
  const text = await atomic(project, ["show", id, "--follow"]);
  expect(text.code).toBe(4);
  expect(text.stderr).toContain(`‖ ship ${id} is waiting for an answer (`);
  const shown = await atomic(project, ["show", id, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ ok: true, runId: id });
  const failed = last(await run(project, "failing", "--json"));
  const hint = `atomic resume ${failed.runId} --retry`;
  expect(failed).toMatchObject({ ok: false, error: { code: "run-failed", hint }, exitCode: 1 });
});

test("each event is one line of JSON, and the last line reports the outcome", async () => {
  await using project = await projectWith({ plain });
  const { stdout, stderr, code } = await run(project, "plain", "evil \u202e\x9b", "--json");
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(stdout).not.toMatch(/[\u202e\x9b]/);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type }) => type)).toEqual([
    "run-created",
    "run-claimed",
    "step-started",
    "step-finished",
    "run-ended",
    "result",
  ]);
  const [id] = runIds(project);
  for (const line of lines) expect(line).toMatchObject({ runId: id, at: expect.any(Number) });
  expect(lines.slice(0, -1).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5]);
  expect(lines[0]).toMatchObject({ input: "evil \u202e\x9b" });
  expect(lines.at(-1)).toMatchObject({
    version: 1,
    workflow: "plain",
    status: { kind: "done", result: { value: { outputs: { say: expect.any(String) } } } },
    spent: { steps: 1 },
    questions: [],
    exitCode: 0,
  });
});

test("a graph is drawn, or written as Mermaid or JSON", async () => {
  await using project = await projectWith({ ship: shipping });
  const { stdout } = await atomic(project, ["graph", "ship"]);
  expect(stdout).toBe("ship: Ships it\n├─ build     tool\n├─ approval  wait: Ship it?\n└─ publish   tool\n");
  expect((await atomic(project, ["graph", "ship", "--mermaid"])).stdout).toStartWith("flowchart TD\n");
  const json = JSON.parse((await atomic(project, ["graph", "ship", "--json"])).stdout);
  expect(json).toMatchObject({ version: 1, workflow: "atomic:project/ship", graph: { name: "ship" } });
  expect(await atomic(project, ["graph", "shop"])).toMatchObject({ code: 1, stdout: "" });
});
