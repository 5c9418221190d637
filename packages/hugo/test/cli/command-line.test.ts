import { describe, expect, test } from "bun:test";
import { tmpProject } from "@atomic/testing/project";
import { commands } from "../../src/commands.ts";
import { hugo } from "./hugo.ts";

const nothing = { global: false, dryRun: false, yes: false };
const unasked = { ...nothing, skipModified: false, force: false };

describe("the words behind a command", () => {
  test.each([
    [["a"], { spec: "a", name: [] }],
    [["a", "b", "c"], { spec: "a", name: ["b", "c"] }],
    [["--force", "a", "b", "--skip-modified"], { spec: "a", name: ["b"], force: true, skipModified: true }],
    [["a", "-gfy"], { spec: "a", name: [], global: true, force: true, yes: true }],
    [["a", "-g", "-g"], { spec: "a", name: [], global: true }],
    [["a", "--dry-run"], { spec: "a", name: [], dryRun: true }],
    [["a", "--registry", "http://x?y=z"], { spec: "a", name: [], registry: "http://x?y=z" }],
    [["a", "--registry=http://x?y=z"], { spec: "a", name: [], registry: "http://x?y=z" }],
    [["a", "--registry=-x"], { spec: "a", name: [], registry: "-x" }],
    [["a", "--type", "agent"], { spec: "a", name: [], type: "agent" }],
    [["--", "--force", "-g", "--"], { spec: "--force", name: ["-g", "--"] }],
    [["-", ""], { spec: "-", name: [""] }],
    [["a", "--", "--json"], { spec: "a", name: ["--json"] }],
  ])("%j are understood", async (words, expected) => {
    const { stdout, stderr, code } = await hugo(["echo", ...words]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(JSON.parse(stdout)).toEqual({ ...unasked, ...expected });
  });

  test.each([
    [["-g", "e", "a"], { ...unasked, spec: "a", name: [], global: true }],
    [
      ["--global", "-y", "--dry-run", "echo", "a"],
      { ...unasked, spec: "a", name: [], global: true, yes: true, dryRun: true },
    ],
  ])("%j have flags before the command too", async (argv, expected) => {
    expect(JSON.parse((await hugo(argv)).stdout)).toEqual(expected);
  });
});

const ofEcho = "Run `hugo echo --help` for usage.\n";
const ofRoot = "Run `hugo --help` for usage.\n";

test.each([
  [["ecko"], 'unknown command "ecko" (did you mean "echo"?)', ofRoot],
  [["help", "lok"], 'unknown command "lok" (did you mean "look"?)', ofRoot],
  [["zzz"], 'unknown command "zzz"', ofRoot],
  [["hepl"], 'unknown command "hepl" (did you mean "help"?)', ofRoot],
  [["constructor"], 'unknown command "constructor"', ofRoot],
  [["__proto__"], 'unknown command "__proto__"', ofRoot],
  [[""], 'unknown command ""', ofRoot],
  [["a\x1b[31m\nb"], 'unknown command "a\\x1b[31m b"', ofRoot],
  [["--vrsion"], "unknown option --vrsion (did you mean --version?)", ofRoot],
  [["-x"], "unknown option -x", ofRoot],
  [["--global"], "missing command", ofRoot],
  [["help", "look", "echo"], "unexpected argument echo", "Run `hugo --help` for usage."],
  [["echo", "a", "--froce"], "unknown option --froce (did you mean --force?)", ofEcho],
  [["echo", "a", "--skipModified"], "unknown option --skipModified (did you mean --skip-modified?)", ofEcho],
  [["echo", "a", "-gx"], "unknown option -x", ofEcho],
  [["echo", "a", "-force"], "unknown option -force (did you mean --force?)", ofEcho],
  [["echo", "a", "--constructor"], "unknown option --constructor", ofEcho],
  [["echo", "a", "--=x"], "unknown option --", ofEcho],
  [["echo", "a", "--froce=x"], "unknown option --froce (did you mean --force?)", ofEcho],
  [["echo", "a", "--force=yes"], "option --force does not take a value", ofEcho],
  [["echo"], "missing argument <spec>", ofEcho],
  [["echo", "a", "--registry"], "option --registry needs a value: --registry <url>", ofEcho],
  [["echo", "a", "--registry", "--force"], "option --registry needs a value: --registry <url>", ofEcho],
  [["echo", "a", "--registry="], "option --registry needs a value: --registry <url>", ofEcho],
  [["echo", "a", "--registry=x", "--registry=y"], "option --registry was given more than once", ofEcho],
  [
    ["echo", "a", "--type", "agnt"],
    'option --type must be one of agent, command, not "agnt" (did you mean "agent"?)',
    ofEcho,
  ],
  [["look", "a", "b"], "unexpected argument b", "Run `hugo look --help`"],
  [["ask", "b"], "unexpected argument b", "Run `hugo ask --help`"],
  [["look", "--yes"], "unknown option --yes", "Run `hugo look --help`"],
])("%j is refused with a suggestion", async (argv, what, next) => {
  const { stdout, stderr, code } = await hugo(argv);
  expect(stderr).toStartWith(`hugo: ${what}\n${next}`);
  expect({ stdout, code }).toEqual({ stdout: "", code: 2 });
});

test("a command line that is refused is one document where documents are asked for", async () => {
  for (const argv of [
    ["--json", "ecko"],
    ["echo", "--json"],
    ["echo", "--froce", "--json"],
  ]) {
    const { stdout, stderr, code } = await hugo(argv);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      error: { code: "usage", message: expect.any(String), hint: expect.stringContaining("--help` for usage") },
    });
    expect({ stderr, code }).toEqual({ stderr: "", code: 2 });
  }
  expect((await hugo(["ecko", "--", "--json"])).stdout).toBe("");
});

test("an answer goes to stdout, notes to stderr, and the exit code is the report's", async () => {
  expect(await hugo(["look"])).toEqual({ code: 0, stdout: "the answer\n", stderr: "a note\n" });
  expect((await hugo(["look", "nobody"])).code).toBe(1);
});

test("a JSON document has the whole result and an ok flag", async () => {
  const { stdout, stderr } = await hugo(["look", "--json"]);
  expect({ document: JSON.parse(stdout), stderr }).toEqual({ document: { ok: true, answer: 42 }, stderr: "" });
  const no = await hugo(["--json", "look", "nobody"]);
  expect({ document: JSON.parse(no.stdout), code: no.code }).toEqual({
    document: { ok: false, error: { code: "nobody", message: "nobody is called that" }, answer: 42 },
    code: 1,
  });
});

test.each([
  [["install"], "missing argument <spec>", "install"],
  [["remove", "--dry-run"], "missing argument <name>", "remove"],
  [["switch"], "missing argument <name>", "switch"],
  [["enable"], "missing argument <name…> or --all", "enable"],
  [["disable"], "missing argument <name…> or --all", "disable"],
])("%j says what is missing", async (argv, what, command) => {
  await using project = await tmpProject();
  const { code, stderr } = await hugo(argv, { cwd: project.dir, home: project.home, table: commands });
  expect([code, stderr]).toEqual([2, `hugo: ${what}\nRun \`hugo ${command} --help\` for usage.\n`]);
});
