// What only several processes can show: answers from elsewhere, crashes, cancellations, signals.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import type { Project } from "@atomic/testing/project";
import { build, runtimes } from "../program.ts";
import { projectWith } from "./begun.ts";
import { runIds } from "./running.ts";

setDefaultTimeout(180_000);
beforeAll(build);

const [node, bun] = runtimes;

/** Says what it does in effects.txt; `hold` waits until it is aborted, unless there is a file `go`. */
const working = `{ name: "working" }, (graph) => graph
  .start(toolNode({ id: "first", run: () => effect("first") }))
  .then(toolNode({ id: "hold", run: (_state, { signal, note }) => {
    effect("hold");
    note("holding");
    if (existsSync("go")) return;
    return new Promise((_, reject) => {
      const alive = setInterval(() => undefined, 1000);
      signal.addEventListener("abort", () => { clearInterval(alive); effect("aborted"); reject(signal.reason); });
    });
  } }))
  .then(toolNode({ id: "last", run: () => { effect("last"); return "all done"; } }))`;

const asking = `{ name: "asking" }, (graph) => graph
  .start(waitNode({ id: "approval", prompt: "Ship it?" }))
  .then(toolNode({ id: "say", run: ({ outputs }) => \`said \${outputs.approval}\` }))`;

async function start(project: Project, argv: readonly string[], runtime = node): Promise<OwnedProcess> {
  return await project.start([...(runtime?.command ?? []), ...argv], { env: runtime?.env ?? {} });
}

async function atomic(project: Project, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await project.run([...(node?.command ?? []), ...argv]);
  return { code, stdout, stderr };
}

/** A run that holds, and its id. */
async function holding(project: Project, runtime = node): Promise<{ run: OwnedProcess; id: string }> {
  const run = await start(project, ["run", "working", "--json"], runtime);
  const [, id = ""] = await run.printed(/"runId":"([^"]*)","type":"step-note","key":"hold"/, 30_000);
  return { run, id };
}

function lastLine({ stdout }: OwnedProcess): { readonly [key: string]: unknown } {
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}

/** A read-only project, for the superuser as well. */
const readOnly = `mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && cd "$PWD" && exec "$@"`;
const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;
if (!mayMount) console.warn("skipped: a read-only project: this user may not mount file systems");

test.skipIf(!mayMount)("in a read-only project nothing is started, and the message says why", async () => {
  await using project = await projectWith({ working });
  const command = [...(node?.command ?? []), "run", "working"];
  const { code, stdout, stderr } = await project.run(["unshare", "-m", "sh", "-c", readOnly, "sh", ...command]);
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr.replace(project.dir, "PROJECT").replaceAll(/\s+/g, " ")).toBe(
    "atomic: A run keeps its journal in .atomic/runs, and the project PROJECT cannot be written (EROFS) Make the project writable, or run the workflow in a copy of it. Nothing was started. ",
  );
  expect(await project.exists("effects.txt")).toBe(false);
});

const waits =
  "is waiting for an answer to approval. It continues here once you answer in another terminal. Ctrl-C leaves it for later; with --no-wait, atomic exits instead of waiting.";

test.each([node, bun])("on $name, another process can answer a waiting run", async (runtime) => {
  await using project = await projectWith({ asking });
  const both = ["sh", "-c", 'exec "$@" 2>&1', "sh", ...(runtime?.command ?? []), "run", "asking"];
  const run = await project.start(both, { env: runtime?.env ?? {} });
  const [said = "", id = ""] = await run.printed(
    /\? Ship it\?\n[\s\S]*‖ asking (\S+) is waiting [\s\S]*exits instead .*\n/,
    30_000,
  );
  expect(said).toBe(`? Ship it?
    atomic approve ${id} --key approval         # yes
    atomic approve ${id} --deny --key approval  # no
‖ asking ${id} ${waits}
`);
  expect(await atomic(project, "approve", id, "no")).toEqual({ code: 0, stdout: `${id}: Ship it? no\n`, stderr: "" });
  expect(await run.exited).toMatchObject({ code: 0 });
  expect(run.stdout).toEndWith("\nsaid false\n");
});

