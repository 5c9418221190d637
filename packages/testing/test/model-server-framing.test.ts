import { expect, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";
import { post, sentEvents } from "./model-client.ts";
import { wireSamples } from "./wire-samples.ts";

test("chat completions are framed as OpenAI frames them", async () => {
  await using model = await modelServer();
  model.expect("go").reason("hm").reply("I look").tool("bash", { command: "ls" }).tool("read").usage({ cacheRead: 3 });
  const body = { ...wireSamples["chat-completions"].first, stream: true, stream_options: { include_usage: true } };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    event: undefined,
    data: {
      ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: "model-1" },
      choices: [{ index: 0, delta, finish_reason }],
    },
  });
  const call = (index: number, id: string, name: string) =>
    chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
  const args = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });
  expect(await sentEvents(await post(model, "/v1/chat/completions", body))).toEqual([
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "hm" }),
    chunk({ content: "I look" }),
    call(0, "call_1_2", "bash"),
    args(0, '{"command":"ls"}'),
    call(1, "call_1_3", "read"),
    args(1, "{}"),
    chunk({}, "tool_calls"),
    {
      event: undefined,
      data: {
        ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 0, model: "model-1", choices: [] },
        usage: {
          ...{ prompt_tokens: 13, completion_tokens: 5, total_tokens: 18 },
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 0 },
        },
      },
    },
    { event: undefined, data: "[DONE]" },
  ]);
});

test("chat completions report usage only to clients that asked for it", async () => {
  await using model = await modelServer();
  model.expect("go").reply("ok");
  const events = await sentEvents(
    await post(model, "/v1/chat/completions", { ...wireSamples["chat-completions"].first, stream: true }),
  );
  expect(JSON.stringify(events)).not.toContain("usage");
});

test("messages are framed as Anthropic frames them", async () => {
  await using model = await modelServer();
  model.expect("go").reason("hm").reply("I look").tool("bash", { command: "ls" }).usage({ input: 7, output: 9 });
  const event = (type: string, fields: object = {}) => ({ event: type, data: { type, ...fields } });
  const usage = (output_tokens: number) => ({
    ...{ input_tokens: 7, output_tokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  });
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "model-1", content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: usage(0) },
  };
  const start = (index: number, content_block: object) => event("content_block_start", { index, content_block });
  const delta = (index: number, fields: object) => event("content_block_delta", { index, delta: fields });
  const stop = (index: number) => event("content_block_stop", { index });
  const sent = await sentEvents(
    await post(model, "/v1/messages?beta=true", { ...wireSamples.messages.first, stream: true }),
  );
  expect(sent).toEqual([
    event("message_start", { message }),
    start(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "hm" }),
    delta(0, { type: "signature_delta", signature: "scripted" }),
    stop(0),
    start(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "I look" }),
    stop(1),
    start(2, { type: "tool_use", id: "call_1_2", name: "bash", input: {} }),
    delta(2, { type: "input_json_delta", partial_json: '{"command":"ls"}' }),
    stop(2),
    event("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: usage(9) }),
    event("message_stop"),
  ]);
});

test("a whole message holds the same blocks as a streamed one", async () => {
  await using model = await modelServer();
  model.expect("go").reason("hm").reply("I look").tool("bash", { command: "ls" });
  expect(await (await post(model, "/v1/messages", wireSamples.messages.first)).json()).toMatchObject({
    stop_reason: "tool_use",
    content: [
      { type: "thinking", thinking: "hm", signature: "scripted" },
      { type: "text", text: "I look" },
      { type: "tool_use", id: "call_1_2", name: "bash", input: { command: "ls" } },
    ],
  });
});

test("text that an agent puts beside a tool result is not a prompt", async () => {
  await using model = await modelServer();
  model.expect("go").tool("bash").then.reply("ok");
  await post(model, "/v1/messages", wireSamples.messages.first);
  const beside = {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "call_1_0", name: "bash", input: {} }] },
      { role: "system", content: "You have used 10 % of your budget." },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1_0", content: [{ type: "text", text: "a.txt" }] },
          { type: "text", text: "Remember the todo list." },
        ],
      },
    ],
  };
  expect(await (await post(model, "/v1/messages", beside)).json()).toMatchObject({ content: [{ text: "ok" }] });
  expect(model.requests[1]).toMatchObject({
    user: "go",
    system: "You have used 10 % of your budget.",
    toolResults: ["a.txt\nRemember the todo list."],
  });
});

