import { get, type IncomingMessage } from "node:http";
import type { Event } from "@opencode-ai/sdk/v2";
import { Waiting } from "../waiting.ts";

/** An event of the server, with the folder it is about. */
export interface ServerEvent {
  readonly directory: string;
  readonly type: Event["type"];
  readonly sessionID: string | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface EventFilter {
  readonly sessionID?: string;
  /** Only events from this position of `events` on; take `events.length` as a mark before you act. */
  readonly after?: number;
  /** Milliseconds until the wait fails (default: 60 s). */
  readonly deadline?: number;
}

interface Envelope {
  readonly directory?: string;
  readonly payload: { readonly type: string; readonly properties?: Record<string, unknown> };
}

export type EventMatch = Event["type"] | ((event: ServerEvent) => boolean);

/** Everything that happened on a server, in order, and a way to wait for future events. */
export class EventLog {
  readonly events: ServerEvent[] = [];
  readonly #waiting = new Waiting<ServerEvent>();
  readonly #explainEnd: () => Promise<string>;
  #response: IncomingMessage | undefined;
  #settle: (reason: string) => void = () => undefined;
  /** Why no more events come, once the stream has ended. */
  readonly ended: Promise<string>;

  /** `explainEnd` is asked when the stream breaks off. */
  constructor(explainEnd: () => Promise<string> = async () => "The stream of events has ended.") {
    this.#explainEnd = explainEnd;
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** Resolves when the server has confirmed the subscription: no later event is missed. */
  async listenTo(serverUrl: string): Promise<void> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${serverUrl}/global/event`, resolve).once("error", reject);
    });
    this.#response = response;
    let buffer = "";
    response.setEncoding("utf8").on("data", (text: string) => {
      const frames = (buffer + text).split("\n\n");
      buffer = frames.pop() ?? "";
      for (const frame of frames) {
        const data = frame.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
        if (data.length === 0) continue;
        const { directory = "", payload } = JSON.parse(data.join("\n")) as Envelope;
        // A `sync` event repeats the one before it for databases that follow this one.
        if (payload.type === "sync" || payload.type === "server.heartbeat") continue;
        const { properties = {} } = payload;
        const sessionID = typeof properties.sessionID === "string" ? properties.sessionID : undefined;
        const event: ServerEvent = { directory, type: payload.type as Event["type"], sessionID, properties };
        this.events.push(event);
        this.#waiting.announce(event);
      }
    });
    response.on("error", () => undefined); // it is closed then, too
    response.once("close", () => void this.#explainEnd().then((reason) => this.#end(reason)));
    await this.waitFor("server.connected");
  }

  close(): void {
    this.#end("The server was stopped.");
    this.#response?.destroy();
  }

  #end(reason: string): void {
    this.#waiting.close(reason);
    this.#settle(reason);
  }

  /** The first event, past or future, that fits. */
  async waitFor(
    match: EventMatch,
    { sessionID, after = 0, deadline = 60_000 }: EventFilter = {},
  ): Promise<ServerEvent> {
    return await this.#waiting.first(
      this.events.slice(after),
      (event) => {
        if (sessionID !== undefined && event.sessionID !== sessionID) return false;
        return typeof match === "function" ? match(event) : event.type === match;
      },
      deadline,
      (why) => {
        const wanted = typeof match === "function" ? "event that matches" : match;
        const where = sessionID === undefined ? "" : ` of ${sessionID}`;
        const recent = this.events.slice(-20).map((event) => `  ${event.type} ${event.sessionID ?? ""}`);
        return `No ${wanted}${where}${why} The newest events:\n${recent.join("\n")}`;
      },
    );
  }
}
