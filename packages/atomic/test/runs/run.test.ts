// Workflows run from their files, in this process: what is printed, and how they end.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { displayWidth } from "@atomic/terminal/width";
import type { Project } from "@atomic/testing/project";
import { main } from "../../src/main.ts";
import { atomic, contextIn } from "../atomic.ts";
import { projectWith } from "./begun.ts";

const shipping = `{ name: "ship", description: "Ships it", arguments: {
    version: { type: "rest", required: true, description: "Which one" },
    times: { type: "number", default: 2, min: 1 },
  } as const },
  (graph) => graph
    .start(toolNode({ id: "build", run: ({ input }) => \`built \${input.version} \${input.times} times\` }))
    .wait(waitNode({ id: "approval", prompt: "Ship it?", timeoutMs: 600_000 }))
    .then(toolNode({ id: "publish", run: ({ outputs }) => \`\${outputs.build}, \${outputs.approval}\` }))`;

const plain = `{ name: "plain" }, (graph) => graph.start(toolNode({ id: "say", run: ({ input }) => \`got \${JSON.stringify(input)}\` }))`;

const failing = `{ name: "failing" }, (graph) => graph.start(toolNode({ id: "boom", run: () => { throw new Error("no \\u001b[31mdisk"); } }))`;

const talking = `{ name: "talking" }, (graph) => graph
  .start(agentNode({ id: "look", prompt: "Look around.", permissions: { bash: "ask" } }))
  .then(agentNode({ id: "sum", prompt: "Sum up.", permissions: "allow" }))`;

function runIds(project: Project): string[] {
  return readdirSync(project.path(".atomic/runs")).filter((name) => !name.startsWith("."));
}

async function run(project: Project, ...argv: readonly string[]) {
  return await atomic(project, ["run", ...argv]);
}

test("a workflow runs to its end: the result is on stdout, progress on stderr", async () => {
  await using project = await projectWith({ plain });
  const { stdout, stderr, code } = await run(project, "plain", "a", "few words");
  expect({ stdout, code }).toEqual({ stdout: 'got "a few words"\n', code: 0 });
  const [id] = runIds(project);
  expect(stderr.replace(/\d+ms/g, "Nms")).toBe(
    `▸ plain ${id}\n▸ say (tool)\n✓ say  Nms\n✓ plain ${id} done (Nms, 1 step)\n`,
  );
});

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
  expect((await atomic(project, ["resume", id])).stdout).toBe(`${"l".repeat(30_000)}\\x1b[2J\n`);
  const shown = JSON.parse((await atomic(project, ["show", id, "--json"])).stdout);
  const late = `${"l".repeat(30_000)}\u001b[2J`;
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
  expect((await atomic(project, ["show", id, "look"])).stdout).toBe("found a.txt\\x1b[2J\n");
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
  // The output is no part of it.
  expect((await atomic(project, ["show", id, "look", "--full"])).stdout).toBe("found a.txt\\x1b[2J\n");
});

test("a node without an output is refused with the reason", async () => {
  await using project = await projectWith({ wordy, failing });
  await run(project, "wordy", "--no-wait");
  const [id = ""] = runIds(project);
  const refused = async (node: string, runId = id) => {
    const { code, stderr } = await atomic(project, ["show", runId, node]);
    return [code, stderr.split("\n")[0]];
  };
  expect(await refused("approval")).toEqual([1, "atomic: approval is waiting for an answer"]);
  expect(await refused("late")).toEqual([1, "atomic: late has not run yet"]);
  expect(await refused("erly")).toEqual([1, `atomic: ${id} has no node "erly" (did you mean "early"?)`]);
  await run(project, "failing");
  const [failed = ""] = runIds(project).filter((each) => each !== id);
  expect(await refused("boom", failed)).toEqual([1, "atomic: boom failed: no \\x1b[31mdisk"]);
});

test("--detach starts a run, prints its id and leaves the work to `atomic resume`", async () => {
  await using project = await projectWith({ plain });
  const { stdout, stderr, code } = await run(project, "plain", "later", "--detach");
  const [id] = runIds(project);
  expect({ stdout, code }).toEqual({ stdout: `${id}\n`, code: 0 });
  expect(stderr).toContain(`atomic resume ${id}`);
  const shown = await atomic(project, ["show", id!, "--json"]);
  expect(JSON.parse(shown.stdout)).toMatchObject({ status: { kind: "pending" }, input: "later", timeline: [] });
  expect(await atomic(project, ["resume", id!])).toMatchObject({ stdout: 'got "later"\n', code: 0 });
});

