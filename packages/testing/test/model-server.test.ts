import { expect, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { Conversation } from "./model-client.ts";

test("a prompt that matches gets the scripted reply", async () => {
  await using model = await modelServer();
  model.expect(/fix the bug/).reply("done");
  expect(await new Conversation(model).say("please fix the bug")).toMatchObject({ status: 200, text: "done" });
});

test("a string matches anywhere in the newest user text", async () => {
  await using model = await modelServer();
  model.expect("second").reply("two");
  model.expect("first").reply("one");
  const talk = new Conversation(model);
  expect((await talk.say("the first thing")).text).toBe("one");
  expect((await talk.say("the second thing")).text).toBe("two");
});

test("tool calls and their results make one conversation", async () => {
  await using model = await modelServer();
  model
    .expect("list")
    .tool("bash", { command: "ls" })
    .then.reply((request) => `saw ${request.toolResults}`);
  const talk = new Conversation(model);
  const { calls } = await talk.say("list the files");
  expect(calls).toMatchObject([{ name: "bash", args: '{"command":"ls"}' }]);
  expect((await talk.return("a.txt")).text).toBe("saw a.txt");
});

test("one turn may reason, speak and call several tools", async () => {
  await using model = await modelServer();
  model.expect("go").reason("hm").reply("both").tool("read", { path: "a" }).tool("read", "not json").then.reply("ok");
  const talk = new Conversation(model);
  const { text, calls } = await talk.say("go");
  expect(text).toBe("both");
  expect(calls.map((call) => call.args)).toEqual(['{"path":"a"}', "not json"]);
  expect(new Set(calls.map((call) => call.id)).size).toBe(2);
  expect((await talk.return("A", "B")).text).toBe("ok");
  expect(model.requests.at(-1)?.toolResults).toEqual(["A", "B"]);
});

test("tool arguments can be made from what the client sent", async () => {
  await using model = await modelServer();
  model
    .expect("go")
    .tool("start")
    .then.tool("stop", (request) => ({ id: request.toolResults[0] }))
    .then.reply("stopped");
  const talk = new Conversation(model);
  await talk.say("go");
  expect((await talk.return("task-7")).calls).toMatchObject([{ args: '{"id":"task-7"}' }]);
  expect((await talk.return("bye")).text).toBe("stopped");
});

test("a conversation continues with the next prompt of the same session", async () => {
  await using model = await modelServer();
  model.expect("gate").reply("PASS").then.reply("and then");
  const talk = new Conversation(model);
  await talk.say("gate one");
  expect((await talk.say("whatever comes next")).text).toBe("and then");
});

test("sessions with the same prompt do not disturb each other", async () => {
  await using model = await modelServer();
  model.expect("go").tool("step", { of: "first" }).then.reply("first done");
  model.expect("go").tool("step", { of: "second" }).then.reply("second done");
  const [first, second] = [new Conversation(model), new Conversation(model)];
  await first.say("go");
  await second.say("go");
  expect((await second.return("x")).text).toBe("second done");
  expect((await first.return("x")).text).toBe("first done");
});

test("a session header distinguishes a new session from a retry", async () => {
  await using model = await modelServer();
  model.expect("go").status(500).then.reply("after a failure");
  model.expect("go").reply("straight");
  const [failing, other] = [new Conversation(model, "ses_1"), new Conversation(model, "ses_2")];
  expect((await failing.say("go")).status).toBe(500);
  expect((await other.say("go")).text).toBe("straight");
  expect((await failing.send()).text).toBe("after a failure");
});

test("many conversations at once each keep their own place", async () => {
  await using model = await modelServer();
  model.expect("count").tool("one").then.tool("two").then.reply("three").times(20);
  const talks = Array.from({ length: 20 }, (_, index) => new Conversation(model, `ses_${index}`));
  const steps = talks.map(async (talk) => {
    const one = (await talk.say("count")).calls[0]?.name;
    const two = (await talk.return("1")).calls[0]?.name;
    return [one, two, (await talk.return("2")).text];
  });
  expect(await Promise.all(steps)).toEqual(talks.map(() => ["one", "two", "three"]));
});

test("a conversation can happen the given number of times, then no more", async () => {
  await using model = await modelServer();
  model.expect("hi").reply("hello").times(2);
  expect((await new Conversation(model).say("hi")).text).toBe("hello");
  expect((await new Conversation(model).say("hi")).text).toBe("hello");
  expect((await new Conversation(model).say("hi")).status).toBe(400);
  expect(() => model.verify()).toThrow("1 request that no expectation matches");
});

test("always matches any number of times, including never", async () => {
  await using model = await modelServer();
  model.expect("hi").reply("hello").always();
  model.expect("nobody asks").reply("x").always();
  for (let round = 0; round < 3; round++) expect((await new Conversation(model).say("hi")).text).toBe("hello");
});

test("a tool result never starts a conversation by its old prompt", async () => {
  await using model = await modelServer();
  model.expect("go").tool("again").always();
  const talk = new Conversation(model);
  await talk.say("go");
  expect((await talk.return("x")).status).toBe(400);
  expect(() => model.verify()).toThrow('result  "x"');
});

test("a conversation can start with a tool result", async () => {
  await using model = await modelServer();
  model.expect({ toolResult: /exit 1/ }).reply("it failed");
  const talk = new Conversation(model);
  talk.history.push(
    { role: "user", content: "go" },
    { role: "assistant", content: "", tool_calls: [{ id: "old", function: { name: "bash", arguments: "{}" } }] },
    { role: "tool", tool_call_id: "old", content: "exit 1" },
  );
  expect((await talk.send()).text).toBe("it failed");
});

test("system text, model and a predicate narrow a match", async () => {
  await using model = await modelServer();
  model.expect({ system: /reviewer/ }).reply("by system");
  model.expect({ model: "another" }).reply("never").always();
  model.expect({ where: (request) => request.messages.length === 1 }).reply("by predicate");
  const talk = new Conversation(model);
  expect((await talk.say("hi")).text).toBe("by predicate");
  talk.history.unshift({ role: "system", content: "You are a reviewer." });
  expect((await talk.say("hi")).text).toBe("by system");
});

test("an agent's own reminders are not what the user typed", async () => {
  await using model = await modelServer();
  model.expect("typed").reply("ok");
  const reply = await new Conversation(model).say("typed<system-reminder>use the todo tool</system-reminder>");
  expect(reply.text).toBe("ok");
  expect(model.requests[0]?.user).toBe("typed");
  expect(model.requests[0]?.messages).toEqual([
    { role: "user", text: "typed<system-reminder>use the todo tool</system-reminder>" },
  ]);
});

test("the time that Copilot puts before a prompt is not what the user typed", async () => {
  await using model = await modelServer();
  model.expect(/^typed$/).reply("ok");
  const reply = await new Conversation(model).say(
    "<current_datetime>2026-01-01T00:00:00.000Z</current_datetime>\n\ntyped\n\n<system-reminder>a</system-reminder>",
  );
  expect(reply.text).toBe("ok");
});

test("a client's own side requests need no script and are recorded by name", async () => {
  await using model = await modelServer({
    sideRequests: [{ name: "ping", matches: (prompt) => prompt.system === "ping", reply: "pong" }],
  });
  const title = new Conversation(model, undefined, "opencode/1.18.33");
  title.history.push({ role: "system", content: "You are a title generator. You output ONLY a thread title." });
  expect((await title.say("hello")).text).toBe("Scripted title");
  const ping = new Conversation(model);
  ping.history.push({ role: "system", content: "ping" });
  expect((await ping.say("hello")).text).toBe("pong");
  expect(model.requests.map((request) => request.side)).toEqual(["title", "ping"]);
  expect(model.prompts).toEqual([]);
});

test("a test can also script a side request", async () => {
  await using model = await modelServer();
  model.expect("hello").reply("hi");
  model.expect({ side: "title", user: "hello" }).reply("Greeting");
  const title = new Conversation(model, undefined, "opencode/1.18.33");
  title.history.push({ role: "system", content: "You are a title generator." });
  expect((await title.say("hello")).text).toBe("Greeting");
  expect((await new Conversation(model).say("hello")).text).toBe("hi");
});

test("a script is not a promise: awaiting it adds no turn", async () => {
  await using model = await modelServer();
  const script = await Promise.resolve(model.expect("hi").reply("hello"));
  script.usage({ output: 7 });
  expect((await new Conversation(model).say("hi")).text).toBe("hello");
});

test("every request is recorded in one shape", async () => {
  await using model = await modelServer();
  model.expect("go").tool("bash", { command: "ls" }).then.reply("ok");
  const talk = new Conversation(model, "ses_1");
  talk.history.push({ role: "system", content: "Be brief." });
  const { calls } = await talk.say("go");
  await talk.return("a.txt");
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]).toMatchObject({
    number: 2,
    wire: "chat-completions",
    path: "/v1/chat/completions",
    session: "ses_1",
    model: "model-1",
    system: "Be brief.",
    user: "go",
    toolResults: ["a.txt"],
    stream: false,
    side: undefined,
    outcome: "answered",
    aborted: false,
    messages: [
      { role: "user", text: "go" },
      { role: "assistant", text: "", toolCalls: [{ id: calls[0]?.id, name: "bash", args: { command: "ls" } }] },
      { role: "tool", callId: calls[0]?.id, text: "a.txt" },
    ],
  });
});

