import type { Prompt, PromptMessage } from "../conversation.ts";
import type { ReplyTurn, TurnUsage } from "../turn.ts";
import {
  asObject,
  asObjects,
  asString,
  callsTools,
  type Encoder,
  frame,
  parseLoosely,
  type ReplyIdentity,
  type SpokenPart,
  spokenParts,
  type Wire,
  type WireJson,
  type WireObject,
} from "../wire.ts";

/** Anthropic messages: what Claude Code speaks. */
export const messages: Wire = {
  name: "messages",
  path: "/v1/messages",
  parse,
  stream,
  whole: (reply, turn) => ({
    ...envelope(reply, turn.usage),
    content: blocks(turn),
    stop_reason: stopReason(turn),
    usage: usageOf(turn.usage),
  }),
  error: (status, message) => ({ type: "error", error: { type: errorType(status), message } }),
};

function parse(body: WireObject): Prompt {
  const turns = asObjects(body.messages);
  // Claude Code also sends `role: "system"` in the middle of a conversation.
  const systems = turns.filter((turn) => turn.role === "system").map((turn) => textOf(turn.content));
  return {
    model: asString(body.model),
    system: [textOf(body.system), ...systems].join("\n\n").trim(),
    messages: turns.filter((turn) => turn.role !== "system").flatMap(parseMessage),
    tools: asObjects(body.tools).map((tool) => ({
      name: asString(tool.name),
      description: asString(tool.description),
      parameters: tool.input_schema,
    })),
    stream: body.stream === true,
  };
}

function parseMessage(message: WireObject): PromptMessage[] {
  const content = message.content;
  const parts = asObjects(content);
  if (message.role === "assistant") {
    const toolCalls = parts
      .filter((part) => part.type === "tool_use")
      .map((part) => ({ id: asString(part.id), name: asString(part.name), args: part.input }));
    const reasoning = parts.map((part) => asString(part.thinking)).join("");
    return [{ role: "assistant", text: textOf(content), reasoning, toolCalls }];
  }
  const results = parts.filter((part) => part.type === "tool_result");
  if (results.length === 0) return [{ role: "user", text: textOf(content) }];
  // Text beside a tool result is the agent's own reminder, not something a person typed: it belongs to the last result.
  return results.map((part, index) => {
    const beside = index === results.length - 1 ? textOf(content) : "";
    const text = [textOf(part.content), beside].filter((piece) => piece !== "").join("\n");
    return { role: "tool", callId: asString(part.tool_use_id), text };
  });
}

function textOf(content: WireJson | undefined): string {
  if (typeof content === "string") return content;
  return asObjects(content)
    .filter((part) => part.type === "text")
    .map((part) => asString(part.text))
    .join("\n");
}

function stream(reply: ReplyIdentity): Encoder {
  const event = (type: string, fields: object) => frame({ type, ...fields }, type);
  let index = -1;
  let open: SpokenPart["kind"] | undefined;
  const delta = (fields: object) => event("content_block_delta", { index, delta: fields });
  const close = () => {
    if (open === undefined) return [];
    const signature = open === "reasoning" ? [delta({ type: "signature_delta", signature: "scripted" })] : [];
    return [...signature, event("content_block_stop", { index })];
  };
  const openBlock = (part: SpokenPart): string[] => {
    // Pieces of the same text go into one block; every tool call is a block of its own.
    if (part.kind === open && part.kind !== "tool") return [];
    const closing = close();
    index += 1;
    open = part.kind;
    return [...closing, event("content_block_start", { index, content_block: emptyBlock(part) })];
  };
  return {
    start: (usage) => [event("message_start", { message: envelope(reply, { ...usage, output: 0 }) })],
    part: (part) => [...openBlock(part), delta(deltaOf(part))],
    finish: (turn) => [
      ...close(),
      event("message_delta", {
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        usage: usageOf(turn.usage),
      }),
      event("message_stop", {}),
    ],
  };
}

function deltaOf(part: SpokenPart): object {
  switch (part.kind) {
    case "text":
      return { type: "text_delta", text: part.text };
    case "reasoning":
      return { type: "thinking_delta", thinking: part.text };
    case "tool":
      return { type: "input_json_delta", partial_json: part.args };
  }
}

function emptyBlock(part: SpokenPart): object {
  switch (part.kind) {
    case "text":
      return { type: "text", text: "" };
    case "reasoning":
      return { type: "thinking", thinking: "", signature: "" };
    case "tool":
      return { type: "tool_use", id: part.id, name: part.name, input: {} };
  }
}

/** Content of a whole message: neighbouring pieces of text are one block, as in the stream. */
function blocks(turn: ReplyTurn): object[] {
  const merged: SpokenPart[] = [];
  for (const part of spokenParts(turn)) {
    const last = merged.at(-1);
    if (last && last.kind === part.kind && last.kind !== "tool" && part.kind !== "tool") {
      merged[merged.length - 1] = { kind: last.kind, text: last.text + part.text };
    } else merged.push(part);
  }
  return merged.map((part) => {
    if (part.kind === "text") return { type: "text", text: part.text };
    if (part.kind === "reasoning") return { type: "thinking", thinking: part.text, signature: "scripted" };
    return { type: "tool_use", id: part.id, name: part.name, input: asObject(parseLoosely(part.args)) };
  });
}

function envelope(reply: ReplyIdentity, usage: TurnUsage): object {
  return {
    id: `msg_${reply.number}`,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(usage),
  };
}

function stopReason(turn: ReplyTurn): string {
  return callsTools(turn) ? "tool_use" : "end_turn";
}

function usageOf(usage: TurnUsage): object {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
}

function errorType(status: number): string {
  if (status === 429) return "rate_limit_error";
  if (status === 529) return "overloaded_error";
  return status >= 500 ? "api_error" : "invalid_request_error";
}
