import type { PromptMessage, PromptToolCall } from "../conversation.ts";
import type { TurnUsage } from "../turn.ts";
import {
  asObject,
  asObjects,
  asString,
  callsTools,
  frame,
  joined,
  parseLoosely,
  type SpokenPart,
  textOf,
  type Wire,
} from "../wire.ts";

/** OpenAI chat completions: what OpenCode speaks through `@ai-sdk/openai-compatible`. */
export const chatCompletions: Wire = {
  name: "chat-completions",
  path: "/v1/chat/completions",
  parse: (body) => {
    const systems: string[] = [];
    const messages: PromptMessage[] = [];
    for (const message of asObjects(body.messages)) {
      const text = textOf(message.content);
      if (message.role === "system" || message.role === "developer") systems.push(text);
      else if (message.role === "tool") messages.push({ role: "tool", callId: asString(message.tool_call_id), text });
      else if (message.role !== "assistant") messages.push({ role: "user", text });
      else {
        const toolCalls = asObjects(message.tool_calls).map((call): PromptToolCall => {
          const called = asObject(call.function);
          return { id: asString(call.id), name: asString(called.name), args: parseLoosely(asString(called.arguments)) };
        });
        messages.push({ role: "assistant", text, reasoning: asString(message.reasoning_content), toolCalls });
      }
    }
    return {
      model: asString(body.model),
      system: systems.join("\n\n"),
      messages,
      tools: asObjects(body.tools).map((tool) => {
        const offer = asObject(tool.function);
        return { name: asString(offer.name), description: asString(offer.description), parameters: offer.parameters };
      }),
      stream: body.stream === true,
    };
  },
  stream: (reply) => {
    const head = { id: `chatcmpl-${reply.number}`, object: "chat.completion.chunk", created: 0, model: reply.model };
    const delta = (fields: object) => frame({ ...head, choices: [{ index: 0, delta: fields, finish_reason: null }] });
    let calls = 0;
    return {
      start: () => [delta({ role: "assistant", content: "" })],
      part: (part) => {
        if (part.kind === "text") return [delta({ content: part.text })];
        if (part.kind === "reasoning") return [delta({ reasoning_content: part.text })];
        const index = calls++;
        return [
          delta({ tool_calls: [{ index, ...toolCall(part, "") }] }),
          delta({ tool_calls: [{ index, function: { arguments: part.args } }] }),
        ];
      },
      finish: (turn) => {
        const finish_reason = callsTools(turn) ? "tool_calls" : "stop";
        const finish = frame({ ...head, choices: [{ index: 0, delta: {}, finish_reason }] });
        const wantsUsage = asObject(reply.body.stream_options).include_usage === true;
        const usage = wantsUsage ? [frame({ ...head, choices: [], usage: usageOf(turn.usage) })] : [];
        return [finish, ...usage, frame("[DONE]")];
      },
    };
  },
  whole: (reply, turn) => {
    const calls = turn.parts.filter((part) => part.kind === "tool").map((part) => toolCall(part, part.args));
    const reasoning = joined(turn, "reasoning");
    const message = {
      role: "assistant",
      content: joined(turn, "text"),
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      id: `chatcmpl-${reply.number}`,
      object: "chat.completion",
      created: 0,
      model: reply.model,
      choices: [{ index: 0, message, finish_reason: callsTools(turn) ? "tool_calls" : "stop" }],
      usage: usageOf(turn.usage),
    };
  },
  error: (status, message) => ({
    error: { message, type: status >= 500 ? "server_error" : "invalid_request_error", code: null },
  }),
};

function toolCall(part: Extract<SpokenPart, { kind: "tool" }>, args: string): object {
  return { id: part.id, type: "function", function: { name: part.name, arguments: args } };
}

function usageOf(usage: TurnUsage): object {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  };
}