test("a run that waits says so to programs, and to you when you resume it where it cannot ask", async () => {
  await using project = await projectWith({ asking });
  const run = await start(project, ["run", "asking", "--json"]);
  const [line = ""] = await run.printed(/\{"runId":"[^"]*","type":"waiting".*\n/, 30_000);
  const { runId: id, at: _at, ...waiting } = JSON.parse(line);
  const hint = `atomic approve ${id} --key approval  # yes\natomic approve ${id} --deny --key approval  # no`;
  const question = { key: "approval", kind: "approval", text: "Ship it?", options: [], multiple: false };
  expect(waiting).toEqual({ type: "waiting", questions: [question], hint });
  process.kill(run.pid, "SIGTERM");
  expect(await run.exited).toMatchObject({ code: 143 });
  const both = ["sh", "-c", 'exec "$@" 2>&1', "sh", ...(node?.command ?? []), "resume", id];
  const resumed = await project.start(both);
  await resumed.printed(/exits instead .*\n/, 30_000);
  expect(resumed.stdout).toBe(`▸ asking ${id} continues
? Ship it?
    atomic approve ${id} --key approval         # yes
    atomic approve ${id} --deny --key approval  # no
‖ asking ${id} ${waits}
`);
  await atomic(project, "approve", id);
  expect(await resumed.exited).toMatchObject({ code: 0 });
});

const large = `{ name: "large", state: { all: append() } }, (graph) => graph
  .start(toolNode({ id: "say", run: () => "x".repeat(8_000_000), into: "all" }))`;

test.each([node, bun])("on $name, a result that is larger than a pipe reaches its reader", async (runtime) => {
  await using project = await projectWith({ large });
  const command = [...(runtime?.command ?? []), "run", "large"];
  const env = runtime?.env ?? {};
  const text = await project.run(["sh", "-c", '"$@" | wc -c', "sh", ...command], { env });
  expect(text.stdout.trim()).toBe("8000001");
  const json = await project.run(["sh", "-c", '"$@" | tail -n 1 | wc -c', "sh", ...command, "--json"], { env });
  // In the state, among the outputs, and as the answer.
  expect(Number(json.stdout)).toBeGreaterThan(24_000_000);
});

const hasFullDevice = existsSync("/dev/full");
if (!hasFullDevice) console.warn("skipped: there is no /dev/full to refuse what is written");

test.skipIf(!hasFullDevice)("an answer that could not be written can still be shown", async () => {
  const saying = `{ name: "saying" }, (graph) => graph.start(toolNode({ id: "say", run: () => "hello" }))`;
  await using project = await projectWith({ saying });
  const command = [...(node?.command ?? []), "run", "saying"];
  const { code, stderr } = await project.run(["sh", "-c", '"$@" >/dev/full', "sh", ...command]);
  // Not 3: that would say that nothing was changed.
  expect(code).toBe(1);
  expect(stderr).toMatch(/ENOSPC.*\nNothing of the run is lost: atomic show \S+ --answer\n$/);
  const [id = ""] = /\S+(?= --answer)/.exec(stderr) ?? [];
  expect((await atomic(project, "show", id, "--answer")).stdout).toBe("hello\n");
});

test("a run whose records cannot be written says how to continue it", async () => {
  const growing = `{ name: "growing" }, (graph) => graph.start(toolNode({ id: "say", run: () => "x".repeat(4_000_000) }))`;
  await using project = await projectWith({ growing });
  const command = [...(node?.command ?? []), "run", "growing"];
  const limited = await project.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 4000; "$@"', "sh", ...command]);
  expect(limited.code).toBe(3);
  const [id = ""] = /(?<=Then continue it: atomic resume )\S+/.exec(limited.stderr) ?? [];
  const resumed = await project.run([...(node?.command ?? []), "resume", id]);
  expect(resumed.stdout).toHaveLength(4_000_001);
});

test.each([node, bun])(
  "on $name, a killed run resumes where it stopped, and nothing happens twice",
  async (runtime) => {
    await using project = await projectWith({ working });
    const { run, id } = await holding(project, runtime);
    process.kill(run.pid, "SIGKILL");
    await run.exited;
    expect((await atomic(project, "runs")).stdout).toContain("interrupted");
    await project.write("go", "");
    const resumed = await start(project, ["resume", id], runtime);
    expect(await resumed.exited).toMatchObject({ code: 0 });
    expect(resumed.stdout).toBe("all done\n");
    expect(await project.read("effects.txt")).toBe("first\nhold\nhold\nlast\n");
  },
);

test("another process can cancel a run, which aborts the current work", async () => {
  await using project = await projectWith({ working });
  const { run, id } = await holding(project);
  expect((await atomic(project, "cancel", id)).code).toBe(0);
  expect(await run.exited).toMatchObject({ code: 8 });
  expect(await project.read("effects.txt")).toBe("first\nhold\naborted\n");
  expect(lastLine(run)).toMatchObject({ type: "result", runId: id, status: { kind: "cancelled" } });
});

test("a second process is refused while one works on the run", async () => {
  await using project = await projectWith({ working });
  const { run, id } = await holding(project);
  const { code, stderr } = await atomic(project, "resume", id);
  expect(code).toBe(3);
  expect(stderr).toBe(
    `atomic: The run ${id} is already being worked on by process ${run.pid}\nTo follow it: atomic show ${id} --follow\n`,
  );
});

test("a new budget reaches the process working on the run and is reported", async () => {
  await using project = await projectWith({ working });
  const { run, id } = await holding(project);
  const stdout = `${id}: the budget is now 2 steps; process ${run.pid} stops: 2 of 2 steps used.\n`;
  expect(await atomic(project, "resume", id, "--max-steps", "9")).toEqual({
    code: 0,
    stdout: `${id}: the budget is now 9 steps; process ${run.pid} continues.\n`,
    stderr: "",
  });
  expect(await atomic(project, "resume", id, "--max-steps", "2")).toEqual({ code: 0, stdout, stderr: "" });
  const { code, stdout: line } = await atomic(project, "resume", id, "--max-steps", "3", "--json");
  expect({ code, ...JSON.parse(line) }).toMatchObject({
    code: 0,
    ok: true,
    type: "budget-raised",
    budget: { steps: 3 },
  });
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s stops the run, aborts the current work and exits with %i", async (signal, code) => {
  await using project = await projectWith({ working });
  const { run, id } = await holding(project);
  process.kill(run.pid, signal);
  expect(await run.exited).toMatchObject({ code });
  const status = { kind: "pending" };
  expect(lastLine(run)).toMatchObject({ type: "result", left: signal, exitCode: code, status });
  expect(await project.read("effects.txt")).toBe("first\nhold\naborted\n");
  await project.write("go", "");
  expect(await atomic(project, "resume", id)).toMatchObject({ code: 0, stdout: "all done\n" });
});

test.each([
  [["--json"], "json"],
  [[], "text"],
] as const)("the second Ctrl-C quits immediately and shows how to resume the run, with %j", async (json, form) => {
  const deaf = `{ name: "deaf" }, (graph) => graph.start(toolNode({ id: "hold", run: (_state, { signal }) => {
    console.log("deaf");
    signal.addEventListener("abort", () => console.log("heard"));
    return new Promise(() => setInterval(() => undefined, 1000));
  } }))`;
  await using project = await projectWith({ deaf });
  const both = ["sh", "-c", 'exec "$@" 2>&1', "sh", ...(node?.command ?? []), "run", "deaf", ...json];
  const run = await project.start(both);
  await run.printed(/^deaf$/m, 30_000);
  process.kill(run.pid, "SIGINT");
  await run.printed(/^heard$/m, 30_000);
  process.kill(run.pid, "SIGINT");
  expect(await run.exited).toMatchObject({ code: 130 });
  if (form === "text")
    expect(run.stdout).toMatch(/‖ deaf (\S+) was stopped and can be resumed .*\n +atomic resume \1\n$/);
  else {
    const result = lastLine(run);
    const { runId } = result;
    const error = { code: "interrupted", message: "was stopped and can be resumed", hint: `atomic resume ${runId}` };
    expect(result).toMatchObject({ ok: false, error, type: "result", left: "SIGINT", exitCode: 130 });
  }
});

test("Ctrl-C while the workflow is loading starts no run", async () => {
  await using project = await projectWith({ working });
  const slow = `console.log("loading");
const alive = setInterval(() => undefined, 1000);
await new Promise((heard) => process.once("SIGINT", heard));
clearInterval(alive);
`;
  const file = ".atomic/workflows/working.ts";
  await project.write(file, `${await project.read(file)}\n${slow}`);
  const both = ["sh", "-c", 'exec "$@" 2>&1', "sh", ...(node?.command ?? []), "run", "working", "--json"];
  const run = await project.start(both);
  await run.printed(/loading/, 30_000);
  process.kill(run.pid, "SIGINT");
  expect(await run.exited).toMatchObject({ code: 130 });
  expect(lastLine(run)).toMatchObject({ ok: false, error: { code: "interrupted" } });
  expect(JSON.parse((await atomic(project, "runs", "--json")).stdout)).toMatchObject({ runs: [] });
});

test("Ctrl-C while a workflow's help is loading is also reported", async () => {
  await using project = await projectWith({ working });
  const file = ".atomic/workflows/working.ts";
  const stuck = 'console.log("loading");\nawait new Promise(() => setInterval(() => undefined, 1000));\n';
  await project.write(file, `${await project.read(file)}\n${stuck}`);
  const argv = [...(node?.command ?? []), "run", "working", "--help", "--json"];
  const run = await project.start(["sh", "-c", 'exec "$@" 2>&1', "sh", ...argv]);
  await run.printed(/loading/, 30_000);
  process.kill(run.pid, "SIGINT");
  expect(await run.exited).toMatchObject({ code: 130 });
  expect(lastLine(run)).toMatchObject({ ok: false, error: { code: "interrupted" } });
});

test("Ctrl-C stops a run even if its very first step ignores it", async () => {
  const stubborn = `{ name: "stubborn" }, (graph) => graph
    .start(toolNode({ id: "hold", run: () => new Promise((heard) => {
      process.once("SIGINT", () => setImmediate(heard));
      process.kill(process.pid, "SIGINT");
    }) }))
    .then(toolNode({ id: "last", run: () => effect("last") }))`;
  await using project = await projectWith({ stubborn });
  const run = await start(project, ["run", "stubborn", "--json"]);
  expect(await run.exited).toMatchObject({ code: 130 });
  const result = lastLine(run);
  expect(result).toMatchObject({ type: "result", left: "SIGINT", exitCode: 130, status: { kind: "pending" } });
  expect(await atomic(project, "resume", String(result.runId))).toMatchObject({ code: 0 });
});

test("without the host's program a run exits with 6 immediately and says how to install it", async () => {
  await using project = await projectWith({});
  const argv = [Bun.which("node") ?? "", ...(node?.command.slice(1) ?? []), "run", "ralph", "--yolo", "hi"];
  const env = { PATH: project.path("empty") };
  const { code, stderr } = await project.run(argv, { env });
  expect({ code, tries: stderr.split("spawn opencode ENOENT").length - 2 }).toEqual({ code: 6, tries: 1 });
  const hint = "Install OpenCode with `npm install -g opencode-ai`, or choose another host (`--host claude`).";
  expect(stderr.replaceAll("\n  ", " ")).toMatch(
    /✗ ralph (\S+) failed: .* Install OpenCode [^\n]*\n* +atomic resume \1 --retry\n$/,
  );
  expect(stderr.split("\n")).toContain(`  ${hint}`);
  const asJson = await project.run([...argv, "--json"], { env });
  expect(asJson).toMatchObject({ code: 6, stderr: "" });
  const { error } = JSON.parse(asJson.stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(error.code).toBe("host-missing");
  expect(error.message).not.toContain("Install");
  expect(error.hint).toStartWith(`${hint}\natomic resume `);
});

test("Ctrl-C ends --follow --json with a result, and not the run", async () => {
  await using project = await projectWith({ working });
  const { id } = await holding(project);
  const follower = await start(project, ["show", id, "--follow", "--json"]);
  await follower.printed(/"step-started","key":"hold"/, 30_000);
  process.kill(follower.pid, "SIGINT");
  expect(await follower.exited).toMatchObject({ code: 130 });
  const error = { code: "interrupted", message: "running" };
  const status = { kind: "running" };
  expect(lastLine(follower)).toMatchObject({ ok: false, error, type: "result", status, exitCode: 130 });
});

test("--follow shows what another process does until that process ends", async () => {
  await using project = await projectWith({ working });
  const { run, id } = await holding(project);
  const follower = await start(project, ["show", id, "--follow", "--json"]);
  await follower.printed(/"step-started","key":"hold"/, 30_000);
  process.kill(run.pid, "SIGKILL");
  expect(await follower.exited).toMatchObject({ code: 1 });
  expect(lastLine(follower)).toMatchObject({ type: "result", status: { kind: "interrupted" } });
});

test.each([node, bun])("on $name, a file and a pipe get the answer byte for byte", async (runtime) => {
  const line = "\u200fa\r\u001b[2J ü\n\n";
  const say = `toolNode({ id: "say", run: () => ${JSON.stringify(line)}.repeat(40_000) })`;
  await using project = await projectWith({ long: `{ name: "long" }, (graph) => graph.start(${say})` });
  const shell = async (script: string) =>
    await project.run(["bash", "-o", "pipefail", "-c", script, "bash", ...(runtime?.command ?? [])], {
      env: runtime?.env ?? {},
    });
  expect(await shell('"$@" run long | cat >piped')).toMatchObject({ code: 0 });
  const [id] = runIds(project);
  expect(await shell(`"$@" show ${id} say >file`)).toMatchObject({ code: 0 });
  for (const name of ["piped", "file"]) expect((await project.read(name)) === line.repeat(40_000)).toBe(true);
  const { stdout, code } = await shell('"$@" run long --json | head -n 1');
  expect({ code, first: JSON.parse(stdout).type }).toEqual({ code: 0, first: "run-created" });
});
