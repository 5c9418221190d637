import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { modelServer, wires } from "@atomic/testing/model-server";
import fc from "fast-check";
import { post, sentEvents } from "./model-client.ts";
import { wireSamples } from "./wire-samples.ts";

const paths = wires.map((wire) => wire.path);

/** JSON in which the fields that the wires read hold anything at all. */
const anyBody = fc.dictionary(
  fc.constantFrom("messages", "input", "system", "instructions", "tools", "model", "stream_options", "content", "role"),
  fc.oneof(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(
      fc.dictionary(
        fc.constantFrom("role", "content", "type", "text", "tool_calls", "function", "call_id", "output", "summary"),
        fc.oneof(fc.constantFrom("user", "assistant", "tool", "tool_result", "function_call"), fc.jsonValue()),
      ),
    ),
  ),
);

test("no body, however odd, breaks the server: each is answered and recorded", async () => {
  await using model = await modelServer();
  model.expect().reply("whatever").always();
  model.expect({ toolResult: /^/ }).reply("whatever").always();
  await fc.assert(
    fc.asyncProperty(anyBody, fc.constantFrom(...paths), fc.boolean(), async (body, path, stream) => {
      const before = model.requests.length;
      const response = await post(model, path, { ...body, stream });
      await response.text();
      expect(response.status).toBe(200);
      expect(model.requests).toHaveLength(before + 1);
    }),
    { numRuns: 300 },
  );
});

test.each(["", "{not json", "[]", "null", '"text"', "\u0000"])("the body %p is an unexpected request", async (body) => {
  await using model = await modelServer();
  model.expect().reply("whatever").always();
  const response = await fetch(`${model.v1}/chat/completions`, { method: "POST", body });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("not a JSON object") } });
  expect(model.requests).toMatchObject([{ method: "POST", path: "/v1/chat/completions", raw: body }]);
  expect(() => model.verify()).toThrow(
    `+ request #1  POST /v1/chat/completions\n+   The body is not a JSON object: ${JSON.stringify(body)}`,
  );
});

test.each([
  ["POST", "/v1/embeddings"],
  ["GET", "/v1/chat/completions"],
  ["DELETE", "/v1/models"],
])("%s %s, which is not served, is an unexpected request", async (method, path) => {
  await using model = await modelServer();
  const response = await fetch(`${model.url}${path}?a=b`, { method });
  expect(response.status).toBe(404);
  expect(model.requests).toMatchObject([{ method, path: `${path}?a=b`, wire: undefined, outcome: "unexpected" }]);
  expect(() => model.verify()).toThrow(
    `+ request #1  ${method} ${path}?a=b\n+   The scripted model has no ${method} ${path}`,
  );
});

test("listing models and counting tokens are side requests", async () => {
  await using model = await modelServer();
  await fetch(`${model.v1}/models`);
  const count = await fetch(`${model.v1}/messages/count_tokens`, { method: "POST", body: '{"messages":[]}' });
  expect(await count.json()).toEqual({ input_tokens: 4 });
  expect(model.requests).toMatchObject([
    { side: "models", outcome: "answered" },
    { side: "count-tokens", outcome: "answered" },
  ]);
  expect(model.prompts).toEqual([]);
});

describe.each(wires.map((wire) => wire.name))("over %s", (name) => {
  const { path, first, assistantText } = wireSamples[name];

  test("a long reply with every kind of character arrives unharmed", async () => {
    await using model = await modelServer();
    const text = 'line\r\n\n"quoted" \\ data: x\n\nevent: y\u2028\u0000\u{1f600}é'.repeat(20_000);
    model.expect("go").reply(text).times(2);
    const whole = assistantText(await (await post(model, path, first)).json());
    expect(whole === text).toBe(true); // toBe would print a megabyte
    const events = await sentEvents(await post(model, path, { ...first, stream: true }));
    const sent = JSON.stringify(text).slice(1, -1);
    expect(events.some(({ data }) => JSON.stringify(data).includes(sent))).toBe(true);
  });

  test("an empty reply is a valid one", async () => {
    await using model = await modelServer();
    model.expect("go").reply("").then.reply("").times(2);
    const events = await sentEvents(await post(model, path, { ...first, stream: true }));
    expect(events.length).toBeGreaterThanOrEqual(3);
    await (await post(model, path, first)).json();
    expect(() => model.verify()).toThrow("turn 2 was never asked for");
  });

  test("a client waiting for a whole reply can also give up", async () => {
    await using model = await modelServer();
    model.expect("go").reply("never sent").hang();
    const client = new AbortController();
    const waiting = post(model, path, first, { signal: client.signal });
    const request = await model.waitFor("go");
    client.abort();
    await expect(waiting).rejects.toThrow("abort");
    expect(await request.ended).toBe("aborted");
  });
});

test("a client that hangs up while sending its request does not fail the test", async () => {
  await using model = await modelServer();
  const { port } = new URL(model.url);
  const socket = connect(Number(port), "127.0.0.1");
  const head = "POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
  await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  socket.destroy();
  expect((await fetch(`${model.v1}/models`)).status).toBe(200);
  expect(model.prompts).toEqual([]);
});

test("a request that comes after the script was cleared does not fail the next test's script", async () => {
  await using model = await modelServer();
  const gate = model.gate();
  model.expect("go").wait(gate).reply("late");
  const late = post(model, "/v1/messages", wireSamples.messages.first);
  await gate.reached();
  model.verify();
  expect(model.requests).toEqual([]);
  gate.open();
  expect(await (await late).json()).toMatchObject({ content: [{ text: "late" }] });
});
