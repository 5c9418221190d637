// Looking at runs, answering, cancelling and removing them: on real journals, without any workflow at hand.
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { agentNode, askUserNode, toolNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { atomic } from "../atomic.ts";
import { begin, newGraph } from "./begun.ts";

const shipping = () =>
  newGraph()
    .start(agentNode({ id: "review", prompt: "Look." }))
    .wait(waitNode({ id: "approval", prompt: "Ship it?" }));

const failing = () =>
  newGraph("build").start(
    toolNode({
      id: "compile",
      run: () => {
        throw new Error("no \x1b[31mdisk");
      },
    }),
  );

const twoQuestions = () =>
  newGraph("setup").parallel({
    id: "ask",
    branches: {
      db: askUserNode({ id: "database", question: "Which?", options: [{ label: "SQLite" }, { label: "Postgres" }] }),
      name: askUserNode({ id: "name", question: "Its name?" }),
    },
  });

async function emptyProject(): Promise<Project> {
  return await tmpProject({ git: false, files: { ".atomic/workflows/x.ts": "" } });
}

test("in a pipe, too, a long question is one line in the list of runs", async () => {
  await using project = await emptyProject();
  const prompt = `${"A step of the plan.\n".repeat(80)}Go ahead?`;
  await begin(project, newGraph().wait(waitNode({ id: "approval", prompt })));
  const [, row = ""] = (await atomic(project, ["runs"])).stdout.split("\n");
  expect(row).toMatch(/ just now {2}… Go ahead\?$/);
});

test("without runs it says how to start one, and makes no folder", async () => {
  await using project = await emptyProject();
  for (const argv of [["show"], ["show", "calm-otter"], ["approve", "x"], ["cancel", "x"], ["resume", "x"]]) {
    expect(await atomic(project, argv)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "atomic: there are no runs in this project yet\n`atomic run <workflow>` starts one.\n",
    });
  }
  const { stdout, stderr, code } = await atomic(project, ["runs"]);
  const nothing = "There are no runs in this project yet; `atomic run <workflow>` starts one.\n";
  expect({ stdout, stderr, code }).toEqual({ stdout: "", stderr: nothing, code: 0 });
  expect(readdirSync(project.path(".atomic"))).toEqual(["workflows"]);
});

test("runs are listed with their status and next step", async () => {
  await using project = await emptyProject();
  await begin(project, failing(), { runId: "bold-fox" });
  await begin(project, shipping());
  const { stdout, stderr, code } = await atomic(project, ["runs"]);
  expect(stdout).toBe(
    [
      "RUN         WORKFLOW  STATUS  STARTED   ABOUT",
      "calm-otter  release   idle    just now  Ship it?",
      String.raw`bold-fox    build     failed  just now  compile: no \x1b[31mdisk`,
      "",
    ].join("\n"),
  );
  expect(stderr).toMatch(/^2 runs, \d\.\d kB; 1 waiting for an answer \(see `atomic show <run>`\)\n$/);
  expect(code).toBe(0);
});

test("only --all lists runs that ended long ago", async () => {
  await using project = await emptyProject();
  for (let at = 0; at < 12; at += 1)
    await begin(project, newGraph().start(toolNode({ run: () => 1 })), { runId: `r${at}` });
  const { stdout, stderr } = await atomic(project, ["runs"]);
  expect(stdout.trim().split("\n")).toHaveLength(11);
  expect(stderr).toContain("; 2 older (see --all)");
  expect(JSON.parse((await atomic(project, ["runs", "--all", "--json"])).stdout).runs).toHaveLength(12);
});

test("a run is shown with its timeline, and with the commands that answer it", async () => {
  await using project = await emptyProject();
  await begin(project, shipping(), { input: "1.4.0", budget: { usd: 3 } });
  const { stdout, code } = await atomic(project, ["show", "cal"]);
  const lines = stdout
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \([^)]*\)/g, "TIME")
    .replace(/process \d+/g, "process N")
    .replace(/\b\d+ms\b/g, "Nms")
    .split("\n")
    .map((line) => line.replace(/ {2,}/g, "  "));
  expect(lines).toEqual([
    "run calm-otter",
    "  workflow  release",
    "  status  waiting for your answer; not being worked on",
    "  next  answer it (see below), then atomic resume calm-otter",
    "  started  TIME",
    "  changed  TIME",
    '  input  "1.4.0"',
    "  spent  2 steps in Nms of work · 1.2k tokens · $0.02",
    "  budget  $3.00",
    "",
    "AFTER  NODE  KIND  TOOK  TOKENS  COST  OUTCOME",
    "+0:00  –  run by process N",
    "+0:00  review  agent  Nms  1.2k  $0.02  done",
    "+0:00  approval  question  waiting",
    "+0:00  –  stopped (can be resumed)",
    "",
    "? Ship it?",
    "  atomic approve calm-otter --key approval  # yes",
    "  atomic approve calm-otter --deny --key approval  # no",
    "",
  ]);
  expect(code).toBe(0);
});

