// From what Copilot says to what hosts say. Live, text comes in pieces; what is kept of a session has whole messages.
import type { Json } from "../../run/json.ts";
import { RateLimitError } from "../../run/step-errors.ts";
import type { HostEvent } from "../host.ts";
import { HostError } from "../host-error.ts";
import type { SdkEvent } from "./sdk.ts";
import { canonicalTool } from "./tools.ts";

/** Copilot does not say how long it is going to wait. */
const aMinute = 60_000;

export class EventReader {
  /** Canonical names of the tools that were called, by the id of the call. */
  readonly called: Map<string, string> = new Map();
  #text = "";

  /** The last message of the agent. */
  get text(): string {
    return this.#text;
  }

  /** What an event of a running turn says. */
  live(event: SdkEvent): HostEvent | undefined {
    const { type, data } = event;
    if (type === "assistant.message_delta" && !isSubagent(event))
      return { type: "text", text: data.deltaContent ?? "" };
    const said = this.#common(event);
    return said?.type === "text" ? undefined : said;
  }

  /** What an event says that was kept. */
  kept(event: SdkEvent): HostEvent | undefined {
    return this.#common(event);
  }

  #common(event: SdkEvent): HostEvent | undefined {
    const { type, data } = event;
    const { toolCallId: id = "", inputTokens = 0, outputTokens = 0 } = data;
    switch (type) {
      case "assistant.message":
        return this.#message(event);
      case "assistant.usage":
        return { type: "usage", usage: { inputTokens, outputTokens } };
      case "tool.execution_start":
        this.called.set(id, canonicalTool(data));
        return { type: "tool-started", id, tool: canonicalTool(data), input: (data.arguments ?? {}) as Json };
      case "tool.execution_complete":
        return {
          type: "tool-ended",
          id,
          tool: this.called.get(id) ?? "",
          ok: data.success === true,
          output: out(data),
        };
      default:
        return undefined;
    }
  }

  #message(event: SdkEvent): HostEvent | undefined {
    const text = event.data.content ?? "";
    if (isSubagent(event)) return undefined;
    this.#text = text;
    return text === "" ? undefined : { type: "text", text };
  }
}

/** Why a turn cannot come to its end. */
export function failureOf(event: SdkEvent): Error | undefined {
  const { type, data } = event;
  const { message = "Copilot does not say why.", statusCode, errorType } = data;
  // It would wait for the end of the limit, in silence, for an hour if need be.
  if (type === "model.call_failure" && statusCode === 429 && !isSubagent(event)) return rateLimit("too many requests");
  if (type !== "session.error") return undefined;
  if (errorType === "rate_limit" || statusCode === 429) return rateLimit(message);
  return new HostError("prompt-failed", { host: "copilot", message: `Copilot could not answer: ${message}` });
}

function rateLimit(message: string): RateLimitError {
  return new RateLimitError(`Copilot has met a rate limit: ${message}`, { retryAfterMs: aMinute });
}

function isSubagent({ agentId, data }: SdkEvent): boolean {
  return agentId !== undefined || data.parentToolCallId !== undefined;
}

function out({ result, error }: SdkEvent["data"]): string {
  return result?.content ?? error?.message ?? "";
}