test("--detach as JSON, and what it cannot be combined with", async () => {
  await using project = await projectWith({ plain });
  const { stdout } = await run(project, "plain", "--detach", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, type: "started", workflow: "plain", runId: runIds(project)[0] });
  const refused = await run(project, "plain", "--resume", "x", "--detach");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("'--detach' cannot be combined") });
  const unread = await run(project, "plain", "--script", "missing.json", "--detach");
  expect(unread).toMatchObject({ code: 1, stderr: expect.stringContaining("missing.json does not exist") });
  expect(runIds(project)).toHaveLength(1);
});

const mapped = `{ name: "mapped" }, (graph) => graph.start(mapNode({ id: "each", as: "n",
  over: () => Array.from({ length: 12 }, (_, at) => at),
  nodes: (each) => each.then(agentNode({ id: "ask", prompt: ({ n }) => \`about \${n}\` })) }))`;

/** How many of the run's prompts were at work at the same time. */
function mostAtATime(events: readonly { type: string; key?: string }[]): number {
  let running = 0;
  return Math.max(
    ...events.map(({ type, key }) => {
      if (key?.endsWith("/ask") && type === "step-started") running += 1;
      if (key?.endsWith("/ask") && type === "step-finished") running -= 1;
      return running;
    }),
  );
}

test("a map says how far it is, and --max-prompts limits how many prompts run at a time", async () => {
  await using project = await projectWith({ mapped });
  const lines = await run(project, "mapped", "--host", "scripted");
  expect(lines.code).toBe(0);
  expect(lines.stderr).toContain("✓ each: 1 of 12\n");
  expect(lines.stderr).toContain("✓ each: 12 of 12\n");
  const jsonOf = async (...more: readonly string[]): Promise<{ type: string; key?: string; progress?: unknown }[]> => {
    const { stdout } = await run(project, "mapped", "--host", "scripted", "--json", ...more);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  const events = await jsonOf();
  expect(events.filter(({ type }) => type === "branch-ended").map(({ progress }) => progress)).toEqual(
    Array.from({ length: 12 }, (_, at) => ({ done: at + 1, total: 12 })),
  );
  expect(mostAtATime(events)).toBe(8);
  expect(mostAtATime(await jsonOf("--max-prompts", "3"))).toBe(3);
  expect(await run(project, "mapped", "--max-prompts", "0")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--max-prompts must be a positive whole number, not "0"'),
  });
});

test("a resumed run keeps its --max-prompts, or gets another one", async () => {
  await using project = await projectWith({ mapped });
  const resumed = async (...more: readonly string[]): Promise<number> => {
    const started = await run(project, "mapped", "--host", "scripted", "--max-prompts", "2", "--detach");
    const { stdout } = await atomic(project, ["resume", started.stdout.trim(), "--json", ...more]);
    return mostAtATime(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    );
  };
  expect(await resumed()).toBe(2);
  expect(await resumed("--max-prompts", "5")).toBe(5);
});

test.each([
  [[], "got null\n"],
  [["text"], 'got "text"\n'],
  [['{"a":1}'], 'got {"a":1}\n'],
  [["{broken"], 'got "{broken"\n'],
  [["--", "--flag", "x"], 'got "--flag x"\n'],
])("without declared arguments, %j is passed on unchanged", async (words, output) => {
  await using project = await projectWith({ plain });
  expect(await run(project, "plain", ...words)).toMatchObject({ stdout: output, code: 0 });
});

test.each([
  [["ship"], "ship: <version> is missing."],
  [["ship", "1.0", "--times", "0"], 'ship: --times must be a number of at least 1, not "0".'],
  [["ship", "1.0", "--time", "3"], "unknown option --time (did you mean --times?)"],
  [["ship", "1.0", "--modle", "x"], "unknown option --modle (did you mean --model?)"],
  [["plain", "--budgetusd", "3"], "unknown option --budgetusd (did you mean --budget-usd?)"],
  [
    ["plain", "--host", "opncode"],
    'option --host must be one of opencode, claude, copilot, scripted, not "opncode" (did you mean "opencode"?)',
  ],
  [["plain", "--budget-usd=-3"], 'option --budget-usd must be a non-negative number, not "-3"'],
  [["plain", "--max-time", "10"], 'option --max-time must be a duration such as 90s, 10m, 2h or 1h30m, not "10"'],
  [[], "missing argument <workflow>"],
])("%j is refused before anything starts", async (argv, message) => {
  await using project = await projectWith({ ship: shipping, plain });
  const { stdout, stderr, code } = await run(project, ...argv);
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
  expect(stderr).toContain(message);
  expect(await project.exists(".atomic/runs")).toBe(false);
});

