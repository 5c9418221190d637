// One turn of OpenCode: what its server's events mean, and how the turn ends.
import { isAbsolute } from "node:path";
import { canonicalToolNames } from "../../entities/normalize/tool-names.ts";
import type { Json } from "../../run/json.ts";
import { EventQueue } from "../event-queue.ts";
import { abortedTurn, HostError, type HostEvent, type PermissionEvent } from "../host.ts";
import type { ServerClient, StoredMessage } from "./client.ts";
import type { ServerEvents, SessionEvent } from "./events.ts";
import { amount, failureOf, list, object, rateLimitOf, text, type Untyped } from "./failure.ts";
import { keyOf, outcomeOf } from "./messages.ts";

export type TurnNews =
  | { readonly kind: "event"; readonly event: Exclude<HostEvent, PermissionEvent> }
  | { readonly kind: "asked"; readonly asked: Omit<PermissionEvent, "answer" | "type"> }
  /** The session is idle, so the turn may be over. */
  | { readonly kind: "idle" }
  /** `isSure` if the failure is this turn's, and not an echo of the turn before. */
  | { readonly kind: "failed"; readonly error: Untyped; readonly isSure: boolean }
  | { readonly kind: "delayed"; readonly status: Untyped };

/** What a server's events mean for one turn. Pure. */
export class Turn {
  readonly #session: string;
  readonly #key: string;
  readonly #fromFolder: (path: string) => string;
  #hasBegun = false;
  readonly #replies = new Set<string>();
  /** What has been reported of each piece of text. */
  readonly #texts = new Map<string, string>();
  readonly #tools = new Map<string, { readonly name: string; isRunning: boolean; hasEnded: boolean }>();
  /** Permissions and steps, which are reported only once. */
  readonly #reported = new Set<string>();

  /** @param fromFolder Makes a path relative to the agent's folder instead of OpenCode's root. */
  constructor(session: string, key: string, fromFolder: (path: string) => string = (path) => path) {
    this.#session = session;
    this.#key = key;
    this.#fromFolder = fromFolder;
  }