test("a test can wait for a request that has come and for one that will", async () => {
  await using model = await modelServer();
  model
    .expect(/one|two/)
    .reply("ok")
    .times(2);
  const future = model.waitFor("two");
  await new Conversation(model).say("one");
  expect((await model.waitFor(/one/)).number).toBe(1);
  await new Conversation(model).say("two");
  expect((await future).number).toBe(2);
});

test("a wait that fails says what came instead", async () => {
  await using model = await modelServer();
  model.expect("one").reply("ok");
  await new Conversation(model).say("one");
  await expect(model.waitFor("two", { deadline: 1 })).rejects.toThrow('#1 "one" answered');
});

test("the models it offers read as both an OpenAI and an Anthropic list", async () => {
  await using model = await modelServer({ models: ["small", "large"] });
  const list = (await (await fetch(`${model.v1}/models`)).json()) as { data: object[] };
  expect(list).toMatchObject({ object: "list", has_more: false, first_id: "small", last_id: "large" });
  expect(list.data).toMatchObject([
    { id: "small", object: "model", type: "model" },
    { id: "large", object: "model", type: "model" },
  ]);
});

test("it counts tokens for clients that ask", async () => {
  await using model = await modelServer();
  const counted = await fetch(`${model.v1}/messages/count_tokens?beta=true`, { method: "POST", body: "x".repeat(400) });
  expect(await counted.json()).toEqual({ input_tokens: 100 });
});