test.each([
  [["shp"], 'Workflow not found: "shp" (did you mean "ship"?)'],
  [["ralf"], 'Workflow not found: "ralf" (did you mean "ralph"?)'],
  [["syntax"], ".atomic/workflows/syntax.ts:1:"],
  [["throws"], "no database"],
  [["nothing"], "The module has no default export"],
  [["unknown"], 'Agent not found: "reviewr"'],
  [["plain", "--script", "gone.json"], "gone.json does not exist"],
  [["plain", "--script", "gone.mjs"], "gone.mjs does not exist"],
  [["plain", "--script", "broken.json"], "broken.json:2:3: "],
])("%j is refused clearly and starts no run", async (argv, message) => {
  await using project = await projectWith(
    {
      ship: shipping,
      plain,
      unknown: `{ name: "unknown" }, (graph) => graph.start(agentNode({ id: "a", agent: "reviewr" })).then(agentNode({ id: "b", agent: "writr" }))`,
    },
    {
      ".atomic/workflows/syntax.ts": "export default (;\n",
      ".atomic/workflows/throws.ts": 'throw new Error("no database");\n',
      ".atomic/workflows/nothing.ts": "export {};\n",
      "broken.json": "[\n  }\n",
    },
  );
  const { stdout, stderr, code } = await run(project, ...argv);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("ENOENT");
  expect({ stdout, code }).toEqual({ stdout: "", code: /not found: "(shp|ralf)|not exist/.test(message) ? 1 : 3 });
  expect(await project.exists(".atomic/runs")).toBe(false);
  if (argv[0] === "unknown") expect(stderr).toContain('b: Agent not found: "writr"');
});

test("a workflow's help shows its arguments", async () => {
  await using project = await projectWith({ ship: shipping });
  const { stdout, code } = await run(project, "ship", "--help");
  expect(code).toBe(0);
  expect(stdout).toStartWith("Usage: atomic run <workflow> [arguments…] [options]\n");
  expect(stdout).toEndWith(
    "\nThe workflow ship: Ships it\n\nUsage: atomic run ship <version> | --times <n>\n\nArguments of ship:\n" +
      "  <version>    Which one (required)\n  --times <n>  (default: 2)\n",
  );
  expect((await run(project, "--help")).stdout).toBe(stdout.slice(0, stdout.indexOf("\nThe workflow ship")));
  const json = JSON.parse((await run(project, "ship", "--help", "--json")).stdout);
  expect(json).toMatchObject({
    ok: true,
    name: "run",
    more: {
      title: "The workflow ship",
      about: "Ships it",
      usage: "atomic run ship <version> | --times <n>",
      arguments: [
        { term: "<version>", summary: "Which one (required)" },
        { term: "--times <n>", summary: "(default: 2)" },
      ],
    },
  });
});

test("a workflow's help fits the terminal, and an unknown workflow has no help", async () => {
  await using project = await projectWith({});
  const { stdout } = await atomic(project, ["run", "ralph", "--help"], { columns: 40 });
  expect(stdout).toContain("The workflow ralph: ");
  expect(stdout.split("\n").filter((line) => displayWidth(line) > 40)).toEqual([]);
  const unknown = await run(project, "ralf", "--help");
  expect(unknown).toMatchObject({ stdout: "", code: 1 });
  expect(unknown.stderr).toContain('(did you mean "ralph"?)');
});

test("Ralph's help lists everything its hint mentions", async () => {
  await using project = await projectWith({});
  const { stdout } = await run(project, "ralph", "--help");
  const [, usage = "", rows = ""] =
    /\nUsage: atomic run ralph ([\s\S]*)\nArguments of ralph:\n([\s\S]*)$/.exec(stdout) ?? [];
  const hint = usage.replaceAll(/\s+/g, " ").trim();
  expect(hint.split(" | ")).toHaveLength(4);
  for (const flag of hint.split(" | ")) expect(rows).toContain(`  ${flag}`);
});

test("a dry run checks everything and starts nothing", async () => {
  await using project = await projectWith({ ship: shipping });
  const { stdout, code } = await run(project, "ship", "1.4.0", "--dry-run", "--budget-usd", "2", "--allow", "bash");
  expect(stdout).toBe(`plan ship
  workflow   atomic:project/ship
  input      {"times":2,"version":"1.4.0"}
  host       opencode
  tools      bash allowed, others allowed if the workflow says so, otherwise asked about
  budget     $2.00

ship: Ships it
├─ build     tool
├─ approval  wait: Ship it?
└─ publish   tool

Nothing was started.
`);
  expect(code).toBe(0);
  expect(await project.exists(".atomic/runs")).toBe(false);
});

/** Says that it has begun, and never ends. */
const stuck = {
  ".atomic/workflows/stuck.ts": "globalThis.begun();\nawait new Promise(() => undefined);\nexport default 1;\n",
};

test.each([
  [["run", "stuck"], "loading stuck\n"],
  [["run", "stuck", "--json"], ""],
  [["run", "stuck", "--help"], "loading stuck\n"],
  [["graph", "stuck"], "atomic graph\n"],
])("%j shows progress while a module loads, and Ctrl-C does not wait for it", async (argv, shown) => {
  await using project = await projectWith({}, stuck);
  const { context, written } = contextIn(project, {}, argv);
  const text = (): string => written.map(([, each]) => each).join("");
  const hears: ((interrupt: "SIGINT") => void)[] = [];
  let hasBegun = false;
  const pressOnce = (): void => {
    if (hasBegun && text().startsWith(shown)) hears.pop()?.("SIGINT");
  };
  Object.assign(globalThis, {
    begun: () => {
      hasBegun = true;
      pressOnce();
    },
  });
  const code = await main(argv, {
    ...context,
    stderr: {
      ...context.stderr,
      write: (more) => {
        context.stderr.write(more);
        pressOnce();
      },
    },
    signals: {
      listen: (hear) => {
        hears.push(hear);
        return () => undefined;
      },
    },
    // A second is over at once; the time that a command has to end after Ctrl-C never is.
    clock: {
      after: (ms, call) => {
        const timer = ms <= 1000 ? setTimeout(call, 0) : undefined;
        return () => clearTimeout(timer);
      },
    },
  });
  expect({ code, text: text() }).toMatchObject({
    code: 130,
    text: expect.stringContaining("stopped before it finished"),
  });
  expect(text()).toStartWith(shown);
});

test("a dry run is one line of JSON that says ok", async () => {
  await using project = await projectWith({ ship: shipping });
  const { stdout, stderr, code } = await run(project, "ship", "1.4.0", "--dry-run", "--json");
  expect({ code, stderr, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 1 });
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, dryRun: true, input: { version: "1.4.0" } });
});

