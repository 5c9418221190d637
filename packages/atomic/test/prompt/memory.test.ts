import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { hostCommand } from "../../src/prompt/line/host-command.ts";
import { type MemoryRecord, memoryOf, readMemory, writeMemory } from "../../src/prompt/line/memory.ts";
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

test("a project has its lines, newest first and each once, and what was chosen in it", () => {
  const memory = memoryOf(records, "/a");
  expect(memory.history).toEqual(["/commit one", "hello", "/Commit one"]);
  expect([...memory.uses]).toEqual([["commit", 3]]);
  expect(memory.host).toBe("claude");
  expect([...memory.models]).toEqual([["claude", "opus"]]);
  expect(memoryOf([...records, { project: "/a", model: "", of: "claude" }], "/a").models.size).toBe(0);
});

test("what is written is read again; lines that are not records are counted, and control characters are gone", () => {
  expect(readMemory(writeMemory(records))).toEqual({ records, unreadable: 0 });
  const hostile = `{"project":"/a","line":"x\\u001b[2J"}\nnot json\n{"line":1}\n\n`;
  expect(readMemory(hostile)).toEqual({ records: [{ project: "/a", line: "x[2J" }], unreadable: 2 });
});

test("the file is private, bounded, and written by several at once without a loss", async () => {
  await using project = await tmpProject({ git: false });
  const file = readMemoryFile({ env: project.env, home: project.home });
  expect(file.records).toEqual([]);
  await Promise.all(["one", "two", "three"].map((line) => remember(file, { project: "/a", line })));
  expect(readMemoryFile({ env: project.env, home: project.home }).records).toHaveLength(3);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
  const many = Array.from({ length: 1500 }, (_, n) => ({ project: "/a", line: `line ${n}` }));
  expect(writeMemory(many).split("\n")).toHaveLength(1001);
  // A long text is not worth all the others.
  const [few, last] = [many.slice(0, 10), { project: "/a", line: "last" }];
  const withLong = (length: number): readonly MemoryRecord[] =>
    readMemory(writeMemory([...few, { project: "/a", line: "x".repeat(length) }, last])).records;
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

test("what was chosen in a project is kept, however many lines follow, and only the last choice is", () => {
  const many = Array.from({ length: 1500 }, (_, n) => ({ project: "/b", line: `line ${n}` }));
  const chosen = { project: "/a", host: "copilot" };
  const kept = readMemory(writeMemory([...records, chosen, ...many])).records;
  expect(kept.slice(0, 2)).toEqual([{ project: "/a", model: "opus", of: "claude" }, chosen]);
  expect(kept.slice(2)).toEqual(many.slice(500));
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
  [[""], { kind: "wrong", because: "A model's name is missing: /model list shows them." }],
  [["a", "b"], { kind: "wrong", because: "A model's name is one word: /model list shows them." }],
])("/model %j", (words, expected) => expect(readModelWords(words)).toEqual(expected as never));
