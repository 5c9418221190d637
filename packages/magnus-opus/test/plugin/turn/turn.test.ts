// The optional hooks on the real OpenCode, with a scripted model.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { OpencodeWithMagnus } from "../opencode-with-magnus.ts";

let opencode: OpencodeWithMagnus;
beforeAll(async () => {
  const settings = { todoContinuation: { seconds: 0.1 }, toolOutputLimits: { bash: 1_500 } };
  opencode = await OpencodeWithMagnus.open({ ".opencode/magnus-opus.json": settings });
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
