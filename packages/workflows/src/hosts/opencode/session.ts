import { randomUUID } from "node:crypto";
import { EventQueue } from "../event-queue.ts";
import type { HostEvent, HostSession, SendOptions } from "../host.ts";
import type { PromptBody, ServerClient, StoredMessage } from "./client.ts";
import type { ServerEvents } from "./events.ts";
import { failed } from "./failure.ts";
import { outcomeOf, promptPart, turnOf } from "./messages.ts";
import { nothingToStop, RunningTurn } from "./turn.ts";

/** How a session is prompted. */
export type PromptSettings = Omit<PromptBody, "parts">;

export class OpencodeSession implements HostSession {
  readonly id: string;
  readonly #client: ServerClient;
  readonly #events: ServerEvents;
  readonly #settings: PromptSettings;
  /** Of all sessions of the host. */
  readonly #turns: Set<RunningTurn>;
  #running: RunningTurn | undefined;

  constructor(
    id: string,
    client: ServerClient,
    events: ServerEvents,
    settings: PromptSettings,
    turns: Set<RunningTurn>,
  ) {
    this.#turns = turns;
    this.id = id;
    this.#client = client;
    this.#events = events;
    this.#settings = settings;
  }

  async *send(prompt: string, { key = randomUUID(), signal }: SendOptions = {}): AsyncGenerator<HostEvent> {
    signal?.throwIfAborted();
    this.#refuseIfRunning();
    await this.#idle(signal);
    const turn = this.#begin(key);
    yield* turn.until(signal, async () => {
      await this.#client.prompt(this.id, { ...this.#settings, parts: [promptPart(prompt, key)] });
    });
  }

  async reattach(prompt: string, { key, signal }: SendOptions = {}): Promise<AsyncIterable<HostEvent> | undefined> {
    signal?.throwIfAborted();
    const found = turnOf(await this.#client.messages(this.id), prompt, key);
    if (found === undefined) return undefined;
    const isOver = (await this.#client.status(this.id)) === undefined;
    // It may have ended while we looked.
    const messages = isOver ? (turnOf(await this.#client.messages(this.id), prompt, key) ?? found) : found;
    if (isOver && outcomeOf(messages)?.ok !== true) return undefined;
    return this.#follow(messages, key, signal);
  }

  async abort(): Promise<void> {
    if (this.#running === undefined) return;
    await this.#running.abort();
  }

  async dispose(): Promise<void> {
    await this.abort().catch(nothingToStop);
  }

  async *#follow(
    messages: readonly StoredMessage[],
    key: string | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<HostEvent> {
    yield* this.#begin(key ?? randomUUID()).until(signal, async (turn) => {
      for (const child of await this.#client.children(this.id)) this.#events.isChildOf(child, this.id);
      turn.catchUp(messages);
      await turn.catchUpWithServer();
    });
  }

  #begin(key: string): RunningTurn {
    this.#refuseIfRunning();
    const running = new RunningTurn(this.id, key, this.#client, this.#events, () => {
      this.#running = undefined;
      this.#turns.delete(running);
    });
    this.#running = running;
    this.#turns.add(running);
    return running;
  }

  #refuseIfRunning(): void {
    if (this.#running !== undefined)
      throw failed("host-failed", `The session ${this.id} is already in the middle of a turn.`);
  }

  /** An aborted turn, or one of another process, may still be on its way out. */
  async #idle(signal: AbortSignal | undefined): Promise<void> {
    if ((await this.#client.status(this.id)) === undefined) return;
    const news = new EventQueue<void>();
    const stop = this.#events.listen(this.id, {
      take: ({ type, session }) => type === "session.idle" && session === this.id && news.push(),
      reconnected: () => news.push(),
      lost: (reason) => news.fail(reason),
    });
    const aborted = () => news.fail(signal?.reason);
    signal?.addEventListener("abort", aborted);
    try {
      while ((await this.#client.status(this.id)) !== undefined) {
        signal?.throwIfAborted();
        await news[Symbol.asyncIterator]().next();
      }
    } finally {
      stop();
      signal?.removeEventListener("abort", aborted);
    }
  }
}
