// Code of a workflow that ends the program, breaks it, or prints: the program as people run it.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { build, type Runtime, runtimes } from "../program.ts";
import { projectWith } from "./begun.ts";

setDefaultTimeout(180_000);
beforeAll(build);

function breaking(name: string, code: string): Readonly<Record<string, string>> {
  return {
    [name]: `{ name: "${name}" }, (graph) => graph
      .start(toolNode({ id: "first", run: async () => { ${code} } }))
      .then(toolNode({ id: "last", run: () => { console.log("printed"); return "all done"; } }))`,
  };
}

const neverReturns = "await new Promise(() => setInterval(() => undefined, 1000));";

const ends: readonly (readonly [string, string, string])[] = [
  ["exit", "process.exit(0);", "the workflow called process.exit(0)"],
  ["throw", `setTimeout(() => { throw new Error("stray"); }, 1); ${neverReturns}`, "Error: stray ("],
  ["reject", `setTimeout(() => void Promise.reject(new Error("lost")), 1); ${neverReturns}`, "Error: lost ("],
];

const [node, bun] = runtimes as readonly [Runtime, Runtime];
const onNode = ends.map((end) => [node.name, ...end, node] as const);
const cases = [...onNode, ...ends.slice(2).map((end) => [bun.name, ...end, bun] as const)];

test.each(cases)(
  "on %s, a workflow that contains %s is interrupted and reported",
  async (_n, name, code, why, runtime) => {
    await using project = await projectWith(breaking(name, `if (!existsSync("go")) { ${code} }`));
    const ran = await project.run([...runtime.command, "run", name, "--host", "scripted"], { env: runtime.env });
    const [, id = ""] = /‖ \w+ (\S+) interrupted: /.exec(ran.stderr) ?? [];
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr.replaceAll("\n  ", " ")).toContain(why);
    expect(ran.stderr).toEndWith(`    atomic resume ${id}\n`);
    await project.write("go", "");
    const resumed = await project.run([...runtime.command, "resume", id, "--json"], { env: runtime.env });
    expect(resumed).toMatchObject({ code: 0, stderr: "printed\n" });
    for (const line of resumed.stdout.trimEnd().split("\n")) JSON.parse(line);
  },
);

test("with --json the last line also reports the end", async () => {
  await using project = await projectWith(breaking("exit", "process.exit(0);"));
  const { code, stdout, stderr } = await project.run([...node.command, "run", "exit", "--json", "--host", "scripted"]);
  expect({ code, stderr }).toEqual({ code: 7, stderr: "" });
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ type: "result", status: { kind: "interrupted" }, exitCode: 7 });
});

test.each([
  ["process.exit(0);", "process.exit(0)"],
  ["await new Promise(() => undefined);", "awaits a promise that never settles"],
])("a module that contains %s is named in the error, and nothing starts", async (code, why) => {
  await using project = await projectWith({}, { ".atomic/workflows/odd.ts": `${code}\nexport default 1;\n` });
  const ran = await project.run([...node.command, "run", "odd"]);
  expect(ran).toMatchObject({ code: 7, stdout: "" });
  expect(ran.stderr).toStartWith("atomic: the workflow odd cannot be loaded: it ");
  expect(ran.stderr).toContain(why);
});

/** Good workflows, with code beside them that goes wrong. */
function stray(code: string, inStep = ""): Readonly<Record<string, string>> {
  const step = `toolNode({ id: "only", run: () => { ${inStep} } })`;
  return { stray: `{ name: "stray" }, (graph) => graph.start(${step}));\n${code}\nvoid (0` };
}

const lost = 'Promise.reject(new Error("lost"));';
const late = 'setTimeout(() => { throw new Error("late"); }, 30);';

test.each([
  [["run", "stray", "--host", "scripted"], lost, "lost"],
  [["graph", "stray"], lost, "lost"],
  [["run", "stray", "--help"], lost, "lost"],
  [["run", "stray", "--host", "scripted"], 'Promise.reject("no error at all");', "no error at all"],
  [["run", "stray", "--host", "scripted"], `${late} await new Promise((done) => setTimeout(done, 300));`, "late"],
])("%j with a module that contains %s names the file and does not report a bug in atomic", async (argv, code, why) => {
  await using project = await projectWith(stray(code));
  const file = project.path(".atomic/workflows/stray.ts");
  for (const { command, env } of [node, bun]) {
    const result = await project.run([...command, ...argv], { env });
    expect(result).toMatchObject({ code: 7, stdout: "" });
    expect(result.stderr).toStartWith("atomic: the workflow stray cannot be loaded: it threw an uncaught error: ");
    expect(result.stderr).toContain(why);
    expect(result.stderr.replaceAll("\n", "")).toContain(file);
    expect(result.stderr).not.toContain("    at ");
    const asJson = await project.run([...command, ...argv, "--json"], { env });
    expect(asJson).toMatchObject({ code: 7, stderr: "" });
    const { ok, error } = JSON.parse(asJson.stdout);
    expect({ ok, code: error.code }).toEqual({ ok: false, code: "workflow-ended" });
    expect(error.at).toStartWith(file);
  }
});