test("responses are framed as OpenAI frames them", async () => {
  await using model = await modelServer();
  model.expect("go").reason("hm").reply("I look").tool("bash", { command: "ls" });
  const sent = await sentEvents(await post(model, "/v1/responses", { ...wireSamples.responses.first, stream: true }));
  const numbers = sent.map(({ data }) => (data as { sequence_number: number }).sequence_number);
  expect(numbers).toEqual(sent.map((_, index) => index));
  for (const { event, data } of sent) expect(event).toBe((data as { type: string }).type);
  const fields = sent.map(({ event, data }) => {
    const { type: _type, sequence_number: _number, response: _response, ...rest } = data as Record<string, unknown>;
    return [event, rest];
  });
  const reasoning = { item_id: "rs_1_0", output_index: 0, summary_index: 0 };
  const message = { item_id: "msg_1_1", output_index: 1, content_index: 0 };
  const call = { item_id: "fc_1_2", output_index: 2 };
  const text = (value: string) => ({ type: "output_text", text: value, annotations: [] });
  const summary = (value: string) => ({ type: "summary_text", text: value });
  const bash = { id: "fc_1_2", type: "function_call", call_id: "call_1_2", name: "bash" };
  expect(fields).toEqual([
    ["response.created", {}],
    ["response.in_progress", {}],
    ["response.output_item.added", { output_index: 0, item: { id: "rs_1_0", type: "reasoning", summary: [] } }],
    ["response.reasoning_summary_part.added", { ...reasoning, part: summary("") }],
    ["response.reasoning_summary_text.delta", { ...reasoning, delta: "hm" }],
    ["response.reasoning_summary_text.done", { ...reasoning, text: "hm" }],
    ["response.reasoning_summary_part.done", { ...reasoning, part: summary("hm") }],
    [
      "response.output_item.done",
      { output_index: 0, item: { id: "rs_1_0", type: "reasoning", summary: [summary("hm")] } },
    ],
    [
      "response.output_item.added",
      {
        output_index: 1,
        item: { id: "msg_1_1", type: "message", role: "assistant", status: "in_progress", content: [] },
      },
    ],
    ["response.content_part.added", { ...message, part: text("") }],
    ["response.output_text.delta", { ...message, delta: "I look" }],
    ["response.output_text.done", { ...message, text: "I look" }],
    ["response.content_part.done", { ...message, part: text("I look") }],
    [
      "response.output_item.done",
      {
        output_index: 1,
        item: { id: "msg_1_1", type: "message", role: "assistant", status: "completed", content: [text("I look")] },
      },
    ],
    ["response.output_item.added", { output_index: 2, item: { ...bash, arguments: "", status: "in_progress" } }],
    ["response.function_call_arguments.delta", { ...call, delta: '{"command":"ls"}' }],
    ["response.function_call_arguments.done", { ...call, arguments: '{"command":"ls"}' }],
    [
      "response.output_item.done",
      { output_index: 2, item: { ...bash, arguments: '{"command":"ls"}', status: "completed" } },
    ],
    ["response.completed", {}],
  ]);
});

test("a completed response equals the whole one", async () => {
  const reply = async (stream: boolean) => {
    await using model = await modelServer();
    model.expect("go").reason("hm").reply("I look").tool("bash", { command: "ls" }).usage({ reasoning: 2 });
    const response = await post(model, "/v1/responses", { ...wireSamples.responses.first, stream });
    return new Response(await response.text()); // read before the server is gone
  };
  const sent = await sentEvents(await reply(true));
  const whole = await (await reply(false)).json();
  expect(sent.at(-1)?.data).toMatchObject({ response: whole as object });
  expect(whole).toMatchObject({
    status: "completed",
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15, output_tokens_details: { reasoning_tokens: 2 } },
  });
});