test("a long failure is truncated, and shown in full with --full", async () => {
  await using project = await emptyProject();
  const message = `It went wrong.\n${"On and on. ".repeat(60)}The end.`;
  const broken = newGraph().start(toolNode({ id: "boom", run: () => Promise.reject(new Error(message)) }));
  await begin(project, broken);
  const short = await atomic(project, ["show"]);
  expect(short.stdout).toContain("failed: boom: It went wrong. On and on.");
  expect(short.stdout).not.toContain("The end.");
  expect(Math.max(...short.stdout.split("\n").map(({ length }) => length))).toBeLessThan(300);
  const full = await atomic(project, ["show", "--full"]);
  expect(full.stdout).toContain(`\nboom failed:\n  It went wrong.\n  ${"On and on. ".repeat(60)}The end.\n`);
  expect((await atomic(project, ["show", "--json"])).stdout).toContain("The end.");
});

test("at 60 columns a node's outcome is still shown in full", async () => {
  await using project = await emptyProject();
  await begin(project, newGraph().start(toolNode({ id: "a-long-name-of-a-node", run: () => 1 })));
  const { stdout } = await atomic(project, ["show"], { columns: 60 });
  expect(stdout).toContain("AFTER  NODE                   TOOK  OUTCOME\n");
  expect(stdout).toMatch(/run by process \d+\n/);
});

test("a run that has ended with a damaged journal is listed as damaged", async () => {
  await using project = await emptyProject();
  await begin(project, newGraph().start(toolNode({ run: () => 1 })));
  const journal = project.path(".atomic/runs/calm-otter/journal.jsonl");
  const lines = readFileSync(journal, "utf8").split("\n");
  lines[2] = lines[2]?.replace("step", "stop") ?? "";
  writeFileSync(journal, lines.join("\n"));
  const { stdout } = await atomic(project, ["runs"]);
  expect(stdout).toMatch(/calm-otter +release +damaged/);
});

test.each([
  ["a message that is not one", (inbox: string) => writeFileSync(inbox, "garbage\n")],
  ["a folder instead of its messages", (inbox: string) => mkdirSync(inbox)],
])("an open run with %s is listed as damaged, beside the others", async (_what, damage) => {
  await using project = await emptyProject();
  await begin(project, shipping(), { runId: "open-run" });
  await begin(project, shipping());
  damage(project.path(".atomic/runs/calm-otter/inbox.jsonl"));
  const { code, stdout, stderr } = await atomic(project, ["runs"]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("1 cannot be read") });
  expect(stdout).toMatch(/^open-run +release +idle .*Ship it\?/m);
  expect(stdout).toMatch(/^calm-otter +release +damaged +\S/m);
  expect((await atomic(project, ["prune", "--max-size", "0B"])).code).toBe(0);
});

test("an already answered question is reported, and so is how to answer early", async () => {
  await using project = await emptyProject();
  await begin(project, shipping());
  await atomic(project, ["approve", "calm"]);
  const late = await atomic(project, ["approve", "calm"]);
  expect(late).toMatchObject({ code: 1, stdout: "" });
  expect(late.stderr).toStartWith(
    'atomic: calm-otter has no open question: "approval" was already answered with true\n',
  );
  await begin(project, shipping(), { runId: "new-run", budget: { steps: 0 } });
  const early = await atomic(project, ["approve", "new-run"]);
  expect(early.stderr).toContain(
    "To answer a question before it is asked, name its key: atomic approve new-run --key approval\n",
  );
});

test("programs get a run as one document", async () => {
  await using project = await emptyProject();
  await begin(project, shipping(), { input: { version: "1.4.0" } });
  const { stdout, stderr } = await atomic(project, ["show", "--json"]);
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    project: project.dir,
    runId: "calm-otter",
    workflow: "release",
    status: { kind: "pending" },
    input: { version: "1.4.0" },
    spent: { steps: 2, tokens: 1234, usd: 0.02 },
    questions: [{ key: "approval", kind: "approval", text: "Ship it?" }],
    timeline: [
      { kind: "mark" },
      { kind: "call", key: "review", status: "done", cost: { tokens: 1234 } },
      { kind: "call", key: "approval", status: "waiting" },
      { kind: "mark", text: "stopped (can be resumed)" },
    ],
  });
});

