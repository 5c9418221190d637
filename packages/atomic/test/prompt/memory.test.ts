import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { hostCommand } from "../../src/prompt/line/host-command.ts";
import { keptLines, lineOf, type MemoryRecord, memoryOf, readLine } from "../../src/prompt/line/memory.ts";
import { readModelWords } from "../../src/prompt/line/model-words.ts";
import { readMemoryFile, remember } from "../../src/prompt/memory-file.ts";

const records: readonly MemoryRecord[] = [
  { project: "/a", line: "/commit one" },
  { project: "/a", line: "/Commit one" },
  { project: "/b", line: "elsewhere" },
  { project: "/a", host: "claude" },
  { project: "/a", model: "opus", of: "claude" },
  { project: "/a", line: "hello" },
  { project: "/a", line: "/commit one" },
];

/** What is kept of them. */
function kept(all: readonly MemoryRecord[]): readonly MemoryRecord[] {
  return keptLines(all.map(lineOf)).flatMap(({ json }) => readLine(json).record ?? []);
}

test("a project has its lines, newest first and each once, and what was chosen in it", () => {
  const memory = memoryOf(records, "/a");
  expect(memory.history).toEqual(["/commit one", "hello", "/Commit one"]);
  expect([...memory.uses]).toEqual([["commit", 3]]);
  expect(memory.host).toBe("claude");
  expect([...memory.models]).toEqual([["claude", "opus"]]);
  expect(memoryOf([...records, { project: "/a", model: "", of: "claude" }], "/a").models.size).toBe(0);
});

test("what is written is read again; a line that is not a record has none, and control characters are gone", () => {
  expect(kept(records)).toEqual(records);
  const hostile = ['{"project":"/a","line":"x\\u001b[2J"}', "not json", '{"line":1}'];
  expect(hostile.map((json) => readLine(json).record)).toEqual([{ project: "/a", line: "x[2J" }, undefined, undefined]);
});

test("the file is private, bounded, and written by several at once without a loss", async () => {
  await using project = await tmpProject({ git: false });
  const file = readMemoryFile({ env: project.env, home: project.home });
  expect(file.records).toEqual([]);
  await Promise.all(["one", "two", "three"].map((line) => remember(file, { project: "/a", line })));
  expect(readMemoryFile({ env: project.env, home: project.home }).records).toHaveLength(3);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  const many = Array.from({ length: 1500 }, (_, n) => ({ project: "/a", line: `line ${n}` }));
  expect(kept(many)).toHaveLength(1000);
  // A long text is not worth all the others.
  const [few, last] = [many.slice(0, 10), { project: "/a", line: "last" }];
  const withLong = (length: number): readonly MemoryRecord[] =>
    kept([...few, { project: "/a", line: "x".repeat(length) }, last]);
  for (const length of [2_000_000, 999_000, 100_001]) expect(withLong(length)).toEqual([...few, last]);
  expect(withLong(100_000)).toHaveLength(few.length + 2);
  expect(readFileSync(file.path, "utf8")).toContain('"line":"two"');
});

test("a line that is not UTF-8 does not take the others with it", async () => {
  await using project = await tmpProject({ git: false });
  const place = { env: project.env, home: project.home };
  const file = readMemoryFile(place);
  await remember(file, { project: "/a", line: "größer" });
  appendFileSync(
    file.path,
    Buffer.concat([Buffer.from('{"project":"/a","line":"'), Buffer.from([0xff]), Buffer.from('"}\n')]),
  );
  expect(readMemoryFile(place)).toMatchObject({ records: [{ project: "/a", line: "größer" }], unreadable: 1 });
  await remember(file, { project: "/a", host: "claude" });
  expect(readMemoryFile(place).records).toEqual([
    { project: "/a", line: "größer" },
    { project: "/a", host: "claude" },
  ]);
});

test("what this version cannot read stays in the file, byte for byte", async () => {
  await using project = await tmpProject({ git: false });
  const place = { env: project.env, home: project.home };
  const file = readMemoryFile(place);
  await remember(file, { project: "/a", line: "one" });
  const strange = Buffer.concat([
    Buffer.from('{"project":"/a","mood":"of a newer version"}\nnot json\n'),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('{"project":"/a","line":"two","since":"a newer version"}\n'),
  ]);
  appendFileSync(file.path, strange);
  await remember(file, { project: "/a", line: "three" });
  const [one, ...rest] = readFileSync(file.path, "latin1").split(/(?<=\n)/);
  expect(one).toContain('"one"');
  expect(rest.slice(0, -1).join("")).toBe(strange.toString("latin1"));
  expect(rest.at(-1)).toContain('"three"');
  expect(readMemoryFile(place).unreadable).toBe(3);
});

test("what was chosen in a project is kept, however many lines follow, and only the last choice is", () => {
  const many = Array.from({ length: 1500 }, (_, n) => ({ project: "/b", line: `line ${n}` }));
  const chosen = { project: "/a", host: "copilot" };
  const left = kept([...records, chosen, ...many]);
  expect(left.slice(0, 2)).toEqual([{ project: "/a", model: "opus", of: "claude" }, chosen]);
  expect(left.slice(2)).toEqual(many.slice(500));
});

test.each([
  ["opencode", { text: "-x", model: "a/b" }, ["opencode", "--model=a/b", "--prompt=-x"]],
  ["opencode", { session: "last" }, ["opencode", "--continue"]],
  ["opencode", { session: "ses_1" }, ["opencode", "--session=ses_1"]],
  ["claude", { text: "-x", agent: "reviewer" }, ["claude", "--agent=reviewer", "--", "-x"]],
  ["claude", { session: "ab" }, ["claude", "--resume=ab"]],
  ["copilot", { text: "-x", model: "m" }, ["copilot", "--model=m", "--interactive=-x"]],
] as const)("%s is started for %j as %j", (host, request, expected) => {
  expect(hostCommand(host, request)).toEqual([...expected]);
});

test.each([
  [[], { kind: "show" }],
  [["select"], { kind: "select" }],
  [["list"], { kind: "list", provider: undefined }],
  [["list", "anthropic"], { kind: "list", provider: "anthropic" }],
  [["refresh"], { kind: "refresh" }],
  [["default"], { kind: "default" }],
  [["a/b"], { kind: "set", model: "a/b" }],
  [[""], { kind: "wrong", because: "The model's name is empty. `/model list` shows the names." }],
  [["a", "b"], { kind: "wrong", because: "A model's name is one word: /model list shows them." }],
])("/model %j", (words, expected) => expect(readModelWords(words)).toEqual(expected as never));