  take({ type, session, properties }: SessionEvent): TurnNews[] {
    if (type === "permission.asked") {
      const { id, permission, patterns, metadata, tool } = properties;
      if (typeof id !== "string" || !this.#isNew(id)) return [];
      const { command, filepath } = object(metadata);
      const name = text(permission) ?? "";
      const paths = (Array.isArray(patterns) ? patterns : []).map(String);
      const isAboutFiles = name === "read" || name === "edit";
      const about = (isAboutFiles ? paths.map(this.#fromFolder) : paths).join(", ");
      // One permission covers all tools that change files.
      const caller = name === "edit" ? this.#tools.get(text(object(tool).callID) ?? "")?.name : undefined;
      const given = text(filepath);
      const detail = text(command) ?? (given === undefined || (isAboutFiles && !isAbsolute(given)) ? about : given);
      return [
        { kind: "asked", asked: { id, tool: caller ?? canonicalToolNames(name, "opencode")[0] ?? name, detail } },
      ];
    }
    const part = object(properties.part);
    // From sub-agents, only the cost counts.
    if (session !== this.#session) return this.#used(part);
    if (type === "session.error") {
      return [{ kind: "failed", error: object(properties.error), isSure: this.#hasBegun }];
    }
    if (type === "message.part.updated" && keyOf(part) === this.#key) this.#hasBegun = true;
    if (!this.#hasBegun) return [];
    switch (type) {
      case "message.updated":
        this.#reply(object(properties.info));
        return [];
      case "message.part.updated":
        return this.#part(part);
      case "message.part.delta": {
        const { partID, field, delta } = properties;
        const before = this.#texts.get(text(partID) ?? "");
        // Reasoning comes in pieces too, but is not registered as a text.
        if (before === undefined || field !== "text" || typeof delta !== "string") return [];
        this.#texts.set(String(partID), before + delta);
        return delta === "" ? [] : [{ kind: "event", event: { type: "text", text: delta } }];
      }
      case "session.status": {
        const status = object(properties.status);
        return status.type === "retry" ? [{ kind: "delayed", status }] : [];
      }
      case "session.idle":
        return [{ kind: "idle" }];
      default:
        return [];
    }
  }

  /** Reports what is stored of the turn but was not reported by events. */
  catchUp(messages: readonly StoredMessage[]): TurnNews[] {
    this.#hasBegun = true;
    return messages.flatMap(({ info, parts }) => {
      this.#reply(info);
      return parts.flatMap((part) => this.#part(part));
    });
  }

  #reply({ id, role, summary }: Untyped): void {
    if (role === "assistant" && summary !== true && typeof id === "string") this.#replies.add(id);
  }

  #part(part: Untyped): TurnNews[] {
    if (!this.#replies.has(text(part.messageID) ?? "")) return [];
    if (part.type === "tool") {
      const id = text(part.callID) ?? "";
      const name = text(part.tool) ?? "";
      const canonical = canonicalToolNames(name, "opencode")[0] ?? name;
      const tool = this.#tools.get(id) ?? { name: canonical, isRunning: false, hasEnded: false };
      this.#tools.set(id, tool);
      const { status, input, output, error } = object(part.state);
      const news: TurnNews[] = [];
      if (status !== "pending" && !tool.isRunning) {
        tool.isRunning = true;
        const event = { type: "tool-started", id, tool: tool.name, input: object(input) as Json } as const;
        news.push({ kind: "event", event });
      }
      if ((status === "completed" || status === "error") && !tool.hasEnded) {
        tool.hasEnded = true;
        const ok = status === "completed";
        const said = text(ok ? output : error) ?? "";
        news.push({ kind: "event", event: { type: "tool-ended", id, tool: tool.name, ok, output: said } });
      }
      return news;
    }
    if (part.type !== "text") return this.#used(part);
    // The pieces come first and the whole text last. If pieces were missed, the turn's end has the text.
    const [id, whole] = [text(part.id) ?? "", text(part.text) ?? ""];
    const before = this.#texts.get(id) ?? "";
    if (!whole.startsWith(before)) return [];
    this.#texts.set(id, whole);
    return whole === before ? [] : [{ kind: "event", event: { type: "text", text: whole.slice(before.length) } }];
  }

  #used({ type, id, cost, tokens }: Untyped): TurnNews[] {
    if (type !== "step-finish" || !this.#isNew(id)) return [];
    const { input, output, reasoning, cache } = object(tokens);
    const { read, write } = object(cache);
    const usage = {
      usd: amount(cost),
      inputTokens: amount(input) + amount(read) + amount(write),
      outputTokens: amount(output) + amount(reasoning),
    };
    return [{ kind: "event", event: { type: "usage", usage } }];
  }

  #isNew(id: unknown): boolean {
    if (typeof id !== "string" || this.#reported.has(id)) return false;
    this.#reported.add(id);
    return true;
  }
}

/** A turn's error comes after its prompt, unless OpenCode refuses the prompt itself. */
const echoDeadline = 2_000;
/** More than a turn adds after its last message. */
const lastMessages = 20;

/** One turn while it runs. */
export class RunningTurn {
  readonly #session: string;
  readonly #client: ServerClient;
  readonly #events: ServerEvents;
  readonly #turn: Turn;
  readonly #queue = new EventQueue<HostEvent>();
  readonly #over: () => void;
  #isOver = false;
  #echo: NodeJS.Timeout | undefined;
  #error: Untyped | undefined;

  constructor(session: string, key: string, client: ServerClient, events: ServerEvents, over: () => void) {
    this.#session = session;
    this.#client = client;
    this.#events = events;
    this.#turn = new Turn(session, key, (path) => client.fromFolder(path));
    this.#over = over;
  }

  /** All events until the end. A caller that stops iterating before the end stops the agent. */
  async *until(
    signal: AbortSignal | undefined,
    begin: (turn: RunningTurn) => Promise<void>,
  ): AsyncGenerator<HostEvent> {
    const stop = this.#events.listen(this.#session, {
      take: (event) => this.#handle(this.#turn.take(event)),
      reconnected: () => this.#attempt(this.catchUp()),
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
      if (!this.#isOver) await this.#client.call("POST", `/session/${this.#session}/abort`).catch(nothingToStop);
      this.#over();
    }
  }

  async abort(): Promise<void> {
    await this.#client.call("POST", `/session/${this.#session}/abort`);
    this.#fail(abortedTurn("opencode"));
  }

  /** Reports the stored messages, and what no event will report any more: open permissions, and the end. */
  async catchUp(messages?: readonly StoredMessage[]): Promise<void> {
    if (messages !== undefined) this.#handle(this.#turn.catchUp(messages));
    for (const properties of list(await this.#client.call("GET", "/permission"))) {
      const session = text(properties.sessionID) ?? "";
      if (this.#events.rootOf(session) !== this.#session) continue;
      this.#handle(this.#turn.take({ type: "permission.asked", session, properties }));
    }
    await this.#look();
  }

  #handle(all: readonly TurnNews[]): void {
    for (const news of all) {
      if (news.kind === "event") this.#queue.push(news.event);
      else if (news.kind === "idle") this.#attempt(this.#look());
      else if (news.kind === "asked") {
        this.#queue.push({
          type: "permission",
          ...news.asked,
          answer: async (decision, message = "This is not allowed here.") => {
            // Without a message, OpenCode would end the turn. A 404 means that the question is no longer open.
            const body = decision === "allow" ? { reply: "once" } : { reply: "reject", message };
            await this.#client.call("POST", `/permission/${news.asked.id}/reply`, body, 404);
          },
        });
      } else if (news.kind === "delayed") {
        // The turn is not over: failing the queue stops it.
        const limit = rateLimitOf(news.status, Date.now());
        if (limit !== undefined) this.#queue.fail(limit);
        else this.#queue.push({ type: "retrying", reason: text(news.status.message) ?? "the provider failed" });
      } else if (news.isSure) {
        this.#error = news.error;
        this.#attempt(this.#look());
      } else {
        this.#echo ??= setTimeout(() => this.#fail(failureOf(news.error)), echoDeadline);
      }
    }
  }

  /**
   * Ends the turn if it is over. OpenCode reports some turns as idle twice, and continues after some errors: only its
   * status and its stored messages can be trusted.
   */
  async #look(): Promise<void> {
    if ((await this.#client.status(this.#session)) !== undefined) return;
    const outcome = outcomeOf(await this.#client.messages(this.#session, lastMessages));
    if (outcome?.ok) {
      this.#isOver = true;
      this.#queue.push({ type: "end", text: outcome.text });
      return this.#queue.end();
    }
    // The error may not have been stored yet.
    if (this.#error !== undefined) return this.#fail(failureOf(this.#error, outcome?.reply));
    if (outcome !== undefined) this.#fail(outcome.error);
  }

  #fail(error: Error): void {
    this.#isOver = true;
    this.#queue.fail(error);
  }

  #attempt(work: Promise<void>): void {
    work.catch((error: Error) => this.#fail(error));
  }
}

/** Ignores that the server has ended or the session is gone: then nothing is left to stop. */
export function nothingToStop(error: unknown): void {
  if (!(error instanceof HostError)) throw error;
}