test.each([
  [["approve", "calm"], "calm-otter: Ship it? yes\n", true],
  [["approve", "calm", "--deny"], "calm-otter: Ship it? no\n", false],
  [["approve", "calm", "Ok."], "calm-otter: Ship it? yes\n", true],
  [["approve", "calm", "yes", "--key", "approval"], "calm-otter: Ship it? yes\n", true],
])("%j records the answer for the process that resumes the run", async (argv, said, value) => {
  await using project = await emptyProject();
  await begin(project, shipping());
  const { stdout, stderr, code } = await atomic(project, argv);
  expect({ stdout, code }).toEqual({ stdout: said, code: 0 });
  expect(stderr).toBe("No process is working on it. Continue with: atomic resume calm-otter\n");
  expect(await begin(project, shipping())).toMatchObject({
    kind: "done",
    result: { value: { outputs: { approval: value } } },
  });
});

test("a yes/no question refuses everything else, early or late, and says what is possible", async () => {
  await using project = await emptyProject();
  const asking = () =>
    shipping().then(askUserNode({ id: "which", question: "Which?", options: [{ label: "SQLite" }] }));
  await begin(project, asking());
  expect(await atomic(project, ["approve", "calm", "please wait, I found a bug"])).toMatchObject({
    stderr: `atomic: Ship it? "please wait, I found a bug" is neither yes nor no.
Nothing was answered. Use:
  atomic approve calm-otter --key approval # yes
  atomic approve calm-otter --deny --key approval # no
`,
    code: 2,
  });
  expect((await atomic(project, ["approve", "calm", ""])).code).toBe(2);
  expect((await atomic(project, ["approve", "calm", "MySQL", "--key", "which"])).stderr).toStartWith(
    'atomic: The question which: "MySQL" is not one of SQLite.\n',
  );
  expect((await atomic(project, ["show", "--json"])).stdout).not.toContain("I found a bug");
  expect((await atomic(project, ["approve", "calm", "sqlite", "--key", "which"])).code).toBe(0);
  await atomic(project, ["approve", "calm"]);
  expect(await begin(project, asking())).toMatchObject({
    result: { value: { outputs: { approval: true, which: "SQLite" } } },
  });
});

test("a run that a program started is continued by that program", async () => {
  await using project = await emptyProject();
  await begin(project, shipping(), { workspace: { program: true, host: "scripted" } });
  const again = 'run the program again with runId "calm-otter"';
  expect((await atomic(project, ["show"])).stdout).toMatch(
    new RegExp(`next +answer it \\(see below\\), then ${again}\n`),
  );
  const resumed = await atomic(project, ["resume", "calm"]);
  expect(resumed.stderr).toStartWith(
    "atomic: calm-otter was started by a program, and no workflow file has its graph\n",
  );
  expect(resumed.stderr).toContain('Run the program again with runId "calm-otter".');
  expect(resumed.code).toBe(1);
  expect((await atomic(project, ["approve", "calm"])).stderr).toBe(
    'No process is working on it. To continue, run the program again with runId "calm-otter".\n',
  );
});

test("a failed run that a program started is not offered for a retry", async () => {
  await using project = await emptyProject();
  const fail = (): never => {
    throw new Error("no disk");
  };
  const failing = newGraph().then(toolNode({ id: "deploy", run: fail, retry: { maxAttempts: 1 } }));
  await begin(project, failing, { workspace: { program: true, host: "scripted" } });
  expect((await atomic(project, ["show"])).stdout).toMatch(/next +run the program again with another runId\n/);
  const { stderr, code } = await atomic(project, ["resume", "calm"]);
  expect(stderr).toContain("To start a new run, run the program again with another runId.");
  expect(code).toBe(1);
});

test("an answered question is not asked again, and a finished run asks nothing", async () => {
  await using project = await emptyProject();
  await begin(project, shipping());
  await atomic(project, ["approve", "calm"]);
  const again = await atomic(project, ["approve", "calm", "no"]);
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toStartWith(
    'atomic: calm-otter has no open question: "approval" was already answered with true\n',
  );
  await begin(project, shipping());
  expect((await atomic(project, ["approve", "calm"])).stderr).toStartWith(
    "atomic: calm-otter has no open question: it is done\n",
  );
});

