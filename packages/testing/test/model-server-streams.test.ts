import { expect, test } from "bun:test";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { Conversation, post } from "./model-client.ts";

const prompt = (text: string) => ({ stream: true, messages: [{ role: "user", content: text }] });

async function stream(model: ModelServer, text: string, signal?: AbortSignal): Promise<StreamReader> {
  const response = await post(model, "/v1/chat/completions", prompt(text), signal ? { signal } : {});
  if (!response.body) throw new Error("A streamed reply has a body.");
  return new StreamReader(response.body);
}

/** Reads a streamed reply as far as a test wants it. */
class StreamReader {
  text = "";
  readonly #reader: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) if (await this.#next()) throw new Error(`Ended without ${part}: ${this.text}`);
  }

  async toEnd(): Promise<void> {
    while (!(await this.#next()));
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    this.text += new TextDecoder().decode(value);
    return done;
  }
}

test("a slow reply moves on when the test says so, chunk by chunk", async () => {
  await using model = await modelServer();
  const gate = model.gate();
  model.expect("go").slow(["one ", "two ", "three"], gate);
  const reply = await stream(model, "go");
  await gate.reached();
  expect(reply.text).not.toContain("one");
  gate.release();
  await reply.until("one ");
  await gate.reached();
  expect(reply.text).not.toContain("two");
  gate.release(2);
  await reply.until("[DONE]");
  expect(reply.text).toContain("three");
});

test("an open gate lets every stream pass", async () => {
  await using model = await modelServer();
  const gate = model.gate();
  model.expect("go").wait(gate).reply("went").times(3);
  const replies = [1, 2, 3].map(() => new Conversation(model).say("go"));
  await gate.reached();
  gate.open();
  expect((await Promise.all(replies)).map((reply) => reply.text)).toEqual(["went", "went", "went"]);
});

test("replies can be let go in another order than they were asked for", async () => {
  await using model = await modelServer();
  const [first, second] = [model.gate(), model.gate()];
  model.expect("first").wait(first).reply("1");
  model.expect("second").wait(second).reply("2");
  const order: string[] = [];
  const ask = async (text: string) => order.push((await new Conversation(model).say(text)).text);
  const asked = [ask("first"), ask("second")];
  await Promise.all([first.reached(), second.reached()]);
  second.open();
  await asked[1];
  first.open();
  await asked[0];
  expect(order).toEqual(["2", "1"]);
});

test("a client that closes a hanging stream is noticed", async () => {
  await using model = await modelServer();
  model.expect("go").reply("so far").hang();
  const client = new AbortController();
  const reply = await stream(model, "go", client.signal);
  await reply.until("so far");
  const [request] = model.requests;
  expect(request?.outcome).toBeUndefined();
  client.abort();
  expect(await request?.ended).toBe("aborted");
  expect(await model.waitFor((candidate) => candidate.aborted)).toBe(request as never);
});

test("a client that goes away at a gate is noticed, and the gate is free for others", async () => {
  await using model = await modelServer();
  const gate = model.gate();
  model.expect("go").slow(["never"], gate).then.reply("never either");
  model.expect("other").slow(["mine"], gate);
  const client = new AbortController();
  const reply = await stream(model, "go", client.signal);
  await gate.reached();
  client.abort();
  await model.waitFor((request) => request.aborted);
  await reply.toEnd().catch((error: Error) => expect(error.name).toBe("AbortError"));
  gate.release();
  expect((await new Conversation(model).say("other")).text).toBe("mine");
  expect(() => model.verify()).toThrow("turn 2 was never asked for");
});

test("a client that gave up on a reply and asks again gets the next turn", async () => {
  await using model = await modelServer();
  const gate = model.gate();
  model.expect("go").slow(["never"], gate).then.reply("at last");
  const client = new AbortController();
  const givingUp = stream(model, "go", client.signal).then((reply) => reply.toEnd());
  await gate.reached();
  client.abort();
  await expect(givingUp).rejects.toThrow("abort");
  await model.waitFor((request) => request.aborted);
  expect((await new Conversation(model).say("go")).text).toBe("at last");
});

test("a dropped connection delivers the text so far and then breaks", async () => {
  await using model = await modelServer();
  const gate = model.gate();
  model.expect("go").reply("half of it").wait(gate).drop();
  const reply = await stream(model, "go");
  await reply.until("half of it");
  gate.open();
  await expect(reply.toEnd()).rejects.toThrow();
  expect(reply.text).not.toContain("[DONE]");
  expect(model.requests[0]?.outcome).toBe("dropped");
});

test("a dropped connection also breaks an unstreamed reply", async () => {
  await using model = await modelServer();
  model.expect("go").reply("never seen").drop().then.reply("second try");
  const talk = new Conversation(model);
  await expect(talk.say("go")).rejects.toThrow();
  expect((await talk.send()).text).toBe("second try");
});

test("a client that keeps the torn half of a reply is still in its conversation", async () => {
  await using model = await modelServer();
  model.expect("go").reply("half").drop().then.reply("the rest");
  const talk = new Conversation(model);
  await (await stream(model, "go")).toEnd().catch(() => undefined);
  talk.history.push({ role: "user", content: "go" }, { role: "assistant", content: "half" });
  expect((await talk.say("go on")).text).toBe("the rest");
});

test.each([
  [429, { retryAfter: 0 }, { "retry-after": "0", "retry-after-ms": "0" }],
  [429, { retryAfter: 1.5 }, { "retry-after": "2", "retry-after-ms": "1500" }],
  [503, {}, { "retry-after": null, "retry-after-ms": null }],
])("status %d with %p carries the headers of real providers", async (status, options, headers) => {
  await using model = await modelServer();
  model.expect("go").status(status, options).then.reply("better now");
  const response = await post(model, "/v1/chat/completions", prompt("go"));
  expect(response.status).toBe(status);
  for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value);
  expect(await response.json()).toMatchObject({ error: { message: `Scripted failure ${status}` } });
  const talk = new Conversation(model);
  expect((await talk.say("go")).text).toBe("better now");
  expect(model.requests.map((request) => request.outcome)).toEqual(["failed", "answered"]);
});

test("a failure can carry its own message", async () => {
  await using model = await modelServer();
  model.expect("go").status(402, { message: "insufficient credit" });
  expect((await new Conversation(model).say("go")).text).toContain("insufficient credit");
});

test("a server that is disposed while it streams does not blame the client", async () => {
  const model = await modelServer();
  model.expect("go").reply("so far").hang();
  const reply = await stream(model, "go");
  await reply.until("so far");
  const [request] = model.requests;
  await model[Symbol.asyncDispose]();
  expect(await request?.ended).toBe("closed");
  await expect(reply.toEnd()).rejects.toThrow();
});
