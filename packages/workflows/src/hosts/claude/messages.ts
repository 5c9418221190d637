// From what Claude says to what hosts say. Live, text comes in pieces; in a transcript it is in the messages.
import type { Usage } from "../../run/budget.ts";
import type { Json } from "../../run/json.ts";
import type { HostEvent } from "../host.ts";
import type { ContentBlock, ResultMessage, SdkMessage } from "./sdk.ts";
import { canonicalTool } from "./tools.ts";

export class MessageReader {
  /** Canonical names of the tools that were called, by the id of the call. */
  readonly #tools = new Map<string, string>();
  #input = 0;
  #output = 0;

  /** What a message of a running turn says. */
  *live(message: SdkMessage): Generator<HostEvent> {
    const { type, event, parent_tool_use_id: parent } = message;
    if (type !== "stream_event") yield* this.#tooling(message);
    // What a subagent says is not said to us.
    if (type !== "stream_event" || event === undefined || parent) return;
    const { delta, usage } = event;
    if (event.type === "content_block_delta" && delta?.type === "text_delta") {
      yield { type: "text", text: delta.text ?? "" };
    }
    if (event.type === "message_delta" && usage !== undefined) {
      const inputTokens =
        (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
      const outputTokens = usage.output_tokens ?? 0;
      this.#input += inputTokens;
      this.#output += outputTokens;
      yield { type: "usage", usage: { inputTokens, outputTokens } };
    }
  }

  /** What a message of a transcript says. */
  *written(message: SdkMessage): Generator<HostEvent> {
    if (message.type === "assistant" && !message.parent_tool_use_id) {
      for (const { type, text = "" } of blocksOf(message)) if (type === "text") yield { type: "text", text };
    }
    yield* this.#tooling(message);
  }

  /** What the whole turn has used, besides what was reported while it ran. Subagents are in it, and the cost. */
  used(result: ResultMessage): Usage {
    const models = Object.values(result.model_usage_since_last_result ?? result.modelUsage ?? {});
    const sum = (count: (model: (typeof models)[number]) => number) =>
      models.reduce((all, model) => all + count(model), 0);
    const input = sum((model) => model.inputTokens + model.cacheReadInputTokens + model.cacheCreationInputTokens);
    const output = sum((model) => model.outputTokens);
    return {
      usd: sum((model) => model.costUSD),
      inputTokens: Math.max(0, input - this.#input),
      outputTokens: Math.max(0, output - this.#output),
    };
  }

  *#tooling(message: SdkMessage): Generator<HostEvent> {
    for (const block of blocksOf(message)) {
      const { type, id, name = "", input = {}, tool_use_id: ended } = block;
      if (type === "tool_use" && id !== undefined) {
        const tool = canonicalTool(name);
        this.#tools.set(id, tool);
        yield { type: "tool-started", id, tool, input: input as Json };
      }
      if (type === "tool_result" && ended !== undefined) {
        const tool = this.#tools.get(ended) ?? "";
        yield { type: "tool-ended", id: ended, tool, ok: block.is_error !== true, output: textOf(block.content) };
      }
    }
  }
}

function blocksOf({ message }: SdkMessage): readonly ContentBlock[] {
  return typeof message?.content === "object" ? message.content : [];
}

export function textOf(content: string | readonly ContentBlock[] = ""): string {
  if (typeof content === "string") return content;
  return content.map(({ text }) => text ?? "").join("");
}
