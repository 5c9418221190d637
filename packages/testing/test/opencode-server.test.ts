import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeServe } from "@atomic/testing/opencode";
import type { ServerEvent } from "@atomic/testing/opencode/events";
import type { OpencodeServer } from "@atomic/testing/opencode/server";
import { type Project, tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

// One server for the whole file: it starts once, and each test has sessions of its own.
let model: ModelServer;
let project: Project;
let server: OpencodeServer;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  model = stack.use(await modelServer());
  project = stack.use(await tmpProject());
  const guard = new URL("plugins/guard.ts", import.meta.url).href;
  server = stack.use(await opencodeServe(project, { model, plugins: [guard] }));
});
afterEach(() => model.verify());
afterAll(() => stack.disposeAsync());

test("a tool that the model calls is really run, and the model reads its result", async () => {
  model
    .expect("make a file")
    .tool("bash", { command: "echo made > made.txt && cat made.txt", description: "Makes a file" })
    .then.reply((request) => `It says: ${request.toolResults[0]?.trim()}`);
  const answer = await server.ask("please make a file");
  expect(answer).toMatchObject({ text: "It says: made", error: undefined });
  expect(await project.read("made.txt")).toBe("made\n");
});

test("several tools of one turn all run", async () => {
  const write = (name: string) => ({ filePath: project.path(name), content: name });
  model.expect("two files").tool("write", write("one.txt")).tool("write", write("two.txt")).then.reply("both");
  expect((await server.ask("two files")).text).toBe("both");
  expect([await project.read("one.txt"), await project.read("two.txt")]).toEqual(["one.txt", "two.txt"]);
  expect(model.prompts.at(-1)?.toolResults).toHaveLength(2);
});

test("a plugin from TypeScript source blocks a tool, and the model reads the reason", async () => {
  await project.write("precious.txt", "keep me");
  model
    .expect("clean up")
    .tool("bash", { command: "rm precious.txt", description: "Removes" })
    .then.reply((request) => `Refused: ${request.toolResults}`);
  expect((await server.ask("clean up")).text).toContain("Refused: The gate is closed for rm.");
  expect(await project.read("precious.txt")).toBe("keep me");
});

test("a plugin's tool and agent are there for the model", async () => {
  model
    .expect({ user: "what is it", where: offersTool("answer") })
    .tool("answer")
    .then.reply("thanks");
  const answer = await server.ask("what is it", { agent: "guardian" });
  expect(answer.message.agent).toBe("guardian");
  expect(model.prompts.at(-1)?.toolResults).toEqual(["forty-two"]);
});

test("concurrent sessions with the same prompt do not disturb each other", async () => {
  const command = (name: string) => ({ command: `echo ${name}`, description: "Says" });
  for (const name of ["a", "b", "c", "d"]) {
    model
      .expect("who are you")
      .tool("bash", command(name))
      .then.tool("bash", command(name.toUpperCase()))
      .then.reply((request) => request.messages.flatMap((m) => (m.role === "tool" ? [m.text.trim()] : [])).join());
  }
  const answers = await Promise.all([1, 2, 3, 4].map(() => server.ask("who are you")));
  expect(answers.map((answer) => answer.text).sort()).toEqual(["a,A", "b,B", "c,C", "d,D"]);
  expect(new Set(model.prompts.map((request) => request.session)).size).toBe(4);
});

test("one server serves several projects", async () => {
  await using other = await tmpProject({ files: { "AGENTS.md": "Speak of other things." } });
  model
    .expect({ user: "where", system: /other things/ })
    .tool("bash", pwd)
    .then.reply((r) => `in ${r.toolResults}`);
  const answer = await server.ask("where", { directory: other.dir });
  expect(answer.text.trim()).toBe(`in ${other.dir}`);
  expect(server.events.filter((event) => event.sessionID === answer.sessionID).map((e) => e.directory)).toContain(
    other.dir,
  );
});

const pwd = { command: "pwd", description: "Where" };

test("a session remembers", async () => {
  model.expect("my name is Ada").reply("hello Ada");
  model.expect("my name?").reply((request) => `${request.messages.length} messages`);
  const session = await server.session();
  await session.prompt("my name is Ada");
  expect((await session.prompt("my name?")).text).toBe("3 messages");
  expect((await session.messages()).map((message) => message.role)).toEqual(["user", "assistant", "user", "assistant"]);
});

test("a sub-agent is a conversation of its own", async () => {
  const task = { description: "Looks", prompt: "look around", subagent_type: "general" };
  model
    .expect("delegate")
    .tool("task", task)
    .then.reply((request) => `It said ${request.toolResults}`);
  model.expect("look around").tool("bash", pwd).then.reply("nothing here");
  const { text, sessionID } = await server.ask("delegate");
  expect(text).toMatch(/^It said <task .*state="completed">[\s\S]*nothing here/);
  const child = model.requests.find((request) => request.user === "look around");
  expect(child?.session).toStartWith("ses_");
  expect(child?.session).not.toBe(sessionID);
});

