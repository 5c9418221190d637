// From what Copilot says to what hosts say. Live, text comes in pieces; what is kept of a session has whole messages.
import type { Json } from "../../run/json.ts";
import { RateLimitError } from "../../run/step-errors.ts";
import { HostError, type HostEvent } from "../host.ts";
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
    const said = this.kept(event);
    return said?.type === "text" ? undefined : said;
  }

  /** What an event says that was kept. */
  kept(event: SdkEvent): HostEvent | undefined {
    const { type, data } = event;
    const { toolCallId: id = "", inputTokens = 0, outputTokens = 0 } = data;
    switch (type) {
      case "assistant.message":
        if (isSubagent(event)) return undefined;
        this.#text = data.content ?? "";
        return this.#text === "" ? undefined : { type: "text", text: this.#text };
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
          output: data.result?.content ?? data.error?.message ?? "",
        };
      default:
        return undefined;
    }
  }
}

/** Why a turn cannot come to its end. */
export function failureOf(event: SdkEvent): Error | undefined {
  const { type, data } = event;
  const { message = "Copilot gave no reason.", statusCode, errorType } = data;
  // It would wait for the end of the limit, in silence, for an hour if need be.
  if (type === "model.call_failure" && statusCode === 429 && !isSubagent(event)) return rateLimit("too many requests");
  if (type !== "session.error") return undefined;
  if (errorType === "rate_limit" || statusCode === 429) return rateLimit(message);
  return new HostError("prompt-failed", { host: "copilot", message: `Copilot could not answer: ${message}` });
}

function rateLimit(message: string): RateLimitError {
  return new RateLimitError(`Copilot hit a rate limit: ${message}`, { retryAfterMs: aMinute });
}

function isSubagent({ agentId, data }: SdkEvent): boolean {
  return agentId !== undefined || data.parentToolCallId !== undefined;
}

/** A line before each prompt that has a key: Copilot's own ids are only known once a prompt has arrived. */
export function keyLine(key: string): string {
  return `Atomic: ${key}`;
}

/** The events of a turn that came to its end; `undefined` if there is none such. */
export function endedTurn(
  history: readonly SdkEvent[],
  prompt: string,
  key: string | undefined,
): readonly HostEvent[] | undefined {
  const start = history.findLastIndex(
    ({ type, data }, index) =>
      type === "user.message" && data.content === prompt && (key === undefined || keyBefore(history, index) === key),
  );
  if (start < 0) return undefined;
  const next = history.findIndex(
    ({ type, data }, index) => index > start && type === "user.message" && data.source === undefined,
  );
  const turn = history.slice(start + 1, next < 0 ? undefined : next);
  if (turn.some(({ type }) => type === "abort" || type === "session.error")) return undefined;
  const last = turn.findLastIndex(({ type, agentId }) => type === "assistant.message" && agentId === undefined);
  if (last < 0 || (turn[last]?.data.toolRequests ?? []).length > 0) return undefined;
  if (!turn.some(({ type }, index) => index > last && type === "assistant.turn_end")) return undefined;
  const reader = new EventReader();
  const events = turn.flatMap((event) => reader.kept(event) ?? []);
  return [...events, { type: "end", text: reader.text }];
}

/** The key of the prompt at `index`: nothing but bookkeeping stands between them. */
function keyBefore(history: readonly SdkEvent[], index: number): string | undefined {
  for (const { type, data } of history.slice(0, index).reverse()) {
    if (type === "user.message" || type === "assistant.message") return undefined;
    if (type === "session.info" && data.message?.startsWith(keyLine(""))) return data.message.slice(keyLine("").length);
  }
  return undefined;
}
