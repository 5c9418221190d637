import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./loopback.ts";
import { newestToolResults, newestUserText, noPrompt, type Prompt, typedText } from "./model/conversation.ts";
import { answer, type Expectation, type ExpectationMatch, isScripted, type TextPattern } from "./model/expectation.ts";
import { ModelGate } from "./model/gate.ts";
import { play, sendJson } from "./model/playback.ts";
import { type NewRequest, type RecordedRequest, Recording, type RecordingEntry } from "./model/recording.ts";
import { describeMismatch, describeRequest, ModelScriptError, shortened } from "./model/report.ts";
import { TurnScript } from "./model/script.ts";
import { defaultUsage, type ReplyTurn } from "./model/turn.ts";
import { isObject, parseLoosely, type Wire, type WireObject } from "./model/wire.ts";
import { chatCompletions } from "./model/wires/chat-completions.ts";
import { messages } from "./model/wires/messages.ts";
import { responses } from "./model/wires/responses.ts";
import "./suppressed-error.ts";

export const wires: readonly Wire[] = [chatCompletions, responses, messages];

export interface ModelServerOptions {
  /** Do not complain about expectations that were not used up. */
  readonly allowUnused?: boolean;
  /** More side requests that clients make on their own, checked before the known ones. */
  readonly sideRequests?: readonly SideRequest[];
  /** Names offered by `/v1/models`. */
  readonly models?: readonly string[];
}

/**
 * Starts a scripted model on loopback. It speaks OpenAI chat completions, OpenAI responses and Anthropic messages.
 *
 * ```ts
 * await using model = await modelServer();
 * model.expect(/list the files/).tool("bash", { command: "ls" }).then.reply("two files");
 * ```
 *
 * Every request the script does not expect is answered with HTTP 400 and makes disposal (or `verify()`) throw.
 */
export async function modelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = createServer();
  return new ModelServer(server, await listenOnLoopback(server), options);
}

export class ModelServer {
  /** `http://127.0.0.1:<port>`, the base that Anthropic clients want. */
  readonly url: string;
  /** `<url>/v1`, the base that OpenAI clients want. */
  readonly v1: string;
  readonly models: readonly string[];
  readonly #server: Server;
  readonly #options: ModelServerOptions;
  readonly #recording = new Recording();
  #expectations: Expectation[] = [];
  #crashes: unknown[] = [];
  #closing = false;