describe("a permission that is asked for", () => {
  const permission = [{ permission: "bash", pattern: "*", action: "ask" as const }];

  async function askAndReply(reply: "once" | "reject"): Promise<{ text: string; results: readonly string[] }> {
    model.expect("may I").tool("bash", { command: "echo allowed", description: "Asks" }).then.reply("thank you");
    const session = await server.session({ permission });
    const answer = session.prompt("may I");
    const { properties } = await server.waitForEvent("permission.asked", { sessionID: session.id });
    await server.client.permission.reply({ requestID: properties.id as string, reply }, { throwOnError: true });
    return { text: (await answer).text, results: model.prompts.at(-1)?.toolResults ?? [] };
  }

  test("is granted over the client", async () => {
    expect(await askAndReply("once")).toEqual({ text: "thank you", results: ["allowed\n"] });
  });

  test("is refused over the client, which ends the turn", async () => {
    expect(await askAndReply("reject")).toEqual({ text: "", results: [] });
    expect(() => model.verify()).toThrow("turn 2 was never asked for");
  });
});

test("a model that hangs can be aborted, and both sides see it", async () => {
  model.expect("think").reply("so far").hang();
  const session = await server.session();
  const answer = session.prompt("think");
  const request = await model.waitFor("think");
  await server.waitForEvent("message.part.delta", { sessionID: session.id });
  await session.abort();
  expect(await request.ended).toBe("aborted");
  expect((await answer).error?.name).toBe("MessageAbortedError");
  await server.waitForEvent("session.error", { sessionID: session.id });
});

test("a reply that is cut in the middle is asked for again", async () => {
  const gate = model.gate();
  model.expect("story").reply("Once upon").wait(gate).drop().then.reply("The whole story.");
  const session = await server.session();
  const answer = session.prompt("story");
  await server.waitForEvent("message.part.delta", { sessionID: session.id });
  gate.open();
  const retry = await server.waitForEvent(isRetry, { sessionID: session.id });
  expect(retry.properties).toMatchObject({ status: { attempt: 1 } });
  expect((await answer).text).toContain("The whole story.");
});

describe.each([429, 500, 503])("status %d", (status) => {
  test("is tried again when the provider says so", async () => {
    model.expect("hello").status(status, { retryAfter: 0 }).then.reply("welcome");
    const session = await server.session();
    const answer = await session.prompt("hello");
    expect(answer).toMatchObject({ text: "welcome", error: undefined });
    const { properties } = await server.waitForEvent(isRetry, { sessionID: session.id });
    expect(properties.status).toMatchObject({ type: "retry", message: expect.any(String) });
  });
});

test("a status that is nobody's hiccup ends the turn", async () => {
  model.expect("hello").status(401, { message: "who are you?" });
  expect((await server.ask("hello")).error).toMatchObject({ name: "APIError", data: { message: "who are you?" } });
});

test("a request that the script does not know ends the turn at once and fails the test", async () => {
  const answer = await server.ask("a surprise");
  expect(answer.error).toMatchObject({ name: "APIError", data: { statusCode: 400, isRetryable: false } });
  expect(model.prompts).toHaveLength(1);
  expect(() => model.verify()).toThrow(/\+ {3}user {4}"a surprise"\n\+ {3}tools {3}answer, bash, edit/);
});

test("titles are made without a script", async () => {
  model.expect("anything").reply("something");
  const { sessionID } = await server.ask("anything");
  const isTitled = ({ type, properties }: ServerEvent) =>
    type === "session.updated" && (properties.info as { title: string }).title === "Scripted title";
  await server.waitForEvent(isTitled, { sessionID });
  expect(errandsOf(sessionID)).toEqual(["title", undefined]);
});

test("a session with a title of its own asks for none", async () => {
  model.expect("anything").reply("something");
  const { sessionID } = await server.ask("anything", { title: "Mine" });
  expect(errandsOf(sessionID)).toEqual([undefined]);
});

test("usage and reasoning reach the session", async () => {
  model.expect("think").reason("let me see").reply("seen").usage({ input: 1000, output: 200, cacheRead: 50 });
  const answer = await server.ask("think");
  expect(answer.message.tokens).toMatchObject({ input: 1000, output: 200, cache: { read: 50 } });
  expect(answer.parts.find((part) => part.type === "reasoning")).toMatchObject({ text: "let me see" });
});

test("an agent that does not exist is an error, not an answer", async () => {
  await expect(server.ask("hello", { agent: "nobody" })).rejects.toThrow();
});

test("both generations of the client work", async () => {
  expect((await server.client.path.get()).data?.directory).toBe(project.dir);
  expect((await server.v1.path.get()).data?.directory).toBe(project.dir);
});

test("a wait for an event that does not come lists the newest ones", async () => {
  model.expect("hello").reply("hi");
  const { sessionID } = await server.ask("hello");
  const wait = server.waitForEvent("session.deleted", { sessionID, deadline: 1 });
  await expect(wait).rejects.toThrow(new RegExp(`No session.deleted of ${sessionID} within 1 ms[\\s\\S]*session.idle`));
});

test("a mark separates old events from new ones", async () => {
  model.expect("one").reply("1");
  model.expect("two").reply("2");
  const session = await server.session();
  await session.prompt("one");
  const after = server.events.length;
  await session.prompt("two");
  const idle = await server.waitForEvent("session.idle", { sessionID: session.id, after });
  expect(server.events.indexOf(idle)).toBeGreaterThanOrEqual(after);
});

function errandsOf(sessionID: string): (string | undefined)[] {
  return model.requests.flatMap(({ session, side }) => (session === sessionID ? [side] : [])).sort();
}

function isRetry({ type, properties }: ServerEvent): boolean {
  return type === "session.status" && (properties.status as { type: string }).type === "retry";
}

function offersTool(name: string): (request: { tools: readonly { name: string }[] }) => boolean {
  return (request) => request.tools.some((tool) => tool.name === name);
}
