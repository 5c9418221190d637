// The optional hooks on the real OpenCode, with a scripted model.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OpencodeWithMagnus } from "../opencode-with-magnus.ts";

let opencode: OpencodeWithMagnus;
beforeAll(async () => {
  const settings = { todoContinuation: { seconds: 0.1 }, toolOutputLimits: { bash: 1_500 } };
  opencode = await OpencodeWithMagnus.open({
    ...{ ".opencode/magnus-opus.json": settings, "read/there.txt": "here\n", "read/AGENTS.md": "Read first.\n" },
    ...{ "AGENTS.md": "Be kind.\n", "unread/AGENTS.md": "Use tabs.\n" },
    ...{ ".claude/rules/style.md": "Always short lines.\n", ".opencode/rules/named.md": "Named by OpenCode.\n" },
    ".cursor/rules/python.mdc": "---\nglobs: *.py, lib/**/*.{pyi,pyx}\nalwaysApply: false\n---\nPython rules.\n",
    ".cursor/rules/asked.mdc": "---\ndescription: about databases\nalwaysApply: false\n---\nOnly on demand.\n",
    "opencode.json": { instructions: [".opencode/rules/*.md"] },
    "lib/a.py": "x = 1\n",
  });
}, 180_000);
afterEach(() => opencode.model.verify());
afterAll(() => opencode[Symbol.asyncDispose]());

const todos = [{ content: "the impossible", status: "pending", priority: "high" }];

test("a model that never finishes its todos gets two nudges and a clear stop", async () => {
  const { model, server } = opencode;
  model.expect("Do the impossible").tool("todowrite", { todos }).then.reply("I have a plan.");
  model.expect(/<todo_continuation>/).reply("I am still at it.");
  model.expect(/<todo_continuation>/).reply("Almost.");
  const session = await opencode.session();
  await server.reopen(session).prompt("Do the impossible", { agent: "build" });
  await server.waitForEvent(
    ({ type, properties }) => type === "tui.toast.show" && String(properties.message).includes("no progress"),
  );
  const messages = await server.reopen(session).messages();
  const texts = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  expect(texts.filter((text) => text.startsWith("<todo_continuation>"))).toHaveLength(2);
}, 60_000);

const count = (to: number) => ({ command: `seq 1 ${to}`, description: "count" });

test("a long output is shortened to what its tool may have, and the whole text is kept", async () => {
  opencode.model.expect("Count").tool("bash", count(1_900)).then.reply("counted");
  const session = await opencode.session();
  await opencode.server.reopen(session).prompt("Count", { agent: "build" });
  const [output = ""] = await opencode.results(session);
  expect(output).toStartWith("bash: 1\n2\n3\n");
  expect(output).toContain("\n1900");
  expect(output).not.toContain("\n1200\n");
  const [, path = ""] = /The whole text: (\S.*?)\. Search it/.exec(output) ?? [];
  expect(readFileSync(path, "utf8")).toContain("\n1200\n");
}, 60_000);

test("an output gets half of the context that is left", async () => {
  const { model } = opencode;
  model
    .expect("Count twice")
    .tool("bash", count(1_000))
    .usage({ input: 190_800 })
    .then.tool("bash", count(1_000))
    .then.reply("counted");
  const session = await opencode.session();
  await opencode.server.reopen(session).prompt("Count twice", { agent: "build" });
  const [whole = "", shortened = ""] = await opencode.results(session);
  expect(whole).toContain("\n600\n");
  expect(shortened).not.toContain("\n600\n");
  expect(shortened).toContain("are left out here");
}, 60_000);

test("ultrawork is added once in a session, and every later request begins with the same bytes", async () => {
  const { model, server } = opencode;
  model.expect("ultrawork: tidy up").tool("bash", count(3)).then.reply("tidy");
  model.expect("ultrawork again").reply("still tidy");
  const session = await opencode.session();
  await server.reopen(session).prompt("ultrawork: tidy up", { agent: "build" });
  await server.reopen(session).prompt("ultrawork again", { agent: "build" });
  const sent = model.prompts.map(({ raw }) =>
    (raw as { messages: unknown[] }).messages.map((each) => JSON.stringify(each)),
  );
  expect(sent).toHaveLength(3);
  for (const [index, messages] of sent.entries()) {
    expect(messages.join("\n").split("<ultrawork>")).toHaveLength(2);
    expect(messages.slice(0, sent[index - 1]?.length)).toEqual(sent[index - 1] ?? messages);
  }
}, 60_000);

test("the project's rules reach the model once each, and those that OpenCode adds are not added again", async () => {
  const { model, server } = opencode;
  const read = { filePath: join(opencode.project.dir, "lib/a.py") };
  model.expect("Follow the rules").tool("read", read).then.tool("read", read).then.reply("done");
  model.expect("And again").reply("done again");
  const session = await opencode.session();
  await server.reopen(session).prompt("Follow the rules", { agent: "build" });
  await server.reopen(session).prompt("And again", { agent: "build" });
  const sent = model.prompts.map(({ raw }) => JSON.stringify(raw));
  const times = (text: string): number[] => sent.map((each) => each.split(text).length - 1);
  expect(times("Always short lines.")).toEqual([1, 1, 1, 1]);
  expect(times("Named by OpenCode.")).toEqual([1, 1, 1, 1]);
  expect(times("Python rules.")).toEqual([0, 1, 1, 1]);
  expect(times("Only on demand.")).toEqual([0, 0, 0, 0]);
}, 60_000);

test("instructions of a folder are added where OpenCode has not added them, once", async () => {
  const write = (filePath: string) => ({ filePath: join(opencode.project.dir, filePath), content: "x\n" });
  opencode.model
    .expect("Write")
    .tool("read", { filePath: join(opencode.project.dir, "read/there.txt") })
    .then.tool("write", write("read/new.txt"))
    .then.tool("write", write("unread/deep/one.txt"))
    .then.tool("write", write("unread/two.txt"))
    .then.reply("written");
  const session = await opencode.session();
  await opencode.server.reopen(session).prompt("Write", { agent: "build" });
  const [read = "", ...written] = await opencode.results(session);
  expect(read).toContain("Read first.");
  expect(written.map((text) => text.includes("<directory_instructions"))).toEqual([false, true, false]);
  expect(written[1]).toContain('path="unread/AGENTS.md">\nUse tabs.');
}, 60_000);
