// What Copilot has kept of a session, and what became of a prompt in it.
import type { HostEvent } from "../host.ts";
import { EventReader } from "./events.ts";
import type { SdkEvent } from "./sdk.ts";

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
  if (!hasEnded(turn)) return undefined;
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

function hasEnded(turn: readonly SdkEvent[]): boolean {
  if (turn.some(({ type }) => type === "abort" || type === "session.error")) return false;
  const last = turn.findLastIndex(({ type, agentId }) => type === "assistant.message" && agentId === undefined);
  if (last < 0 || (turn[last]?.data.toolRequests ?? []).length > 0) return false;
  return turn.some(({ type }, index) => index > last && type === "assistant.turn_end");
}