test("a module that throws after it was loaded, but before its run is shown, is not a bug in atomic", async () => {
  await using project = await projectWith(stray(late));
  const slow = 'const end = Date.now() + 200; while (Date.now() < end) continue;\nexport default () => "";\n';
  await project.write("script.mjs", slow);
  const argv = ["run", "stray", "--script", "script.mjs"];
  for (const { command, env } of [node, bun]) {
    const ran = await project.run([...command, ...argv, "--json"], { env });
    expect(ran).toMatchObject({ code: 7, stderr: "" });
    expect(JSON.parse(lastLineOf(ran.stdout))).toMatchObject({ ok: false, error: { code: "workflow-ended" } });
  }
});

test("an error thrown after the answer leaves the answer unchanged and is reported", async () => {
  await using project = await projectWith(stray("", 'process.once("beforeExit", () => { throw new Error("late"); });'));
  const file = project.path(".atomic/workflows/stray.ts");
  const argv = ["run", "stray", "--host", "scripted"];
  for (const { command, env } of [node, bun]) {
    const ran = await project.run([...command, ...argv], { env });
    expect(ran.code).toBe(7);
    const [, message = ""] = /\natomic: (.*)$/s.exec(ran.stderr) ?? [];
    expect(message.replaceAll("\n  ", " ")).toStartWith("the workflow threw an uncaught error: Error: late (");
    expect(message.replaceAll("\n", "")).toContain(file);
    expect(message).not.toContain("    at ");
    const asJson = await project.run([...command, ...argv, "--json"], { env });
    expect(asJson.code).toBe(7);
    expect(JSON.parse(lastLineOf(asJson.stdout))).toMatchObject({ type: "result", status: { kind: "done" } });
    expect(asJson.stderr).toStartWith("atomic: the workflow threw an uncaught error: Error: late (");
  }
});

test("an error's location is a path you can type", async () => {
  await using project = await projectWith(stray(lost));
  const file = ".atomic/workflows/stray.ts";
  await project.write(`Projekt 100% (1)/${file}`, await project.read(file));
  const folder = project.path("Projekt 100% (1)");
  for (const { command, env } of [node, bun]) {
    const ran = await project.run([...command, "graph", "stray", "--json"], { cwd: folder, env });
    expect(JSON.parse(ran.stdout).error.message).toContain(`(${folder}/${file}:5:`);
  }
});

function lastLineOf(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

test("a workflow's own output is never mixed into its results", async () => {
  const printing = breaking("print", 'console.log("one"); process.stdout.write("two\\n"); console.error("three");');
  await using project = await projectWith(printing);
  for (const { command, env } of runtimes) {
    const ran = await project.run([...command, "run", "print", "--host", "scripted"], { env });
    expect(ran).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(ran.stderr).toContain("one\ntwo\nthree\n");
  }
});

test("a workflow that writes to stderr continues when its reader has gone, as a prompt line that was left", async () => {
  const write = "await new Promise((done) => process.stderr.write('line\\n', done))";
  // Until its reader has gone, what it writes is kept in the pipe.
  const writes = `while ((${write})?.code !== "EPIPE") continue; ${write}; ${write};`;
  await using project = await projectWith(breaking("chatty", writes));
  const [program = "", ...words] = node.command;
  const script = '{ "$@"; echo "exit $?" >&3; } 2>&1 3>ended.txt >answer.txt | true';
  const { code } = await project.run([
    "sh",
    "-c",
    script,
    "sh",
    program,
    ...words,
    "run",
    "chatty",
    "--host",
    "scripted",
  ]);
  expect(code).toBe(0);
  expect(await project.read("ended.txt")).toBe("exit 0\n");
  expect(await project.read("answer.txt")).toBe("all done\n");
});
