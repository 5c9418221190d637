// One event stream per server, shared by all sessions.
import { failed, object, text, type Untyped } from "./failure.ts";
import type { Server } from "./server.ts";

export interface Listener {
  /** Also called for the sessions of the listener's sub-agents. */
  take(event: SessionEvent): void;
  /** Something may have been missed. */
  reconnected(): void;
  /** No further events will come. */
  lost(reason: Error): void;
}

/** OpenCode sends something about every ten seconds. */
const silence = 60_000;
/** Failed connections in a row; together they take half a minute. */
const mostAttempts = 20;
const longestPause = 2_000;

export class ServerEvents {
  readonly #server: Server;
  readonly #onLost: () => void;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** The session that started each sub-agent's session. */
  readonly parents: Map<string, string> = new Map();
  #connection: AbortController | undefined;
  #isClosed = false;
  #lost: Error | undefined;

  private constructor(server: Server, onLost: () => void) {
    this.#server = server;
    this.#onLost = onLost;
  }

  /** Resolves when the server has confirmed the stream, so nothing that happens later is missed. */
  static async of(server: Server, onLost: () => void): Promise<ServerEvents> {
    const events = new ServerEvents(server, onLost);
    void server.ended.then((reason) => events.lose(failed("host-failed", reason)));
    await new Promise<void>((resolve, reject) => {
      void events.#keepListening(resolve).then(() => reject(events.#lost));
    });
    return events;
  }

  listen(session: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(session) ?? new Set();
    this.#listeners.set(session, listeners.add(listener));
    if (this.#lost !== undefined) listener.lost(this.#lost);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(session);
    };
  }

  /** The session whose listeners receive the events of this one. */
  rootOf(session: string): string {
    let root = session;
    // Sub-agents can have sub-agents, but a server that sends nonsense must not trap us in a loop.
    for (let depth = 0; depth < 100 && !this.#listeners.has(root); depth += 1) root = this.parents.get(root) ?? root;
    return root;
  }

  /** Ends the stream and informs every listener. */
  lose(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lost = reason;
    this.#onLost();
    this.#connection?.abort();
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener.lost(reason);
  }

  async #keepListening(firstTime: () => void): Promise<void> {
    let wasConnected = false;
    let attempts = 0;
    while (!this.#isClosed) {
      const problem = await this.#read(() => {
        if (!wasConnected) firstTime();
        else for (const each of this.#listeners.values()) for (const listener of each) listener.reconnected();
        wasConnected = true;
        attempts = 0;
      });
      if (this.#isClosed) return;
      attempts += 1;
      if (problem instanceof Refused || attempts > mostAttempts) {
        const message = `OpenCode's events at ${this.#server.url} cannot be read: ${problem.message}`;
        return this.lose(failed("host-failed", message, { cause: problem }));
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(50 * 2 ** attempts, longestPause)));
    }
  }

  /** Reads one connection to its end and returns why it ended. */
  async #read(connected: () => void): Promise<Error> {
    const connection = new AbortController();
    this.#connection = connection;
    const watchdog = setTimeout(() => connection.abort(new Error("the server sent nothing for a minute")), silence);
    try {
      const { headers, url } = this.#server;
      const response = await fetch(`${url}/global/event`, { headers, signal: connection.signal });
      if (!response.ok || response.body === null)
        return new Refused(`the server responded with status ${response.status}`);
      let isConnected = false;
      for await (const data of serverSentEvents(response.body)) {
        watchdog.refresh();
        // Its first message confirms that it listens.
        if (!isConnected) connected();
        isConnected = true;
        const event = readEvent(data);
        if (event === undefined) continue;
        const { parentID } = object(event.properties.info);
        const parent = event.type === "session.created" ? text(parentID) : undefined;
        if (parent !== undefined && this.#listeners.has(this.rootOf(parent))) this.parents.set(event.session, parent);
        for (const listener of this.#listeners.get(this.rootOf(event.session)) ?? []) listener.take(event);
      }
      return new Error("the connection was closed");
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      clearTimeout(watchdog);
    }
  }
}

class Refused extends Error {}

/** Something that happened in a session. */
export interface SessionEvent {
  readonly type: string;
  readonly session: string;
  readonly properties: Untyped;
}

/** `undefined` for anything that is not an event about a session. */
export function readEvent(data: string): SessionEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const { type, properties } = object(object(value).payload);
  const details = object(properties);
  const session = text(details.sessionID) ?? text(object(details.info).id);
  return typeof type === "string" && session !== undefined ? { type, session, properties: details } : undefined;
}

/** The data of each server-sent event, however the bytes are cut into chunks. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const ended of lines) {
        const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
        if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
        if (line !== "" || data.length === 0) continue;
        yield data.join("\n");
        data = [];
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // a failed stream cannot be cancelled
  }
}
