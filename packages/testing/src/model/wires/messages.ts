import type { PromptMessage } from "../conversation.ts";
import type { TurnUsage } from "../turn.ts";
import {
  asObject,
  asObjects,
  asString,
  callsTools,
  frame,
  parseLoosely,
  type ReplyIdentity,
  type SpokenPart,
  spokenParts,
  textOf,
  type Wire,
  type WireObject,
} from "../wire.ts";

/** Anthropic messages: what Claude Code speaks. */
export const messages: Wire = {
  name: "messages",
  path: "/v1/messages",
  parse: (body) => {
    const turns = asObjects(body.messages);
    // Claude Code also sends `role: "system"` in the middle of a conversation.
    const systems = turns.filter((turn) => turn.role === "system").map((turn) => textOf(turn.content, isText));
    return {
      model: asString(body.model),
      system: [textOf(body.system, isText), ...systems].join("\n\n").trim(),
      messages: turns
        .filter((turn) => turn.role !== "system")
        .flatMap(({ role, content }): PromptMessage[] => {
          const parts = asObjects(content);
          const text = textOf(content, isText);
          if (role === "assistant") {
            const toolCalls = parts
              .filter((part) => part.type === "tool_use")
              .map((part) => ({ id: asString(part.id), name: asString(part.name), args: part.input }));
            const reasoning = parts.map((part) => asString(part.thinking)).join("");
            return [{ role: "assistant", text, reasoning, toolCalls }];
          }
          const results = parts.filter((part) => part.type === "tool_result");
          if (results.length === 0) return [{ role: "user", text }];
          // Text beside a tool result is the agent's own reminder, not something you typed: it belongs to the last result.
          return results.map((part, index) => {
            const beside = index === results.length - 1 ? text : "";
            const whole = [textOf(part.content, isText), beside].filter((piece) => piece !== "").join("\n");
            return { role: "tool", callId: asString(part.tool_use_id), text: whole };
          });
        }),
      tools: asObjects(body.tools).map((tool) => ({
        name: asString(tool.name),
        description: asString(tool.description),
        parameters: tool.input_schema,
      })),
      stream: body.stream === true,
    };
  },
  stream: (reply) => {
    const event = (type: string, fields: object) => frame({ type, ...fields }, type);
    let index = -1;
    let open: SpokenPart["kind"] | undefined;
    const delta = (fields: object) => event("content_block_delta", { index, delta: fields });
    const close = () => {
      if (open === undefined) return [];
      const signature = open === "reasoning" ? [delta({ type: "signature_delta", signature: "scripted" })] : [];
      return [...signature, event("content_block_stop", { index })];
    };
    return {
      start: (usage) => [event("message_start", { message: envelope(reply, { ...usage, output: 0 }) })],
      part: (part) => {
        const { empty, piece } = blockOf(part);
        // Pieces of the same text go into one block; every tool call is a block of its own.
        if (part.kind === open && part.kind !== "tool") return [delta(piece)];
        const closing = close();
        index += 1;
        open = part.kind;
        return [...closing, event("content_block_start", { index, content_block: empty }), delta(piece)];
      },
      finish: (turn) => [
        ...close(),
        event("message_delta", {
          delta: { stop_reason: callsTools(turn) ? "tool_use" : "end_turn", stop_sequence: null },
          usage: usageOf(turn.usage),
        }),
        event("message_stop", {}),
      ],
    };
  },
  whole: (reply, turn) => {
    // Neighboring pieces of text are one block, as in the stream.
    const merged: SpokenPart[] = [];
    for (const part of spokenParts(turn)) {
      const last = merged.at(-1);
      if (last && last.kind === part.kind && last.kind !== "tool" && part.kind !== "tool") {
        merged[merged.length - 1] = { kind: last.kind, text: last.text + part.text };
      } else merged.push(part);
    }
    return {
      ...envelope(reply, turn.usage),
      content: merged.map((part) => blockOf(part).whole),
      stop_reason: callsTools(turn) ? "tool_use" : "end_turn",
      usage: usageOf(turn.usage),
    };
  },
  error: (status, message) => {
    const known = { 429: "rate_limit_error", 529: "overloaded_error" }[status];
    return {
      type: "error",
      error: { type: known ?? (status >= 500 ? "api_error" : "invalid_request_error"), message },
    };
  },
};

function isText(part: WireObject): boolean {
  return part.type === "text";
}

/** A content block as it is opened in a stream, what is streamed into it, and as a whole. */
function blockOf(part: SpokenPart): { readonly empty: object; readonly piece: object; readonly whole: object } {
  switch (part.kind) {
    case "text": {
      const { text } = part;
      const piece = { type: "text_delta", text };
      return { empty: { type: "text", text: "" }, piece, whole: { type: "text", text } };
    }
    case "reasoning": {
      const { text: thinking } = part;
      const empty = { type: "thinking", thinking: "", signature: "" };
      const whole = { type: "thinking", thinking, signature: "scripted" };
      return { empty, piece: { type: "thinking_delta", thinking }, whole };
    }
    case "tool": {
      const empty = { type: "tool_use", id: part.id, name: part.name, input: {} };
      const piece = { type: "input_json_delta", partial_json: part.args };
      return { empty, piece, whole: { ...empty, input: asObject(parseLoosely(part.args)) } };
    }
  }
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

function usageOf(usage: TurnUsage): object {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
  };
}
