import { describe, expect, test } from "bun:test";
import type { RecordedRequest } from "@atomic/testing/model/recording";
import { modelServer, wires } from "@atomic/testing/model-server";
import { post, type SentEvent, sentEvents } from "./model-client.ts";
import { schema, wireSamples } from "./wire-samples.ts";

describe.each(wires.map((wire) => wire.name))("over %s", (name) => {
  const sample = wireSamples[name];

  test("a conversation is understood in the one shape that scripts and tests see", async () => {
    await using model = await modelServer();
    model.expect("go").reason("hm").reply("I look").tool("bash", { command: "ls" }).then.reply("one file");
    await (await post(model, sample.path, { ...sample.first, stream: true })).text();
    await (await post(model, sample.path, { ...sample.second, stream: true })).text();
    const shape = ({ wire, path, model: id, system, messages, tools, stream, user, toolResults }: RecordedRequest) => ({
      ...{ wire, path, id, system, messages, tools, stream, user, toolResults },
    });
    const common = {
      ...{ wire: name, path: sample.path, id: "model-1", system: "Be brief.", stream: true, user: "go" },
      tools: [{ name: "bash", description: "Runs", parameters: schema }],
    } as const;
    const call = { id: "call_1_2", name: "bash", args: { command: "ls" } };
    expect(model.requests.map(shape)).toEqual([
      { ...common, messages: [{ role: "user", text: "go" }], toolResults: [] },
      {
        ...common,
        messages: [
          { role: "user", text: "go" },
          { role: "assistant", text: "I look", reasoning: "hm", toolCalls: [call] },
          { role: "tool", callId: "call_1_2", text: "a.txt" },
        ],
        toolResults: ["a.txt"],
      },
    ]);
  });

  test("pieces of a slow text are one text, streamed or whole", async () => {
    await using model = await modelServer();
    const gate = model.gate();
    gate.open();
    model.expect("go").slow(["a ", "b ", "c"], gate).times(2);
    const whole = await (await post(model, sample.path, sample.first)).json();
    expect(sample.assistantText(whole)).toBe("a b c");
    const events = await sentEvents(await post(model, sample.path, { ...sample.first, stream: true }));
    expect(pieces(events)).toEqual(["a ", "b ", "c"]);
    const openings = ["content_block_start", "response.output_item.added"];
    expect(events.filter(({ event }) => openings.includes(event ?? "")).length).toBeLessThanOrEqual(1);
  });

  test("a failure has the error body of this wire", async () => {
    await using model = await modelServer();
    model.expect("go").status(429).then.status(500);
    const errors = [
      await (await post(model, sample.path, sample.first)).json(),
      await (await post(model, sample.path, sample.first)).json(),
    ];
    expect(errors).toMatchObject([
      {
        error: {
          message: "Scripted failure 429",
          type: name === "messages" ? "rate_limit_error" : "invalid_request_error",
        },
      },
      { error: { message: "Scripted failure 500", type: name === "messages" ? "api_error" : "server_error" } },
    ]);
  });

  test("streams are served as events and whole replies as JSON", async () => {
    await using model = await modelServer();
    model.expect("go").reply("ok").times(2);
    const streamed = await post(model, sample.path, { ...sample.first, stream: true });
    expect(streamed.headers.get("content-type")).toBe("text/event-stream");
    await streamed.text();
    const whole = await post(model, sample.path, sample.first);
    expect(whole.headers.get("content-type")).toBe("application/json");
    expect(sample.assistantText(await whole.json())).toBe("ok");
  });
});

/** The text deltas of any wire. */
function pieces(events: readonly SentEvent[]): string[] {
  return events.flatMap(({ data }) => {
    const { choices, type, delta } = data as {
      choices?: [{ delta: { content?: string } }];
      type?: string;
      delta?: string | { text?: string };
    };
    const text = choices?.[0]?.delta.content ?? (typeof delta === "string" ? delta : delta?.text);
    return text && (type === undefined || /text/.test(type) || type === "content_block_delta") ? [text] : [];
  });
}