test("with --json an error contains the same text: what happened and what to type next", async () => {
  await using project = await projectWith({ ship: shipping, failing });
  const last = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  const asked = last(await run(project, "ship", "1.4.0", "--no-wait", "--json"));
  const id = asked.runId;
  const error = {
    code: "waiting",
    message: "is waiting for an answer",
    hint: `atomic approve ${id}  # yes\natomic approve ${id} --deny  # no\natomic resume ${id}  # then`,
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

test("with --no-wait a run that asks is stopped, and continues with the answer", async () => {
  await using project = await projectWith({ ship: shipping });
  const first = await run(project, "ship", "1.4.0", "--no-wait");
  const [id = ""] = runIds(project);
  expect(first.code).toBe(4);
  expect(first.stderr).toMatch(/\n\? Ship it\?\n {2}until \d{4}-/);
  expect(first.stderr).toContain(`\n    atomic approve ${id}         # yes\n    atomic approve ${id} --deny  # no\n`);
  expect(first.stderr).toEndWith(`    atomic resume ${id}          # then\n`);
  expect((await atomic(project, ["approve", id])).code).toBe(0);
  const { stdout, stderr, code } = await atomic(project, ["resume", id]);
  expect({ stdout, code }).toEqual({ stdout: "built 1.4.0 2 times, true\n", code: 0 });
  expect(stderr).toStartWith(`▸ ship ${id} continues\n`);
  expect(stderr).not.toContain("build (tool)");
  expect(await atomic(project, ["resume", id])).toMatchObject({ code: 1, stdout: "" });
});

test("the user is asked in the terminal, again if needed", async () => {
  await using project = await projectWith({ ship: shipping });
  const { output, code } = await atomic(project, ["run", "ship", "1.4.0"], { columns: 80, typed: ["not now", "no"] });
  expect(output).toContain("? Ship it?\n");
  expect(output).toContain('"not now" is neither yes nor no.\n');
  expect(output).toContain("built 1.4.0 2 times, false\n");
  expect(code).toBe(0);
});

test("a failed run reports where and why, and can be retried", async () => {
  await using project = await projectWith({ failing });
  const { stdout, stderr, code } = await run(project, "failing");
  const [id = ""] = runIds(project);
  expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
  expect(stderr).toContain("✗ boom failed: no \\x1b[31mdisk\n");
  expect(stderr).toEndWith(`    atomic resume ${id} --retry\n`);
  const refused = await atomic(project, ["resume", id]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toEndWith(`To retry the failed step: atomic resume ${id} --retry\n`);
  await project.write(
    ".atomic/workflows/failing.ts",
    (await project.read(".atomic/workflows/failing.ts")).replace("throw new Error", "return String"),
  );
  expect(await atomic(project, ["resume", id, "--retry", "--keep-graph"])).toMatchObject({ code: 0 });
});

test("a budget stops a run, and a larger one lets it continue", async () => {
  const steps = Array.from({ length: 4 }, (_, at) => `.then(toolNode({ id: "n${at}", run: () => ${at} }))`).join("");
  await using project = await projectWith({ steps: `{ name: "steps" }, (graph) => graph${steps}` });
  const { stderr, code } = await run(project, "steps", "--max-steps", "2");
  const [id = ""] = runIds(project);
  expect(code).toBe(5);
  expect(stderr).toContain("stopped: 2 steps of 2 steps used");
  expect(stderr).toEndWith(`    atomic resume ${id} --max-steps <more>\n`);
  expect((await atomic(project, ["resume", id])).code).toBe(5);
  expect((await atomic(project, ["resume", id, "--max-steps", "9"])).code).toBe(0);
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

test("a script's agents work under a policy; anything it does not decide is asked", async () => {
  const script = `export default async function* ({ prompt }) {
    yield { usage: { inputTokens: 100, outputTokens: 5, usd: 0.01 } };
    const { ok, output } = yield { tool: "bash", detail: "npm test", run: () => "42 passed" };
    yield { text: prompt + (ok ? " " + output : " denied: " + output) };
  }`;
  await using project = await projectWith({ talking }, { "script.mjs": script });
  const asked = await run(project, "talking", "--script", "script.mjs", "--no-wait");
  const [id = ""] = runIds(project);
  expect(asked.code).toBe(4);
  expect(asked.stderr).toContain("? look wants to use bash: npm test\n");
  await atomic(project, ["approve", id, "use node --test", "--deny"]);
  expect(await atomic(project, ["resume", id])).toMatchObject({ stdout: "Sum up. 42 passed\n", code: 0 });
  const shown = JSON.parse((await atomic(project, ["show", id, "--json"])).stdout);
  expect(shown).toMatchObject({
    setup: { host: "scripted", workflow: "atomic:project/talking" },
    spent: { tokens: 315 },
  });
  const denied = await run(project, "talking", "--script", "script.mjs", "--deny", "all");
  expect(denied.stdout).toStartWith("Sum up. denied: ");
  expect((await run(project, "talking", "--script", "script.mjs", "--allow", "bash", "--no-wait")).code).toBe(4);
});

test("a workflow may have flags that atomic itself has", async () => {
  const workflow = `{ name: "own", arguments: { version: { type: "string" } } as const }, (graph) => graph.start(toolNode({ id: "say", run: ({ input }) => \`got \${input.version}\` }))`;
  await using project = await projectWith({ own: workflow });
  expect(await run(project, "own", "--version", "1.4.0")).toMatchObject({ stdout: "got 1.4.0\n", code: 0 });
});

test("a script may be a list of answers", async () => {
  await using project = await projectWith({ talking }, { "answers.json": [{ prompt: "Sum", reply: "All is well." }] });
  expect(await run(project, "talking", "--script", "answers.json")).toMatchObject({
    stdout: "All is well.\n",
    code: 0,
  });
  await project.write("answers.json", { no: "list" });
  const { stderr, code } = await run(project, "talking", "--script", "answers.json");
  expect(code).toBe(3);
  expect(stderr).toContain("answers.json is not a valid script");
});

test("run output is kept out of git", async () => {
  await using project = await projectWith({ plain });
  await run(project, "plain");
  expect(readFileSync(project.path(".atomic/runs/.gitignore"), "utf8")).toBe("*\n");
});

test("`run --resume` only resumes a run of that workflow", async () => {
  await using project = await projectWith({ ship: shipping, plain });
  await run(project, "ship", "1.0", "--no-wait");
  const [id = ""] = runIds(project);
  expect((await run(project, "plain", "--resume", id)).stderr).toStartWith(
    `atomic: ${id} is a run of ship, not of plain\n`,
  );
  await atomic(project, ["approve", id, "no"]);
  expect(await run(project, "ship", "--resume", id)).toMatchObject({ stdout: "built 1.0 2 times, false\n", code: 0 });
});

test("a run does not continue with a workflow that no longer fits it, and is left unchanged", async () => {
  await using project = await projectWith({ ship: shipping });
  await run(project, "ship", "1.0", "--no-wait");
  const [id = ""] = runIds(project);
  const module = await project.read(".atomic/workflows/ship.ts");
  await project.write(".atomic/workflows/ship.ts", module.replaceAll('id: "publish"', 'id: "other"'));
  await atomic(project, ["approve", id]);
  const { stderr, code } = await atomic(project, ["resume", id, "--keep-graph"]);
  expect(code).toBe(3);
  expect(stderr).toContain(`The run ${id} cannot continue: `);
  await project.write(".atomic/workflows/ship.ts", module);
  expect((await atomic(project, ["resume", id])).code).toBe(0);
});

test("workflows run by name inside others, and show their progress", async () => {
  await using project = await projectWith({
    outer: `{ name: "outer" }, (graph) => graph.start(subgraphNode({ id: "sub", graph: "plain" })).then(subgraphNode({ id: "again", graph: "ship", input: () => ({ version: "2" }) }))`,
    plain,
    ship: shipping,
  });
  const module = await project.read(".atomic/workflows/outer.ts");
  await project.write(".atomic/workflows/outer.ts", `import { subgraphNode } from "@atomic/workflows";\n${module}`);
  const { stderr, code } = await run(project, "outer", "--no-wait");
  expect(stderr).toContain("✓ sub/say ");
  expect(code).toBe(4);
  const [id = ""] = runIds(project);
  const approved = await atomic(project, ["approve", id, "--key", "again/aproval"]);
  expect(approved.stderr).toContain("(did you mean again/approval?)");
  await atomic(project, ["approve", id, "--key", "again/approval"]);
  expect((await atomic(project, ["resume", id])).code).toBe(0);
});

test("an interrupt stops the run, and a second one quits immediately", async () => {
  const holding = `{ name: "holding" }, (graph) => graph.start(toolNode({ id: "hold", run: (_state, { signal, note }) =>
    new Promise((_, reject) => { note("holding"); signal.addEventListener("abort", () => setTimeout(reject, 50, signal.reason)); }) }))`;
  await using project = await projectWith({ holding });
  const { context, written } = contextIn(project);
  const left: number[] = [];
  let interrupt: (signal: "SIGHUP" | "SIGINT") => void = () => undefined;
  const code = main(["run", "holding", "--json"], {
    ...context,
    signals: {
      listen: (listener) => {
        interrupt = listener;
        return () => undefined;
      },
    },
    exit: (status) => void left.push(status),
    stdout: {
      ...context.stdout,
      write: (text) => {
        context.stdout.write(text);
        if (!text.includes('"note":"holding"')) return;
        interrupt("SIGHUP");
        interrupt("SIGINT");
      },
    },
  });
  expect(await code).toBe(129);
  expect(left).toEqual([130]);
  expect(JSON.parse(written.at(-1)?.[1] ?? "")).toMatchObject({ type: "result", left: "SIGHUP", exitCode: 129 });
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
