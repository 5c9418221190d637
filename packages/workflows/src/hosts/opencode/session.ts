import { randomUUID } from "node:crypto";
import { EventQueue } from "../event-queue.ts";
import { busySession, type HostEvent, type HostSession, type SendOptions } from "../host.ts";
import type { PromptBody, ServerClient, StoredMessage } from "./client.ts";
import type { ServerEvents } from "./events.ts";
import { list } from "./failure.ts";
import { outcomeOf, promptPart, turnOf } from "./messages.ts";
import { nothingToStop, RunningTurn } from "./turn.ts";

/** How a session is prompted. */
export type PromptSettings = Omit<PromptBody, "parts">;

export interface OpencodeSessionParts {
  readonly client: ServerClient;
  readonly events: ServerEvents;
  readonly settings: PromptSettings;
  /** The running turns of all the host's sessions. */
  readonly turns: Set<RunningTurn>;
}

export class OpencodeSession implements HostSession {
  readonly id: string;
  readonly #parts: OpencodeSessionParts;
  #running: RunningTurn | undefined;

  constructor(id: string, parts: OpencodeSessionParts) {
    this.id = id;
    this.#parts = parts;
  }

  async *send(prompt: string, { key = randomUUID(), signal }: SendOptions = {}): AsyncGenerator<HostEvent> {
    const { client, settings } = this.#parts;
    signal?.throwIfAborted();
    if (this.#running !== undefined) throw busySession("opencode", this.id);
    await this.#idle(signal);
    yield* this.#begin(key).until(signal, async () => {
      const body: PromptBody = { ...settings, parts: [promptPart(prompt, key)] };
      // Returns at once; events report what comes of it.
      await client.call("POST", `/session/${this.id}/prompt_async`, body);
    });
  }

  async reattach(prompt: string, { key, signal }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    const { client } = this.#parts;
    signal?.throwIfAborted();
    const found = turnOf(await client.messages(this.id), prompt, key);
    if (found === undefined) return undefined;
    const isOver = (await client.status(this.id)) === undefined;
    // It may have ended while we looked.
    const messages = isOver ? (turnOf(await client.messages(this.id), prompt, key) ?? found) : found;
    if (isOver && outcomeOf(messages)?.ok !== true) return undefined;
    return this.#follow(messages, key, signal);
  }

  async abort(): Promise<void> {
    await this.#running?.abort();
  }

  async dispose(): Promise<void> {
    await this.abort().catch(nothingToStop);
  }

  async *#follow(
    messages: readonly StoredMessage[],
    key: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<HostEvent> {
    const { client, events } = this.#parts;
    yield* this.#begin(key ?? randomUUID()).until(signal, async (turn) => {
      for (const child of list(await client.call("GET", `/session/${this.id}/children`))) {
        if (typeof child.id === "string") events.parents.set(child.id, this.id);
      }
      await turn.catchUp(messages);
    });
  }

  #begin(key: string): RunningTurn {
    if (this.#running !== undefined) throw busySession("opencode", this.id);
    const { client, events, turns } = this.#parts;
    const running = new RunningTurn(this.id, key, client, events, () => {
      this.#running = undefined;
      turns.delete(running);
    });
    this.#running = running;
    turns.add(running);
    return running;
  }

  /** Waits for an aborted turn, or another process's turn, that has not ended yet. */
  async #idle(signal: AbortSignal | undefined): Promise<void> {
    const { client, events } = this.#parts;
    if ((await client.status(this.id)) === undefined) return;
    const news = new EventQueue<void>();
    const stop = events.listen(this.id, {
      take: ({ type, session }) => type === "session.idle" && session === this.id && news.push(),
      reconnected: () => news.push(),
      lost: (reason) => news.fail(reason),
    });
    const aborted = () => news.fail(signal?.reason);
    signal?.addEventListener("abort", aborted);
    try {
      while ((await client.status(this.id)) !== undefined) {
        signal?.throwIfAborted();
        await news[Symbol.asyncIterator]().next();
      }
    } finally {
      stop();
      signal?.removeEventListener("abort", aborted);
    }
  }
}
