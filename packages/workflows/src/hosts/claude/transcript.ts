// What Claude has written down of a session, and what became of a prompt in it.
import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostEvent } from "../host.ts";
import { MessageReader, textOf } from "./messages.ts";
import type { ClaudeSdk, TranscriptMessage, TranscriptStore } from "./sdk.ts";

export interface TranscriptPlace {
  readonly folder: string;
  /** Where Claude keeps its files. */
  readonly configFolder: string;
  /** Whether the SDK would look somewhere else: it reads the environment of this process. */
  readonly isElsewhere: boolean;
}

/** `undefined` if Claude has no file of this session: it was never started with it. */
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
    async load({ projectKey, sessionId }) {
      const text = await readIfThere(join(configFolder, "projects", projectKey, `${sessionId}.jsonl`));
      if (text === undefined) return null;
      isThere = true;
      // The last line may be in the middle of being written.
      const lines = text.split("\n").slice(0, -1);
      return lines.map((line): unknown => JSON.parse(line));
    },
    append: async () => undefined,
  };
  const messages = await sdk.getSessionMessages(id, { dir: folder, sessionStore });
  return isThere ? messages : undefined;
}

/**
 * Claude refuses an id that it has a file of, and also to resume it if no message is in that file: so it is after a turn that was
 * stopped very early. Such a session continues under another id, and whoever resumes it finds the same one.
 */
export function nextSessionId(id: string): string {
  return uuidOf(`session after ${id}`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Under which id a prompt is sent. A second attempt at it needs another one, since Claude takes no message twice. */
export function promptId(key: string | undefined, attempt: number): string {
  return key === undefined ? randomUUID() : uuidOf(`${key} ${attempt}`);
}

function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}

/** How often the prompt with this key was sent. */
export function attemptsAt(key: string, transcript: readonly TranscriptMessage[]): number {
  const sent = new Set(transcript.map(({ uuid }) => uuid));
  let attempts = 0;
  while (sent.has(promptId(key, attempts))) attempts++;
  return attempts;
}

/** The events of a turn that came to its end; `undefined` if there is none such. */
export function endedTurn(
  transcript: readonly TranscriptMessage[],
  prompt: string,
  key: string | undefined,
): readonly HostEvent[] | undefined {
  const last = key === undefined ? undefined : promptId(key, attemptsAt(key, transcript) - 1);
  const isIt = (message: TranscriptMessage) =>
    isPrompt(message) && (last === undefined ? textOf(message.message.content) === prompt : message.uuid === last);
  const start = transcript.findLastIndex(isIt);
  if (start < 0) return undefined;
  const next = transcript.findIndex((message, index) => index > start && isPrompt(message));
  const turn = transcript.slice(start + 1, next < 0 ? undefined : next);
  const final = turn.at(-1);
  if (final === undefined || !isFinal(final) || turn.some(wasUnattended)) return undefined;
  const reader = new MessageReader();
  const events = turn.flatMap((message) => [...reader.written(message)]);
  return [...events, { type: "end", text: finalText(turn, final) }];
}

function isPrompt({ type, message, parent_tool_use_id: parent }: TranscriptMessage): boolean {
  if (type !== "user" || parent) return false;
  return typeof message.content === "string" || !message.content?.some((block) => block.type === "tool_result");
}

/** What Claude says itself, about an error or an interruption, has no model. */
function isFinal({ type, message }: TranscriptMessage): boolean {
  if (type !== "assistant" || message.model === "<synthetic>") return false;
  return message.stop_reason !== null && message.stop_reason !== undefined && message.stop_reason !== "tool_use";
}

/** What Claude tells its model when there is nobody to ask: by a hook, and by a question. */
const nobodyThere = ["The user doesn't want to take this action right now.", "Tool permission request failed"];

/** Claude goes on when we die, but a permission that it asks for then is answered by nobody. */
function wasUnattended({ message }: TranscriptMessage): boolean {
  if (typeof message.content !== "object") return false;
  return message.content.some(({ content }) => nobodyThere.some((words) => textOf(content).startsWith(words)));
}

/** One message of the model may be written down in several pieces. */
function finalText(turn: readonly TranscriptMessage[], { message }: TranscriptMessage): string {
  const pieces = turn.filter(({ message: { id }, type }) => type === "assistant" && id === message.id);
  return pieces.map((piece) => textOf(piece.message.content)).join("");
}