  constructor(server: Server, port: number, options: ModelServerOptions) {
    this.url = `http://127.0.0.1:${port}`;
    this.v1 = `${this.url}/v1`;
    this.models = options.models ?? ["model-1"];
    this.#server = server;
    this.#options = options;
    server.on("request", (incoming, response) => {
      this.#serve(incoming, response).catch((error: unknown) => {
        // A client that hangs up while it sends its request cannot be answered.
        if (!incoming.complete) return;
        this.#crashes.push(error);
        if (response.headersSent) response.destroy();
        else sendJson(response, 400, { error: { message: `The model's script threw: ${error}` } });
      });
    });
  }

  /** Every request so far (since the last `verify()`), including the clients' own side requests. */
  get requests(): readonly RecordedRequest[] {
    return this.#recording.requests;
  }

  /** The requests that are not side requests: those the test itself caused. */
  get prompts(): readonly RecordedRequest[] {
    return this.requests.filter((request) => request.side === undefined);
  }

  /**
   * Scripts one conversation. It starts with a request that matches; its turns then answer that same session in order.
   * A string or pattern is compared with the last text the user typed.
   */
  expect(match: TextPattern | ExpectationMatch = {}): TurnScript {
    const isText = typeof match === "string" || match instanceof RegExp;
    const expectation: Expectation = { match: isText ? { user: match } : match, turns: [], limit: 1, threads: [] };
    this.#expectations.push(expectation);
    return new TurnScript(expectation);
  }

  /** A gate for `slow` and `wait`. */
  gate(): ModelGate {
    return new ModelGate();
  }

  /** The first request, past or future, that matches; `(request) => request.aborted` waits for a client to hang up. */
  async waitFor(
    matches: TextPattern | ((request: RecordedRequest) => boolean),
    options: { deadline?: number } = {},
  ): Promise<RecordedRequest> {
    const predicate =
      typeof matches === "function"
        ? matches
        : ({ user, side }: RecordedRequest) =>
            side === undefined &&
            (typeof matches === "string" ? user.includes(matches) : new RegExp(matches).test(user));
    return this.#recording.waitFor(predicate, options.deadline ?? 60_000);
  }

  /** Throws unless the script was followed; then forgets everything, so a shared server can serve the next test. */
  verify(): void {
    const unexpected = this.requests.filter((request) => request.outcome === "unexpected");
    const mismatch = describeMismatch(unexpected, this.#expectations, {
      allowUnused: this.#options.allowUnused ?? false,
    });
    const [crash] = this.#crashes;
    this.#expectations = [];
    this.#crashes = [];
    this.#recording.forget();
    if (crash !== undefined)
      throw new ModelScriptError("The model's script threw while it answered.", { cause: crash });
    if (mismatch !== undefined) throw new ModelScriptError(mismatch);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing = true;
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    this.verify();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "" } = incoming;
    const path = new URL(incoming.url ?? "/", this.url).pathname;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const service = services.find((candidate) => candidate.path === path && candidate.method === method);
    if (service) {
      sendJson(response, 200, service.answer(text, this.models));
      return this.#record(incoming, { raw: text, side: service.name }).end("answered");
    }
    const wire = wires.find((candidate) => candidate.path === path && method === "POST");
    const body = parseLoosely(text);
    if (wire && isObject(body)) return await this.#reply(wire, incoming, body, response);

    const problem = wire
      ? `The body is not a JSON object: ${shortened(text)}`
      : `The scripted model has no ${method} ${path}`;
    sendJson(response, wire ? 400 : 404, { error: { message: problem } });
    this.#record(incoming, { raw: text, problem }).end("unexpected");
  }

  #record(incoming: IncomingMessage, known: { raw: unknown } & Partial<NewRequest>): RecordingEntry {
    const messages = known.messages ?? [];
    const { headers } = incoming;
    return this.#recording.add({
      ...noPrompt,
      wire: undefined,
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers,
      // The session header of OpenCode, or of Claude Code.
      session: [headers["x-session-id"], headers["x-claude-code-session-id"]].find((id) => typeof id === "string"),
      user: newestUserText(messages),
      toolResults: newestToolResults(messages),
      side: undefined,
      problem: undefined,
      ...known,
    });
  }

  async #reply(wire: Wire, incoming: IncomingMessage, body: WireObject, response: ServerResponse): Promise<void> {
    const prompt = wire.parse(body);
    const known = [...(this.#options.sideRequests ?? []), ...sideRequests];
    const found = known.find(({ matches }) => matches(prompt, incoming.headers["user-agent"] ?? ""));
    const isTyped = found?.couldBeTyped && isScripted(this.#expectations, newestUserText(prompt.messages));
    const side = isTyped ? undefined : found;
    const entry = this.#record(incoming, { ...prompt, raw: body, wire: wire.name, side: side?.name });
    const gone = new AbortController();
    response.on("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    let scripted: ReturnType<typeof answer>;
    try {
      scripted = answer(this.#expectations, entry.request);
    } catch (error) {
      entry.end("failed"); // a reply whose script threw must not keep anyone waiting
      throw error;
    }
    const turn: ReplyTurn | undefined =
      scripted?.turn ??
      (side && {
        parts: [{ kind: "text", text: side.reply }],
        ending: { kind: "finish" },
        usage: defaultUsage,
      });
    if (!turn) {
      const message = `The script does not expect this request.\n${describeRequest(entry.request).join("\n")}`;
      sendJson(response, 400, wire.error(400, message));
      return entry.end("unexpected");
    }
    const reply = { number: entry.request.number, model: prompt.model, body };
    const outcome = await play(response, wire, reply, turn, gone.signal);
    if (outcome === "aborted") scripted?.thread.interrupted(turn);
    entry.end(outcome === "aborted" && this.#closing ? "closed" : outcome);
  }
}

/** What clients ask a provider besides replies: answered without a script, recorded as a side request by name. */
export interface Service {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  answer(body: string, models: readonly string[]): object;
}

export const services: readonly Service[] = [
  {
    name: "models",
    method: "GET",
    path: "/v1/models",
    answer: (_, models) => {
      // One list that both OpenAI and Anthropic clients can read.
      const data = models.map((id) => ({
        id,
        object: "model",
        type: "model",
        display_name: id,
        created: 0,
        created_at: "2026-01-01T00:00:00Z",
        owned_by: "scripted",
      }));
      return { object: "list", data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
    },
  },
  {
    name: "count-tokens",
    method: "POST",
    path: "/v1/messages/count_tokens",
    answer: (body) => ({ input_tokens: Math.ceil(body.length / 4) }),
  },
];

/** A request that a client makes on its own (a title, a warm-up): answered without a script, recorded by name. */
export interface SideRequest {
  readonly name: string;
  /** `client` is how it introduces itself in `user-agent`. */
  readonly matches: (prompt: Prompt, client: string) => boolean;
  readonly reply: string;
  /** The user could have typed the same text: then a script for that text wins. */
  readonly couldBeTyped?: boolean;
}

export const sideRequests: readonly SideRequest[] = [
  {
    name: "title",
    matches: (prompt, client) =>
      client.startsWith("opencode/") && prompt.tools.length === 0 && /you are a title generator/i.test(prompt.system),
    reply: "Scripted title",
  },
  {
    name: "title", // names a session, or decides whether a message opens a new topic
    matches: (prompt, client) =>
      client.startsWith("claude-cli/") &&
      prompt.tools.length === 0 &&
      /(generate|write) a .*title|isNewTopic|session title/i.test(prompt.system || newestUserText(prompt.messages)),
    reply: '{"title":"Scripted title","isNewTopic":false}',
  },
  {
    name: "warm-up", // asks for the quota, and warms sub-agents up
    matches: ({ messages }, client) => {
      const said = messages.filter(({ role, text }) => role !== "user" || typedText(text) !== "");
      const isWarmUp = said.length === 1 && /^(quota|warmup)$/i.test(newestUserText(messages));
      return isWarmUp && client.startsWith("claude-cli/");
    },
    reply: "ok",
    couldBeTyped: true,
  },
];
