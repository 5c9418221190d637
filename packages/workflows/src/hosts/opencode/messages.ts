// What a session's stored messages say about a prompt and its turn.

import { abortedTurn } from "../host.ts";
import type { StoredMessage } from "./client.ts";
import { failureOf, object, text, type Untyped } from "./failure.ts";

/** The text of a prompt, with the key by which it is found again. */
export function promptPart(prompt: string, key: string): Untyped {
  return { type: "text", text: prompt, metadata: { atomic: { key } } };
}

export function keyOf(part: Untyped): string | undefined {
  return text(object(object(part.metadata).atomic).key);
}

export type TurnOutcome =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: Error; readonly reply: Untyped };

/**
 * How the newest turn ended, if it is over, from the agent's newest message. `undefined` if there is none since the
 * prompt.
 */
export function outcomeOf(messages: readonly StoredMessage[]): TurnOutcome | undefined {
  const turn = messages.slice(newestPrompt(messages) + 1);
  const last = turn.findLast(({ info }) => info.role === "assistant" && info.summary !== true);
  if (last === undefined) return undefined;
  const reply = last.info;
  const { error, finish } = reply;
  if (error !== undefined && error !== null) return { ok: false, error: failureOf(object(error), reply), reply };
  // Neither finished nor failed: it was stopped, or its server was killed.
  if (text(finish) === undefined) return { ok: false, error: abortedTurn("opencode"), reply };
  const said = last.parts.filter((part) => part.type === "text" && part.synthetic !== true);
  return { ok: true, text: said.map((part) => text(part.text) ?? "").join("\n") };
}

/** The messages since the newest prompt, if it is this one. */
export function turnOf(
  messages: readonly StoredMessage[],
  prompt: string,
  key: string | undefined,
): readonly StoredMessage[] | undefined {
  const at = newestPrompt(messages);
  const typed = messages[at]?.parts.filter(isTyped) ?? [];
  const isIt =
    key === undefined ? typed.some((part) => part.text === prompt) : typed.some((part) => keyOf(part) === key);
  return isIt ? messages.slice(at) : undefined;
}

/** -1 if no message is a prompt. */
function newestPrompt(messages: readonly StoredMessage[]): number {
  return messages.findLastIndex(({ info, parts }) => info.role === "user" && parts.some(isTyped));
}

/** False for the user message that OpenCode adds to continue after it has shortened a conversation. */
function isTyped(part: Untyped): boolean {
  return part.type === "text" && part.synthetic !== true && part.ignored !== true;
}
