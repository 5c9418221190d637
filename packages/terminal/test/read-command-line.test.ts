import { describe, expect, test } from "bun:test";
import type { CommandSpec, OptionSpecs } from "../src/command.ts";
import { readCommandLine, refuser } from "../src/read-command-line.ts";

const spec: CommandSpec = {
  name: "run",
  summary: "Run",
  arguments: { workflow: { count: "one", summary: "Which" }, words: { count: "rest", summary: "What it takes" } },
  options: {
    host: { kind: "choice", value: "host", choices: ["claude", "opencode"], summary: "Where" },
    allow: { kind: "text", value: "tool", many: true, summary: "May" },
    steps: {
      kind: "parsed",
      value: "n",
      takes: "a whole number from 0",
      parse: (word) => (/^\d+$/.test(word) ? Number(word) : undefined),
      summary: "At most",
    },
    "dry-run": { kind: "flag", summary: "Only show" },
  },
  examples: [],
};
const options: OptionSpecs = {
  ...spec.options,
  json: { kind: "flag", summary: "" },
  help: { kind: "flag", short: "h", summary: "" },
};
const unset = { host: undefined, allow: [], steps: undefined, "dry-run": false };

function read(words: readonly string[], command: CommandSpec = spec) {
  return readCommandLine(command, words, { options, refuse: refuser("atomic", command.name) });
}

describe("a command that passes arguments on", () => {
  test.each([
    [["ship", "--fast", "2"], { workflow: "ship", words: ["--fast", "2"] }],
    [["ship", "--host", "claude", "--fast"], { workflow: "ship", words: ["--fast"], host: "claude" }],
    [["--allow", "a", "ship", "--allow=b", "-x"], { workflow: "ship", words: ["-x"], allow: ["a", "b"] }],
    [["ship", "--", "--host", "x"], { workflow: "ship", words: ["--", "--host", "x"] }],
    [["ship", "--steps", "3", "--dry-run"], { workflow: "ship", words: [], steps: 3, "dry-run": true }],
  ])("%j is understood", (words, expected) => {
    expect(read(words).input).toEqual({ ...unset, ...expected });
  });

  test("takes a wish for help for itself", () => {
    expect(read(["ship", "--fast", "-h"])).toMatchObject({ help: true, words: ["ship", "--fast"] });
  });
});

test("a flag with an optional value is true without one, and the word with one", () => {
  const value = { term: "hash", takes: "a hash", form: /^[0-9a-f]+$/ };
  const yes: OptionSpecs = { yes: { kind: "flag", short: "y", summary: "", value } };
  const given = (...words: string[]) =>
    readCommandLine(spec, ["ship", ...words], { options: yes, refuse: refuser("atomic") }).input.yes;
  expect(given()).toBe(false);
  for (const words of [["--yes"], ["-y"], ["--yes", "--yes"]]) expect(given(...words)).toBe(true);
  // A word behind it is never its value.
  expect(given("--yes", "abc")).toBe(true);
  expect(given("--yes=abc")).toBe("abc");
  expect(() => given("--yes=xyz")).toThrow('option --yes must be a hash, not "xyz"');
  expect(() => given("--yes=")).toThrow('option --yes must be a hash, not ""');
  for (const words of [
    ["--yes=a", "--yes=b"],
    ["--yes=a", "-y"],
    ["-y", "--yes=a"],
  ]) {
    expect(() => given(...words)).toThrow("was given more than once");
  }
});

test.each([
  [["--fast", "ship"], "unknown option --fast"],
  [
    ["ship", "--host", "cluade"],
    'option --host must be one of claude, opencode, not "cluade" (did you mean "claude"?)',
  ],
  [["ship", "--steps", "many"], 'option --steps must be a whole number from 0, not "many"'],
  [["ship", "--steps", "1", "--steps", "2"], "option --steps was given more than once"],
  [["ship", "--steps"], "option --steps needs a value: --steps <n>"],
  [[], "missing argument <workflow>"],
])("%j is refused", (words, message) => {
  expect(() => read(words)).toThrow(message);
});

test("an argument that needs at least one word is missing without any", () => {
  const reject: CommandSpec = {
    ...spec,
    arguments: { run: { count: "one", summary: "" }, why: { count: "some", summary: "" } },
  };
  expect(() => read(["calm"], reject)).toThrow("missing argument <why>");
  expect(read(["calm", "too", "late"], reject).input).toMatchObject({ run: "calm", why: ["too", "late"] });
});
