// Turns Copilot's events into host events. Live, text comes in pieces; a stored session has whole messages.
import type { Json } from "../../run/json.ts";
import { RateLimitError } from "../../run/step-errors.ts";
import { HostError, type HostEvent, isRefusal } from "../host.ts";
import type { SdkEvent } from "./sdk.ts";
import { canonicalTool } from "./tools.ts";

/** Copilot does not say how long it will wait. */
const aMinute = 60_000;

export class EventReader {
  /** Canonical names of the called tools, by the id of the call. */
  readonly called: Map<string, string> = new Map();
  #text = "";

  /** The agent's last message. */
  get text(): string {
    return this.#text;
  }

  /** The host event for an event of a running turn. */
  live(event: SdkEvent): HostEvent | undefined {
    const { type, data } = event;
    if (type === "assistant.message_delta" && !isSubagent(event))
      return { type: "text", text: data.deltaContent ?? "" };
    if (type === "model.call_failure" && !isSubagent(event)) {
      return { type: "retrying", reason: data.message ?? `the model's provider answered with ${data.statusCode}` };
    }
    const said = this.kept(event);
    return said?.type === "text" ? undefined : said;
  }

  /** The host event for an event of a stored session. */
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

/** Why a turn failed, if this event says that it did. */
export function failureOf(event: SdkEvent): Error | undefined {
  const { type, data } = event;
  const { message = "Copilot gave no reason.", statusCode, errorType } = data;
  const isError = type === "session.error";
  // Copilot itself would silently wait for the limit to end, for an hour if need be.
  const isLimitedCall = type === "model.call_failure" && statusCode === 429 && !isSubagent(event);
  if (isLimitedCall || (isError && (errorType === "rate_limit" || statusCode === 429))) {
    const why = isError ? message : "too many requests";
    return new RateLimitError(`Copilot hit a rate limit: ${why}`, { retryAfterMs: aMinute });
  }
  if (!isError) return undefined;
  const isLogin = statusCode === 401 || errorType === "authentication" || noLogin.test(message);
  return new HostError(isLogin ? "login-missing" : "prompt-failed", {
    host: "copilot",
    message: `Copilot could not answer: ${message}`,
    hint: isLogin ? "Run `copilot` and log in with its command /login." : undefined,
    isPermanent: isLogin || isRefusal(statusCode),
  });
}

const noLogin = /no github oauth token|not (logged in|authenticated)|authentication (failed|required)/i;

function isSubagent({ agentId, data }: SdkEvent): boolean {
  return agentId !== undefined || data.parentToolCallId !== undefined;
}

/** The line before a prompt with a key. Copilot's own ids are known only after a prompt has arrived. */
export function keyLine(key: string): string {
  return `Atomic: ${key}`;
}

/** The events of the prompt's turn; `undefined` unless it was sent and its turn ended. */
export function endedTurn(
  history: readonly SdkEvent[],
  prompt: string,
  key: string | undefined,
): readonly HostEvent[] | undefined {
  const start = history.findLastIndex(({ type, data }, index) => {
    if (type !== "user.message" || data.content !== prompt) return false;
    if (key === undefined) return true;
    // Only bookkeeping comes between the line with the key and its prompt.
    const before = history.slice(0, index).findLast((each) => {
      const isLine = each.type === "session.info" && each.data.message?.startsWith(keyLine(""));
      return isLine || each.type === "user.message" || each.type === "assistant.message";
    });
    return before?.type === "session.info" && before.data.message === keyLine(key);
  });
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