test("with several open questions, you must say which one you answer", async () => {
  await using project = await emptyProject();
  await begin(project, twoQuestions());
  expect(await atomic(project, ["approve", "calm", "x"])).toMatchObject({
    code: 2,
    stderr:
      "atomic: calm-otter has 2 open questions; choose one with --key\n  --key ask.0/database: Which?\n  --key ask.1/name: Its name?\n",
  });
  const wrong = await atomic(project, ["approve", "calm", "Postgers", "--key", "ask.0/database"]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toStartWith(
    'atomic: Which? "Postgers" is not one of SQLite, Postgres (did you mean Postgres?).\n',
  );
  const unknown = await atomic(project, ["approve", "calm", "x", "--key", "ask.0/databse"]);
  expect(unknown).toMatchObject({ code: 1 });
  expect(unknown.stderr).toStartWith(
    'atomic: calm-otter has no question "ask.0/databse" (did you mean ask.0/database?)\n',
  );
  for (const nowhere of ["ask.7/database", "ask/database", "ask#1/database", "lll#77/database", "database/database"]) {
    expect((await atomic(project, ["approve", "calm", "2", "--key", nowhere])).stderr).toContain("has no question");
  }
  expect((await atomic(project, ["approve", "calm", "2", "--key", "ask.0/database"])).code).toBe(0);
  const json = await atomic(project, ["approve", "calm", "my app", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    runId: "calm-otter",
    key: "ask.1/name",
    value: "my app",
    kept: true,
  });
});

test("a question can be answered before it is asked", async () => {
  await using project = await emptyProject();
  const builder = () =>
    newGraph()
      .start(waitNode({ id: "first", prompt: "?" }))
      .then(waitNode({ id: "second", prompt: "?" }));
  await begin(project, builder());
  const { stderr, code } = await atomic(project, ["approve", "calm", "--key", "second"]);
  expect({ stderr, code }).toEqual({
    stderr: "The run has not asked this question yet; the answer is kept until it does.\n",
    code: 0,
  });
  await atomic(project, ["approve", "calm", "--key", "first"]);
  expect(await begin(project, builder())).toMatchObject({ kind: "done" });
});

test("a run without a process is cancelled immediately and permanently", async () => {
  await using project = await emptyProject();
  await begin(project, shipping());
  expect(await atomic(project, ["cancel", "calm"])).toMatchObject({ stdout: "calm-otter is cancelled.\n", code: 0 });
  expect(await atomic(project, ["cancel", "calm"])).toMatchObject({
    stdout: "calm-otter has already ended: cancelled\n",
    code: 0,
  });
  expect((await atomic(project, ["cancel", "calm"], { columns: 30 })).stdout).toBe(
    "calm-otter has already ended:\n  cancelled\n",
  );
  expect((await atomic(project, ["resume", "calm"])).stderr).toStartWith(
    "atomic: calm-otter has already ended (cancelled)\n",
  );
  await begin(project, failing(), { runId: "bold-fox" });
  expect(await atomic(project, ["cancel", "bold"])).toMatchObject({ code: 1 });
});

test("only finished runs are removed, by age or size, and --dry-run removes nothing", async () => {
  await using project = await emptyProject();
  await begin(project, shipping(), { runId: "open-run" });
  await begin(project, failing(), { runId: "bold-fox" });
  const later = { now: () => Date.now() + 1000 };
  expect(await atomic(project, ["prune"], later)).toMatchObject({ code: 2 });
  expect((await atomic(project, ["prune", "--older-than", "30d"])).output).toBe("0 runs removed, 0 B\n");
  const dry = await atomic(project, ["prune", "--max-size", "1kB", "--dry-run"]);
  expect(dry.stdout).toBe("bold-fox\n");
  expect(dry.stderr).toMatch(/^1 run would be removed, \d\.\d kB\n$/);
  const { stdout } = await atomic(project, ["prune", "--max-size", "0B", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ removed: ["bold-fox"], dryRun: false });
  expect(readdirSync(project.path(".atomic/runs"))).toEqual(["open-run"]);
});

test("a damaged journal is refused with the record's number and left untouched", async () => {
  await using project = await emptyProject();
  await begin(project, shipping());
  const path = project.path(".atomic/runs/calm-otter/journal.jsonl");
  const damaged = readFileSync(path, "utf8").replace('"attempt":1', '"attempt":7');
  writeFileSync(path, damaged);
  for (const argv of [
    ["show", "calm"],
    ["approve", "calm"],
    ["resume", "calm"],
    ["cancel", "calm"],
  ]) {
    const { code, stderr, stdout } = await atomic(project, argv);
    expect({ argv, code, stdout }).toEqual({ argv, code: 3, stdout: "" });
    expect(stderr).toMatch(/^atomic: .*[Rr]ecord 3\b/);
  }
  expect(readFileSync(path, "utf8")).toBe(damaged);
  expect((await atomic(project, ["runs"])).stdout).toMatch(
    /^calm-otter +release +damaged .* Record 3 of the journal \(line 3\) is damaged$/m,
  );
});
