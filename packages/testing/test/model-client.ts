import type { ModelServer } from "@atomic/testing/model-server";

/** One server-sent event as it was sent. */
export interface SentEvent {
  readonly event: string | undefined;
  readonly data: unknown;
}

/** Posts a body to a path of the model server. */
export async function post(
  model: ModelServer,
  path: string,
  body: object,
  init: { signal?: AbortSignal; session?: string | undefined; client?: string | undefined } = {},
): Promise<Response> {
  return await fetch(`${model.url}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(init.session ? { "x-session-id": init.session } : {}),
      ...(init.client ? { "user-agent": init.client } : {}),
    },
    body: JSON.stringify({ model: "model-1", ...body }),
    ...(init.signal ? { signal: init.signal } : {}),
  });
}

/** Splits a finished stream into its events; anything that is not exactly `event:`/`data:` lines is an error. */
export async function sentEvents(response: Response): Promise<SentEvent[]> {
  const frames = (await response.text()).split("\n\n");
  if (frames.pop() !== "") throw new Error("A stream of server-sent events ends with a blank line.");
  return frames.map((frame) => {
    const parsed = /^(?:event: (?<event>\S+)\n)?data: (?<data>[^\n]*)$/.exec(frame);
    if (!parsed?.groups) throw new Error(`Not a server-sent event: ${frame.slice(0, 200)}`);
    const { event, data = "" } = parsed.groups;
    return { event, data: data === "[DONE]" ? data : JSON.parse(data) };
  });
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly calls: readonly { id: string; name: string; args: string }[];
}

/** A small agent over chat completions: it keeps the history, as real clients do. */
export class Conversation {
  readonly history: object[] = [];
  readonly #model: ModelServer;
  readonly #session: string | undefined;
  readonly #client: string | undefined;
  #openCalls: string[] = [];

  /** `client` is how it introduces itself: `opencode/1.18.33`, `claude-cli/2.1.325`, … */
  constructor(model: ModelServer, session?: string, client?: string) {
    this.#model = model;
    this.#session = session;
    this.#client = client;
  }

  async say(text: string): Promise<Reply> {
    this.history.push({ role: "user", content: text });
    return await this.send();
  }

  /** Answers the calls of the last reply, in order. */
  async return(...results: string[]): Promise<Reply> {
    const calls = this.#openCalls;
    results.forEach((content, index) => {
      this.history.push({ role: "tool", tool_call_id: calls[index], content });
    });
    return await this.send();
  }

  /** Sends the history as it is: what a client does when it tries again. */
  async send(): Promise<Reply> {
    const response = await post(
      this.#model,
      "/v1/chat/completions",
      { messages: this.history },
      { session: this.#session, client: this.#client },
    );
    if (response.status !== 200) return { status: response.status, text: await response.text(), calls: [] };
    const { choices } = (await response.json()) as { choices: [{ message: ChatMessage }] };
    const [{ message }] = choices;
    this.history.push(message);
    const calls = (message.tool_calls ?? []).map((call) => ({
      id: call.id,
      name: call.function.name,
      args: call.function.arguments,
    }));
    this.#openCalls = calls.map((call) => call.id);
    return { status: 200, text: message.content, calls };
  }
}

interface ChatMessage {
  readonly content: string;
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
}

/** The message of an error that must come. */
export async function failure(action: () => unknown): Promise<string> {
  try {
    await action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It did not fail.");
}
