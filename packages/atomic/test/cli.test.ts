import { expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { commands } from "../src/commands.ts";
import { main } from "../src/main.ts";
import { atomic, contextIn } from "./atomic.ts";
import { sampleProject } from "./sample.ts";

test.each([
  [["entites"], 'atomic: unknown command "entites" (did you mean "entities"?)\nRun `atomic --help`'],
  [["help", "whch"], 'atomic: unknown command "whch" (did you mean "which"?)\nRun `atomic --help`'],
  [["zzz"], 'atomic: unknown command "zzz"\nRun `atomic --help`'],
  [
    ["entities", "--shadwed"],
    "atomic: unknown option --shadwed (did you mean --shadowed?)\nRun `atomic entities --help`",
  ],
  [["which", "x", "--jso"], "atomic: unknown option --jso (did you mean --json?)\nRun `atomic which --help`"],
  [["--vrsion"], "atomic: unknown option --vrsion (did you mean --version?)\nRun `atomic --help`"],
  [["which"], "atomic: missing argument <name>\nRun `atomic which --help`"],
  [["entities", "x"], "atomic: unexpected argument x\n"],
  [["entities", "--type"], "atomic: option --type needs a value: --type <type>\n"],
  [
    ["entities", "--type", "agnt"],
    'atomic: option --type must be one of agent, command, skill, workflow, not "agnt" (did you mean "agent"?)\n',
  ],
  [["entities", "--provider", "claud"], '(did you mean "claude"?)'],
  [["tasks", "import"], "atomic: missing argument <file>\nRun `atomic tasks import --help`"],
  [["tasks", "a", "b"], "atomic: unexpected argument b\n"],
  [["tasks", "improt", "b"], 'atomic: unknown command "tasks improt" (did you mean "tasks import"?)\n'],
  [["help", "tasks", "imprt"], 'atomic: unknown command "tasks imprt" (did you mean "tasks import"?)\n'],
  [["help", "tasks", "zzz"], "atomic: unexpected argument zzz\n"],
  [["resume", "x", "--budget-usd"], "atomic: option --budget-usd needs a value: --budget-usd <amount>\n"],
  [["show", "x", "--folow"], "atomic: unknown option --folow (did you mean --follow?)\n"],
  [["completion", "bash", "--as", "atomic"], "atomic: unknown option --as\n"],
  [
    ["worker", "--limit", "opencode=99999999999999"],
    "atomic: option --limit must be a host and a number below a billion",
  ],
  [["worker", "--metrics", "99999"], "atomic: option --metrics must be a port up to 65535"],
  [["constructor"], 'atomic: unknown command "constructor"\n'],
  [["__proto__"], 'atomic: unknown command "__proto__"\n'],
])("%j is refused with a suggestion", async (argv, expected) => {
  await using project = await tmpProject({ git: false });
  const { stdout, stderr, code } = await atomic(project, argv);
  expect(stderr).toContain(expected);
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
});

test.each([
  [["--help"], 0],
  [["-h"], 0],
  [["help"], 0],
])("%j shows the help", async (argv, expected) => {
  await using project = await tmpProject({ git: false });
  const { stdout, stderr, code } = await atomic(project, argv);
  expect({ stderr, code }).toEqual({ stderr: "", code: expected });
  expect(stdout).toMatchSnapshot();
});

test("without a command it shows the help as an error", async () => {
  await using project = await tmpProject({ git: false });
  const { stdout, stderr, code } = await atomic(project, []);
  expect(stderr).toStartWith("Usage: atomic [command] [options]\n");
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
});

/** What the examples run. */
const release = `import { defineGraph, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "release" }, (graph) => graph.start(toolNode({ id: "tag", run: () => "tagged" })));
`;

for (const { name, group, load } of commands) {
  test(`the help of ${name} teaches with examples, and is the same however one asks`, async () => {
    await using project = await tmpProject({ git: false });
    const words = name.split(" ");
    const { stdout, stderr, code } = await atomic(project, [...words, "--help"]);
    expect(stdout).toContain(`\nExamples:\n  $ atomic ${name}`);
    expect(stdout).toMatchSnapshot();
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect((await atomic(project, ["help", ...words])).stdout).toBe(stdout);
  });

  test(`the examples of ${name} are commands that atomic understands`, async () => {
    await using project = await sampleProject({ ".atomic/workflows/release.ts": release });
    const { examples } = await load();
    expect(examples.length).toBeGreaterThan(0);
    // They would reach for a database; their own tests have one.
    if (group === "fleet") return;
    for (const { command } of examples) {
      const [program, ...argv] = command.split(" ");
      expect(program).toBe("atomic");
      const end = argv.findIndex((word) => word.startsWith(">"));
      const words = argv.slice(0, end === -1 ? undefined : end);
      const { code, stderr } = await atomic(project, words, { stopAt: /press Ctrl-C to stop/ });
      if (argv.includes("--watch") || command === "atomic ui") expect(code).toBe(130);
      // It asks, and no one is there to answer.
      else if (command === "atomic setup") expect(code).toBe(4);
      // The registry that would have Magnus Opus cannot be reached from here.
      else if (command === "atomic setup --dry-run") expect(code).toBe(6);
      // Some name a run that does not exist: the answer is no, but the command line is valid.
      else if (code > 1) throw new Error(`${command} ends with ${code}: ${stderr}`);
    }
  });
}

test("the help fits into 100 columns", async () => {
  await using project = await tmpProject({ git: false });
  for (const argv of [["--help"], ...commands.map(({ name }) => [...name.split(" "), "--help"])]) {
    const { stdout } = await atomic(project, argv);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  }
});

test("the help is colored only where colors are shown", async () => {
  await using project = await tmpProject({ git: false });
  expect((await atomic(project, ["--help"], { columns: 80, colour: true })).stdout).toContain("\x1b[1mUsage:\x1b[22m");
  expect((await atomic(project, ["--help"], { columns: 80 })).stdout).not.toContain("\x1b");
});

test.each([["--version"], ["-v"]])("%s is that of the package", async (flag) => {
  await using project = await tmpProject({ git: false });
  const { version } = await Bun.file(`${import.meta.dirname}/../package.json`).json();
  expect(await atomic(project, [flag])).toMatchObject({ stdout: `${version}\n`, stderr: "", code: 0 });
});

test("a failure of atomic itself is called a bug, with what is needed to report it", async () => {
  await using project = await tmpProject({ git: false });
  const { context, written } = contextIn(project);
  const broken = {
    ...context,
    get cwd(): string {
      throw new TypeError("impossible \x1b[31m");
    },
  };
  expect(await main(["entities"], broken)).toBe(70);
  const text = written.map(([, each]) => each).join("");
  expect(text).toStartWith("atomic: internal error: this is a bug in atomic.\n  TypeError: impossible \\x1b[31m\n");
  expect(text).toMatch(/\n {2}at .*cli\.test\.ts:\d+:\d+/);
});
