// Claude's transcript of a session, and how a prompt in it ended.
import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Usage } from "../../run/budget.ts";
import type { HostEvent } from "../host.ts";
import { MessageReader, textOf, tokensOf } from "./messages.ts";
import type { ClaudeSdk, TranscriptMessage, TranscriptStore } from "./sdk.ts";

export interface TranscriptPlace {
  readonly folder: string;
  /** Where Claude keeps its files. */
  readonly configFolder: string;
  /** Whether the SDK would look somewhere else, since it reads this process's environment. */
  readonly isElsewhere: boolean;
}

/** `undefined` if Claude has no file for this session, because it never started it. */
export async function readTranscript(
  sdk: ClaudeSdk,
  id: string,
  { folder, configFolder, isElsewhere }: TranscriptPlace,
): Promise<readonly TranscriptMessage[] | undefined> {
  if (!isElsewhere) {
    const messages = await sdk.getSessionMessages(id, { dir: folder });
    if (messages.length > 0) return messages;
  }
  let isThere = false;
  const sessionStore: TranscriptStore = {
    load: async ({ projectKey, sessionId }) => {
      const path = join(configFolder, "projects", projectKey, `${sessionId}.jsonl`);
      const text = await orIfMissing(readFile(path, "utf8"), undefined);
      if (text === undefined) return null;
      isThere = true;
      // The last line may be incomplete.
      const lines = text.split("\n").slice(0, -1);
      return lines.map((line): unknown => JSON.parse(line));
    },
    append: async () => undefined,
  };
  const messages = await sdk.getSessionMessages(id, { dir: folder, sessionStore });
  return isThere ? messages : undefined;
}

export async function orIfMissing<T, Otherwise>(reading: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}

/** The id that a prompt is sent with. A second attempt needs another id, since Claude accepts no message twice. */
export function promptId(key: string | undefined, attempt: number): string {
  return key === undefined ? randomUUID() : uuidOf(`${key} ${attempt}`);
}

/** Always the same id for the same text. */
export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** How many times the prompt with this key was sent. */
export function attemptsAt(key: string, transcript: readonly TranscriptMessage[]): number {
  const sent = new Set(transcript.map(({ uuid }) => uuid));
  let attempts = 0;
  while (sent.has(promptId(key, attempts))) attempts++;
  return attempts;
}

/** The events of the prompt's turn; `undefined` unless it was sent and its turn ended. */
export function endedTurn(
  transcript: readonly TranscriptMessage[],
  prompt: string,
  key: string | undefined,
): readonly HostEvent[] | undefined {
  const last = key === undefined ? undefined : promptId(key, attemptsAt(key, transcript) - 1);
  const start = transcript.findLastIndex(
    (each) => isPrompt(each) && (last === undefined ? textOf(each.message.content) === prompt : each.uuid === last),
  );
  if (start < 0) return undefined;
  const next = transcript.findIndex((message, index) => index > start && isPrompt(message));
  const turn = transcript.slice(start + 1, next < 0 ? undefined : next);
  const final = turn.at(-1);
  // Claude's own messages, about an error or an interruption, have no model.
  if (final?.type !== "assistant" || final.message.model === "<synthetic>") return undefined;
  const { id, stop_reason: reason } = final.message;
  if (reason === null || reason === undefined || reason === "tool_use") return undefined;
  // Claude continues if our process dies, but then no one answers its permission requests.
  const results = turn.flatMap(({ message }) => (typeof message.content === "object" ? message.content : []));
  const wasUnattended = results.some(({ content }) => nobodyThere.some((words) => textOf(content).startsWith(words)));
  if (wasUnattended) return undefined;
  const reader = new MessageReader();
  const events = turn.flatMap((message) => [...reader.written(message)]);
  events.push({ type: "usage", usage: usageOf(turn) });
  // The transcript may have one message of the model in several pieces.
  const pieces = turn.filter(({ type, message }) => type === "assistant" && message.id === id);
  const text = pieces.map((piece) => textOf(piece.message.content)).join("");
  return [...events, { type: "end", text }];
}

/** What the model's messages used. A transcript does not say what they cost. */
function usageOf(turn: readonly TranscriptMessage[]): Usage {
  // Each piece of a message has the message's usage up to then.
  const messages = new Map(turn.map(({ uuid, message }) => [message.id ?? uuid, tokensOf(message.usage)]));
  const used = [...messages.values()];
  return {
    inputTokens: used.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: used.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}

function isPrompt({ type, message, parent_tool_use_id: parent }: TranscriptMessage): boolean {
  if (type !== "user" || parent) return false;
  return typeof message.content === "string" || !message.content?.some((block) => block.type === "tool_result");
}

/** What Claude tells its model when a hook, or a question, gets no answer. */
const nobodyThere = ["The user doesn't want to take this action right now.", "Tool permission request failed"];
