// Turns Claude's messages into host events. Live, text comes in pieces; in a transcript, messages have it whole.
import type { Usage } from "../../run/budget.ts";
import type { Json } from "../../run/json.ts";
import type { HostEvent } from "../host.ts";
import type { ApiUsage, ContentBlock, ResultMessage, SdkMessage } from "./sdk.ts";
import { canonicalTool } from "./tools.ts";

export class MessageReader {
  /** Canonical names of the called tools, by the id of the call. */
  readonly #tools = new Map<string, string>();
  #input = 0;
  #output = 0;

  /** The events of one message in a running turn. */
  *live(message: SdkMessage): Generator<HostEvent> {
    const { type, event, parent_tool_use_id: parent } = message;
    if (type !== "stream_event") yield* this.#tooling(message);
    // A subagent's text is not part of the reply.
    if (type !== "stream_event" || event === undefined || parent) return;
    const { delta, usage } = event;
    if (event.type === "content_block_delta" && delta?.type === "text_delta") {
      yield { type: "text", text: delta.text ?? "" };
    }
    if (event.type === "message_delta" && usage !== undefined) {
      const { inputTokens, outputTokens } = tokensOf(usage);
      this.#input += inputTokens;
      this.#output += outputTokens;
      yield { type: "usage", usage: { inputTokens, outputTokens } };
    }
  }

  /** The events of one message in a transcript. */
  *written(message: SdkMessage): Generator<HostEvent> {
    if (message.type === "assistant" && !message.parent_tool_use_id) {
      for (const { type, text = "" } of blocksOf(message)) if (type === "text") yield { type: "text", text };
    }
    yield* this.#tooling(message);
  }

  /** What the turn used beyond what was reported while it ran: the cost, and subagents' tokens. */
  used(result: ResultMessage): Usage {
    let [usd, input, output] = [0, 0, 0];
    for (const model of Object.values(result.model_usage_since_last_result ?? result.modelUsage ?? {})) {
      usd += model.costUSD;
      input += model.inputTokens + model.cacheReadInputTokens + model.cacheCreationInputTokens;
      output += model.outputTokens;
    }
    const inputTokens = Math.max(0, input - this.#input);
    return { usd, inputTokens, outputTokens: Math.max(0, output - this.#output) };
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

export function tokensOf(usage: ApiUsage = {}): { readonly inputTokens: number; readonly outputTokens: number } {
  const { input_tokens: input, cache_creation_input_tokens: created, cache_read_input_tokens: read } = usage;
  return { inputTokens: (input ?? 0) + (created ?? 0) + (read ?? 0), outputTokens: usage.output_tokens ?? 0 };
}

function blocksOf({ message }: SdkMessage): readonly ContentBlock[] {
  return typeof message?.content === "object" ? message.content : [];
}

export function textOf(content: string | readonly ContentBlock[] = ""): string {
  if (typeof content === "string") return content;
  return content.map(({ text }) => text ?? "").join("");
}
