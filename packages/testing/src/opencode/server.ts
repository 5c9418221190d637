import { readdir, readFile, watch } from "node:fs/promises";
import { join } from "node:path";
import { createOpencodeClient as createV1Client, type OpencodeClient as V1Client } from "@opencode-ai/sdk/client";
import type { AssistantMessage, Part } from "@opencode-ai/sdk/v2";
import { createOpencodeClient, type OpencodeClient } from "@opencode-ai/sdk/v2/client";
import { unusedPort } from "../loopback.ts";
import type { OwnedProcess } from "../owned-process.ts";
import type { Project } from "../project.ts";
import { within } from "../waiting.ts";
import { opencodeBinary } from "./binary.ts";
import { type EventFilter, EventLog, type EventMatch, type ServerEvent } from "./events.ts";

export interface RealSessionOptions {
  /** The folder it works in (default: the project). One server can serve many. */
  readonly directory?: string;
  readonly title?: string;
  readonly parentID?: string;
  /** Rules of this session alone; the last that matches wins. */
  readonly permission?: { permission: string; pattern: string; action: "allow" | "ask" | "deny" }[];
}

/** A running `opencode serve`. */
export class OpencodeServer {
  readonly #project: Project;
  readonly #env: Readonly<Record<string, string>>;
  #running: { process: OwnedProcess; url: string; log: EventLog } | undefined;

  private constructor(project: Project, env: Readonly<Record<string, string>>) {
    this.#project = project;
    this.#env = env;
  }

  static async start(project: Project, env: Readonly<Record<string, string>> = {}): Promise<OpencodeServer> {
    const server = new OpencodeServer(project, env);
    await server.#start();
    return server;
  }

  get url(): string {
    return this.#current.url;
  }

  /** The client of the project's folder. */
  get client(): OpencodeClient {
    return this.clientFor(this.#project.dir);
  }

  clientFor(directory: string): OpencodeClient {
    return createOpencodeClient({ baseUrl: this.url, directory });
  }

  /** The older client, the one that plugins are given. */
  get v1(): V1Client {
    return createV1Client({ baseUrl: this.url, directory: this.#project.dir });
  }

  /** Everything that happened since the (last) start, in every folder. */
  get events(): readonly ServerEvent[] {
    return this.#current.log.events;
  }

  /** The first event, past or future, that matches. */
  async waitForEvent(match: EventMatch, filter: EventFilter = {}): Promise<ServerEvent> {
    return await this.#current.log.waitFor(match, filter);
  }

  async session({ directory = this.#project.dir, ...options }: RealSessionOptions = {}): Promise<RealSession> {
    const client = this.clientFor(directory);
    const { data } = await client.session.create(options, { throwOnError: true });
    return new RealSession(data.id, client, this.#current.log);
  }

  /** An existing session: one from before a restart, or one that a plugin created. */
  reopen(id: string, directory: string = this.#project.dir): RealSession {
    return new RealSession(id, this.clientFor(directory), this.#current.log);
  }

  /** One prompt in a new session. */
  async ask(prompt: string, options: RealSessionOptions & PromptOptions = {}): Promise<AgentAnswer> {
    const { agent, system, ...session } = options;
    const asked = { ...(agent === undefined ? {} : { agent }), ...(system === undefined ? {} : { system }) };
    return await (await this.session(session)).prompt(prompt, asked);
  }

  /** OpenCode's own log, with plain quotes, as soon as it contains the text: it is written some time after what it reports. */
  async logWith(text: string): Promise<string> {
    const dir = this.#project.path("~/.local/share/opencode/log");
    const changes = watch(dir, { signal: AbortSignal.timeout(60_000) });
    const next = changes[Symbol.asyncIterator]();
    let change = next.next();
    for (;;) {
      const files = (await readdir(dir)).sort();
      const parts = await Promise.all(files.map((file) => readFile(join(dir, file), "utf8")));
      const log = parts.join("").replaceAll('\\"', '"');
      if (log.includes(text)) {
        await Promise.all([next.return?.(), change.catch(() => undefined)]);
        return log;
      }
      await change;
      change = next.next();
    }
  }

  /**
   * Makes OpenCode read the folder again, and waits until it is ready to. OpenCode answers `instance.dispose` too early: whatever is asked for
   * before `server.instance.disposed` makes it lose what its plugins brought.
   */
  async reload(directory: string = this.#project.dir): Promise<void> {
    const after = this.events.length;
    await this.clientFor(directory).instance.dispose({}, { throwOnError: true });
    await this.waitForEvent((event) => event.type === "server.instance.disposed" && event.directory === directory, {
      after,
      deadline: 60_000,
    });
  }

  /** Restarts the server: config and plugins are read again, and sessions are kept. */
  async restart(): Promise<void> {
    await this[Symbol.asyncDispose]();
    await this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#running) return;
    const { process, log } = this.#running;
    this.#running = undefined;
    log.close();
    await process.stop();
  }

  get #current(): { process: OwnedProcess; url: string; log: EventLog } {
    if (!this.#running) throw new Error("This OpenCode server has been stopped.");
    return this.#running;
  }

  async #start(): Promise<void> {
    await this.#project.skipPluginInstall();
    const argv = [opencodeBinary, "serve", "--hostname", "127.0.0.1", "--port", String(await unusedPort())];
    const process = await this.#project.start(argv, { env: this.#env, leash: true });
    const [, url = ""] = await process.printed(/listening on (http:\S+)/, 60_000);
    const log = new EventLog(async () => {
      const exit = await within(5_000, process.exited);
      if (exit === undefined) return "The stream of events has ended, but opencode serve has not.";
      const lastWords = process.stderr.trim().slice(-2000);
      const said = lastWords === "" ? "It said nothing on stderr." : `Its last words on stderr:\n${lastWords}\n`;
      return `opencode serve has ended with ${exit.signal ?? exit.code}. ${said}`;
    });
    await log.listenTo(url);
    this.#running = { process, url, log };
  }
}

export interface PromptOptions {
  readonly agent?: string;
  readonly system?: string;
}

/** The result of a prompt, once the session is idle again. */
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
      .catch(async (error: unknown) => {
        // A connection that broke says nothing of the server at its other end.
        const reason = error instanceof Error ? await within(2_000, this.#log.ended) : undefined;
        throw reason === undefined ? error : new Error(reason, { cause: error });
      });
    await this.#log.waitFor("session.idle", { sessionID: this.id, after });
    const { info, parts } = data;
    const said = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
    return { sessionID: this.id, text: said, error: info.error, message: info, parts };
  }

  async abort(): Promise<void> {
    await this.#client.session.abort({ sessionID: this.id }, { throwOnError: true });
  }

  /** Everything that the session holds so far. */
  async messages(): Promise<{ role: "user" | "assistant"; parts: Part[] }[]> {
    const { data } = await this.#client.session.messages({ sessionID: this.id }, { throwOnError: true });
    return data.map(({ info, parts }) => ({ role: info.role, parts }));
  }
}
