// What `atomic run` does before anything runs: arguments, help, dry runs, loading.
import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { displayWidth } from "@atomic/terminal/width";
import { main } from "../../src/main.ts";
import { atomic, contextIn } from "../atomic.ts";
import { projectWith } from "./begun.ts";
import { plain, run, shipping } from "./running.ts";

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
  [
    ["plain", "--idle-timeout", "0s"],
    'option --idle-timeout must be a duration longer than zero, such as 90s or 10m, not "0s"',
  ],
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

test.each(["file", "link"])("a %s in place of .atomic/runs is one clear error", async (kind) => {
  await using project = await projectWith({ plain });
  if (kind === "file") await project.write(".atomic/runs", "x");
  else symlinkSync("gone", project.path(".atomic/runs"));
  const what = kind === "file" ? "not a folder" : "a link to a folder that does not exist";
  for (const argv of [
    ["run", "plain"],
    ["run", "plain", "--detach"],
  ]) {
    const { code, stdout, stderr } = await atomic(project, argv);
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: "",
      stderr: `atomic: A run keeps its journal in .atomic/runs, and ${project.path(".atomic/runs")} is ${what}\nMove it somewhere else, then run the command again. Nothing was started.\n`,
    });
  }
  expect(await atomic(project, ["runs"])).toMatchObject({ code: 0, stdout: "" });
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
  tools      bash allowed, others allowed if the workflow says so; otherwise you are asked
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

test("a workflow may have flags that atomic itself has", async () => {
  const workflow = `{ name: "own", arguments: { version: { type: "string" } } as const }, (graph) => graph.start(toolNode({ id: "say", run: ({ input }) => \`got \${input.version}\` }))`;
  await using project = await projectWith({ own: workflow });
  expect(await run(project, "own", "--version", "1.4.0")).toMatchObject({ stdout: "got 1.4.0\n", code: 0 });
});
