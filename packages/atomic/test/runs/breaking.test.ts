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

const waitsForEver = "await new Promise(() => setInterval(() => undefined, 1000));";

const ends: readonly (readonly [string, string, string])[] = [
  ["exit", "process.exit(0);", "the workflow called process.exit(0)"],
  ["throw", `setTimeout(() => { throw new Error("stray"); }, 1); ${waitsForEver}`, "Error: stray ("],
  ["reject", `setTimeout(() => void Promise.reject(new Error("lost")), 1); ${waitsForEver}`, "Error: lost ("],
];

const [node, bun] = runtimes as readonly [Runtime, Runtime];
const onNode = ends.map((end) => [node.name, ...end, node] as const);
const cases = [...onNode, ...ends.slice(2).map((end) => [bun.name, ...end, bun] as const)];

test.each(cases)("on %s, a workflow that says %s is interrupted, and says so", async (_n, name, code, why, runtime) => {
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
});

test("with --json the last line tells of the end, too", async () => {
  await using project = await projectWith(breaking("exit", "process.exit(0);"));
  const { code, stdout, stderr } = await project.run([...node.command, "run", "exit", "--json", "--host", "scripted"]);
  expect({ code, stderr }).toEqual({ code: 7, stderr: "" });
  const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(last).toMatchObject({ type: "result", status: { kind: "interrupted" }, exitCode: 7 });
});

test.each([
  ["process.exit(0);", "process.exit(0)"],
  ["await new Promise(() => undefined);", "waits for something that never comes"],
])("a module that says %s is named, and nothing is started", async (code, why) => {
  await using project = await projectWith({}, { ".atomic/workflows/odd.ts": `${code}\nexport default 1;\n` });
  const ran = await project.run([...node.command, "run", "odd"]);
  expect(ran).toMatchObject({ code: 7, stdout: "" });
  expect(ran.stderr).toStartWith("atomic: odd cannot be loaded: the workflow ");
  expect(ran.stderr).toContain(why);
});

test("what a workflow prints is never among its answers", async () => {
  const printing = breaking("print", 'console.log("one"); process.stdout.write("two\\n"); console.error("three");');
  await using project = await projectWith(printing);
  for (const { command, env } of runtimes) {
    const ran = await project.run([...command, "run", "print", "--host", "scripted"], { env });
    expect(ran).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(ran.stderr).toContain("one\ntwo\nthree\n");
  }
});
