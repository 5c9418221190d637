import { EventQueue } from "../event-queue.ts";
import type { HostEvent, PermissionEvent } from "../host.ts";
import { HostError } from "../host-error.ts";
import type { OpencodeClient, StoredMessage } from "./client.ts";
import type { OpencodeEvent } from "./event.ts";
import type { Events } from "./events.ts";
import { abortedTurn, failureOf, rateLimitOf } from "./failure.ts";
import { type Loose, text } from "./loose.ts";
import { outcomeOf } from "./messages.ts";
import { type Asked, Turn, type TurnNews } from "./turn.ts";

/** A turn's own error comes after its prompt, unless OpenCode refuses the prompt itself. */
const echoDeadline = 2_000;
/** More than a turn adds after its last words. */
const lastMessages = 20;

/** One turn while it runs. */
export class RunningTurn {
  readonly #session: string;
  readonly #client: OpencodeClient;
  readonly #events: Events;
  readonly #turn: Turn;
  readonly #queue = new EventQueue<HostEvent>();
  readonly #over: () => void;
  #isOver = false;
  #echo: NodeJS.Timeout | undefined;
  #error: Loose | undefined;

  constructor(session: string, key: string, client: OpencodeClient, events: Events, over: () => void) {
    this.#session = session;
    this.#client = client;
    this.#events = events;
    this.#turn = new Turn(session, key, (path) => client.fromFolder(path));
    this.#over = over;
  }

  /** All events until the end. Whoever stops to listen before it, for whatever reason, stops the agent. */
  async *until(
    signal: AbortSignal | undefined,
    begin: (turn: RunningTurn) => Promise<void>,
  ): AsyncGenerator<HostEvent> {
    const stop = this.#events.listen(this.#session, {
      take: (event) => this.#take(event),
      reconnected: () => this.#attempt(this.catchUpWithServer()),
      lost: (reason) => this.#fail(reason),
    });
    const aborted = () => this.#queue.fail(signal?.reason);
    signal?.addEventListener("abort", aborted);
    try {
      signal?.throwIfAborted();
      await begin(this);
      yield* this.#queue;
    } finally {
      signal?.removeEventListener("abort", aborted);
      stop();
      clearTimeout(this.#echo);
      if (!this.#isOver) await this.#client.abort(this.#session).catch(nothingToStop);
      this.#over();
    }
  }

  async abort(): Promise<void> {
    await this.#client.abort(this.#session);
    this.#fail(abortedTurn());
  }

  catchUp(messages: readonly StoredMessage[]): void {
    this.#tell(this.#turn.catchUp(messages));
  }

  /** Asks for what no event will tell any more: open permissions, and the end. */
  async catchUpWithServer(): Promise<void> {
    for (const properties of await this.#client.permissions()) {
      const session = text(properties.sessionID) ?? "";
      if (!this.#events.concerns(session, this.#session)) continue;
      this.#take({ type: "permission.asked", session, properties });
    }
    await this.#look();
  }

  #take(event: OpencodeEvent): void {
    this.#tell(this.#turn.take(event));
  }

  #tell(news: readonly TurnNews[]): void {
    for (const each of news) this.#hear(each);
  }

  #hear(news: TurnNews): void {
    if (news.kind === "event") this.#queue.push(news.event);
    else if (news.kind === "asked") this.#queue.push(this.#permission(news.asked));
    else if (news.kind === "idle") this.#attempt(this.#look());
    else if (news.kind === "failed") this.#hearFailure(news.error, news.isSure);
    else this.#hearDelay(news.status);
  }

  #hearFailure(error: Loose, isSure: boolean): void {
    if (isSure) {
      this.#error = error;
      this.#attempt(this.#look());
    } else {
      this.#echo ??= setTimeout(() => this.#fail(failureOf(error)), echoDeadline);
    }
  }

  /** The turn is not over then: to leave it stops it. */
  #hearDelay(status: Loose): void {
    const limit = rateLimitOf(status, Date.now());
    if (limit !== undefined) this.#queue.fail(limit);
  }

  /**
   * Whether it is over. OpenCode is idle twice after some turns, and goes on after some errors: what it says of its status
   * and what it has stored is the truth.
   */
  async #look(): Promise<void> {
    if ((await this.#client.status(this.#session)) !== undefined) return;
    const outcome = outcomeOf(await this.#client.messages(this.#session, lastMessages));
    if (outcome?.ok) return this.#end(outcome.text);
    // It may not have been stored yet.
    if (this.#error !== undefined) return this.#fail(failureOf(this.#error));
    if (outcome !== undefined) this.#fail(outcome.error);
  }

  #end(text: string): void {
    this.#isOver = true;
    this.#queue.push({ type: "end", text });
    this.#queue.end();
  }

  #fail(error: Error): void {
    this.#isOver = true;
    this.#queue.fail(error);
  }

  #attempt(work: Promise<void>): void {
    work.catch((error: Error) => this.#fail(error));
  }

  #permission(asked: Asked): PermissionEvent {
    const answer = async (decision: "allow" | "deny", reason = "This is not allowed here."): Promise<void> => {
      // Without a message, OpenCode would end the turn.
      await this.#client.answerPermission(
        asked.id,
        decision === "allow" ? { reply: "once" } : { reply: "reject", message: reason },
      );
    };
    return { type: "permission", ...asked, answer };
  }
}

/** Nothing is left to be stopped when the server has ended, or the session is gone. */
export function nothingToStop(error: unknown): void {
  if (!(error instanceof HostError)) throw error;
}
