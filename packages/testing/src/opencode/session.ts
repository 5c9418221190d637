import type { AssistantMessage, OpencodeClient, Part } from "@opencode-ai/sdk/v2";
import { within } from "../within.ts";
import type { EventLog } from "./events.ts";

export interface PromptOptions {
  readonly agent?: string;
  readonly system?: string;
}

/** What a prompt led to, once the session is idle again. */
export interface AgentAnswer {
  readonly sessionID: string;
  /** The text of the last message. */
  readonly text: string;
  readonly error: AssistantMessage["error"];
  readonly message: AssistantMessage;
  readonly parts: readonly Part[];
}

/** A session on a real server. */
export class RealSession {
  readonly id: string;
  readonly #client: OpencodeClient;
  readonly #log: EventLog;

  constructor(id: string, client: OpencodeClient, log: EventLog) {
    this.id = id;
    this.#client = client;
    this.#log = log;
  }

  /** Sends a prompt and waits until the session has nothing left to do. An aborted or failed turn is an answer, too. */
  async prompt(text: string, options: PromptOptions = {}): Promise<AgentAnswer> {
    const after = this.#log.events.length;
    const { data } = await this.#client.session
      .prompt({ sessionID: this.id, parts: [{ type: "text", text }], ...options }, { throwOnError: true })
      .catch((error: unknown) => this.#explain(error));
    await this.#log.waitFor("session.idle", { sessionID: this.id, after });
    const { info, parts } = data;
    const said = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { sessionID: this.id, text: said, error: info.error, message: info, parts };
  }

  /** A connection that broke says nothing of the server at its other end. */
  async #explain(error: unknown): Promise<never> {
    const reason = error instanceof Error ? await within(2_000, this.#log.ended) : undefined;
    throw reason === undefined ? error : new Error(reason, { cause: error });
  }

  async abort(): Promise<void> {
    await this.#client.session.abort({ sessionID: this.id }, { throwOnError: true });
  }

  /** Everything that the session holds by now. */
  async messages(): Promise<{ role: "user" | "assistant"; parts: Part[] }[]> {
    const { data } = await this.#client.session.messages({ sessionID: this.id }, { throwOnError: true });
    return data.map(({ info, parts }) => ({ role: info.role, parts }));
  }
}
