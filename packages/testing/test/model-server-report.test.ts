import { expect, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { Conversation, failure, post } from "./model-client.ts";

test("an unexpected request is refused without a reason to retry, and fails the test with a diff", async () => {
  const model = await modelServer();
  model.expect(/gate/).reply("PASS");
  model.expect("known").tool("bash", { command: "ls" }).then.reply("ok").always();
  const body = {
    messages: [{ role: "user", content: "what is this" }],
    tools: [{ function: { name: "bash" } }, { function: { name: "edit" } }],
  };
  const response = await post(model, "/v1/chat/completions", body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { message: expect.stringContaining("The script does not expect this request") },
  });
  expect(await failure(() => model[Symbol.asyncDispose]())).toBe(
    `The model's script does not fit what happened: 1 request that no expectation matches, 1 expectation not used up.

+ request #1  chat-completions, model model-1
+   user    "what is this"
+   tools   bash, edit
+   not user /gate/: user is "what is this"
+   not user "known": user is "what is this"

- user /gate/: reply "PASS" (used 0 of 1)
  user "known": tool bash → reply "ok" (used 0, always welcome)`,
  );
});

test.each([
  [{ system: /reviewer/, user: "look" }, 'system /reviewer/, user "look"', 'system is "You are a painter."'],
  [{ user: "look", model: "other" }, 'user "look", model "other"', 'model is "model-1"'],
  [{ user: "look", toolResult: "seen" }, 'user "look", toolResult "seen"', "it brings no tool result"],
  [{ user: "look", side: "title" }, 'user "look", side "title"', "it is not that side request"],
  [{ user: "look", where: () => false }, 'user "look", where …', "where … says no"],
])("the expectation's field that did not match is named: %#", async (match, name, reason) => {
  await using model = await modelServer();
  model.expect(match).reply("looked");
  const talk = new Conversation(model);
  talk.history.push({ role: "system", content: "You are a painter." });
  await talk.say("look");
  const message = await failure(() => model.verify());
  expect(message).toContain(`\n+   not ${name}: ${reason}\n`);
});

test("a tool result that fits no conversation is not taken for a fresh prompt", async () => {
  await using model = await modelServer();
  model.expect("go").tool("bash").times(2);
  const talk = new Conversation(model);
  await talk.say("go");
  await talk.return("a result that nobody waits for");
  const message = await failure(() => model.verify());
  expect(message).toContain('+   not user "go": it brings the tool result "a result that nobody waits for"');
});

test("a conversation under way says that it was not continued", async () => {
  await using model = await modelServer();
  model.expect("go").tool("bash").then.reply("done");
  await new Conversation(model, "one").say("go");
  await new Conversation(model, "two").say("go");
  expect(await failure(() => model.verify())).toContain(
    '+   not user "go": its conversation is under way elsewhere, at turn 2',
  );
});

test("a long value is cut where a field did not fit", async () => {
  await using model = await modelServer();
  model.expect({ system: "painter" }).reply("looked");
  const talk = new Conversation(model);
  talk.history.push({ role: "system", content: "x".repeat(1000) });
  await talk.say("look");
  expect(await failure(() => model.verify())).toContain(`system is "${"x".repeat(200)}…"`);
});

test("a turn that is skipped is refused where it is written", async () => {
  await using model = await modelServer();
  const script = model.expect("go").reply("one");
  expect(() => script.then.then.reply("three")).toThrow(
    'Turn 3 of the conversation of user "go" is scripted, but turn 2 is empty: say something before each `.then`.',
  );
  expect(() => model.expect("stop").then.reply("two")).toThrow("Turn 2");
  await new Conversation(model).say("go");
  expect(await failure(() => model.verify())).toContain('user "stop": nothing scripted');
});

test("an unused expectation fails the test", async () => {
  const model = await modelServer();
  model
    .expect({ user: "hello", system: /reviewer/ })
    .status(500)
    .then.hang();
  expect(await failure(() => model[Symbol.asyncDispose]())).toBe(
    `The model's script does not fit what happened: 1 expectation not used up.

- user "hello", system /reviewer/: status 500 → hang (used 0 of 1)`,
  );
});

test("a conversation that stops halfway fails the test", async () => {
  await using model = await modelServer();
  model.expect("go").tool("bash").then.reply("done");
  await new Conversation(model).say("go");
  expect(await failure(() => model.verify())).toContain(
    '- user "go": tool bash → reply "done" (turn 2 was never asked for)',
  );
});

test("an expectation without a reply says so instead of answering nothing", async () => {
  await using model = await modelServer();
  model.expect("go");
  expect((await new Conversation(model).say("go")).status).toBe(400);
  expect(await failure(() => model.verify())).toContain('user "go": nothing scripted, add .reply("…")');
});

test("unused expectations pass where they are allowed, unexpected requests do not", async () => {
  const model = await modelServer({ allowUnused: true });
  model.expect("never").reply("x");
  model.verify();
  await new Conversation(model).say("surprise");
  expect(await failure(() => model[Symbol.asyncDispose]())).toContain('+   user    "surprise"');
});

test("verify forgets everything before the next test", async () => {
  await using model = await modelServer();
  model.expect("old").reply("x");
  expect(await failure(() => model.verify())).toContain("1 expectation not used up");
  expect(model.requests).toEqual([]);
  model.verify();
  model.expect("new").reply("y");
  expect((await new Conversation(model).say("new")).text).toBe("y");
  expect(model.requests.map((request) => request.user)).toEqual(["new"]);
});

test("an error in a script is reported as the script's error", async () => {
  await using model = await modelServer();
  model.expect("go").reply(() => {
    throw new Error("no such tool result");
  });
  expect(await new Conversation(model).say("go")).toMatchObject({ status: 400 });
  expect(await model.requests[0]?.ended).toBe("failed");
  try {
    model.verify();
    throw new Error("verify must throw");
  } catch (error) {
    expect((error as Error).message).toBe("The model's script threw while it answered.");
    expect((error as { cause?: Error }).cause?.message).toBe("no such tool result");
  }
});

test("long texts are cut in the report", async () => {
  await using model = await modelServer();
  await new Conversation(model).say("x".repeat(1000));
  const message = await failure(() => model.verify());
  expect(message).toContain(`"${"x".repeat(200)}…"`);
  expect(message).toContain("  Nothing was expected.");
});
