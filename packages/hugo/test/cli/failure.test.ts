import { expect, test } from "bun:test";
import { withoutColour } from "@atomic/terminal/paint";
import { tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo } from "./hugo.ts";

test("a refusal says what, where and what next, with foreign text made visible", async () => {
  expect(await hugo(["fail", "refused"])).toEqual({
    code: 3,
    stdout: "",
    stderr:
      'hugo: /project/workflow.json:3:5: "agents[2]" repeats "rev\\x1b[2Jiewer"\n' +
      "Run `hugo build` in the workflow package to write it again.\n",
  });
});

test("a refusal fits the terminal and uses its colors", async () => {
  const { stderr } = await hugo(["fail", "refused"], { columns: 40, colour: true });
  expect(stderr).toStartWith("\x1b[31mhugo:\x1b[39m /project/workflow.json:3:5:");
  for (const line of withoutColour(stderr).split("\n")) expect(line.length).toBeLessThanOrEqual(40);
});

test.each([
  ["locked", 3, "hugo: Somebody holds the lock /project/.opencode/.hugo\nWait for process 7.\n"],
  ["disk-full", 3, "hugo: ENOSPC: no space left on device, write\nThe disk is full: free up space"],
])("%s is not a bug, and names its place once", async (kind, code, expected) => {
  const ran = await hugo(["fail", kind]);
  expect(ran.stderr).toStartWith(expected);
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: "" });
});

test.each([
  ["bug", "TypeError: impossible \\x1b[31m\n", "  caused by Error: the reason\n"],
  ["missing", "Error: ENOENT: no such file or directory, open 'x'\n", ""],
  ["unsound", "DurableError: the result does not parse\n", ""],
  ["nothing", "undefined\n", ""],
])("%s is a bug of hugo, with what is needed to report it", async (kind, first, cause) => {
  const { code, stdout, stderr } = await hugo(["fail", kind]);
  expect(stderr).toStartWith(`hugo: internal error: this is a bug in hugo.\n  ${first}`);
  expect(stderr).toContain(cause);
  expect(stderr).toContain("\nPlease report it and include these lines.");
  if (kind !== "nothing") expect(stderr).toMatch(/\n {2}at .*sample-commands\.ts:\d+:\d+/);
  expect({ code, stdout }).toEqual({ code: 70, stdout: "" });
});

test.each([
  [
    "refused",
    3,
    {
      code: "manifest-invalid",
      message: 'workflow.json: "agents[2]" repeats "rev\x1b[2Jiewer"',
      at: "/project/workflow.json:3:5",
      hint: "Run `hugo build` in the workflow package to write it again.",
    },
  ],
  ["locked", 3, expect.objectContaining({ code: "locked", at: "/project/.opencode/.hugo" })],
  ["disk-full", 3, expect.objectContaining({ code: "io" })],
  ["bug", 70, expect.objectContaining({ code: "internal", stack: expect.any(Array) })],
])("%s is one document where documents are asked for", async (kind, code, error) => {
  const { stdout, stderr, ...ran } = await hugo(["fail", kind, "--json"]);
  expect(JSON.parse(stdout)).toEqual({ ok: false, error });
  expect(stdout).not.toContain("\x1b");
  expect({ stderr, code: ran.code }).toEqual({ stderr: "", code });
});

test("a failed change says that nothing was changed, unless its explanation does", async () => {
  await using project = await tmpProject({ files: { "empty/README.md": "# E\n" } });
  const { dir: cwd, home } = project;
  const run = (...argv: string[]) => hugo(argv, { cwd, home, env: { PATH: "" }, table: commands });
  const changes = [
    ["install", "./empty", "--yes"],
    ["install", "./missing"],
    ["install", "what is this"],
    ["remove", "nothing"],
    ["update", "nothing"],
    ["disable", "nothing"],
    ["ci"],
    ["undo"],
    ["adopt"],
    ["install", "github:org/repo"],
    ["prune", "--json"],
  ];
  const said = await Promise.all(
    changes.map(async (argv) => {
      const { code, stdout, stderr } = await run(...argv);
      return { argv, code, times: `${stdout}${stderr}`.match(/nothing was (?:changed|installed)/gi)?.length };
    }),
  );
  expect(said.filter(({ code, times }) => code !== 0 && times !== 1)).toEqual([]);
  expect(said.filter(({ code }) => code === 0).map(({ argv }) => argv[0])).toEqual(["prune"]);
  // Commands that change nothing have nothing to say about it, and neither has a misspelled one.
  const others = await Promise.all([run("info", "./missing"), run("install"), run("remov")]);
  for (const { stderr } of others) expect(stderr).not.toContain("Nothing was");
  await project.write("opencode.json", "{ broken");
  for (const argv of [["list"], ["list", "--json"], ["outdated"], ["status", "nothing"]]) {
    const { code, stdout, stderr } = await run(...argv);
    expect({ argv, code, said: `${stdout}${stderr}` }).toMatchObject({ argv, code: 3 });
    expect(`${stdout}${stderr}`).not.toContain("Nothing was");
  }
});
