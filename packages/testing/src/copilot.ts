// The real Copilot SDK, and the real runtime it starts, talking to the scripted model over any of its wires.
import { loadHeavyHost, offline } from "./heavy.ts";
import { type MarkedProcesses, markedProcesses } from "./marked-processes.ts";
import type { WireName } from "./model/wire.ts";
import type { Project } from "./project.ts";
import { Transcript } from "./transcript.ts";
import { within } from "./waiting.ts";

/** An event of a session: `type` says what `data` holds. */
export interface CopilotEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface CopilotSessionOptions {
  /** How to talk to the model; chat completions by default. */
  readonly wire?: WireName;
}

/** What Copilot needs to know of the scripted model: a `ModelServer` fits. */
export interface CopilotModel {
  readonly url: string;
  readonly v1: string;
  readonly models: readonly string[];
}

const STOP_DEADLINE = 10_000;

/**
 * Starts the Copilot runtime; one of them serves many sessions.
 *
 * ```ts
 * await using copilot = await copilotClient(project, model);
 * const session = await copilot.createSession({ wire: "responses" });
 * expect(await session.sendAndWait("say hello")).toBe("hello");
 * ```
 */
export async function copilotClient(project: Project, model: CopilotModel): Promise<Copilot> {
  const sdk = (await loadHeavyHost("copilot")) as CopilotSdk;
  const processes = await markedProcesses();
  const client = new sdk.CopilotClient({
    workingDirectory: project.dir,
    baseDirectory: project.path("~/.copilot"),
    useLoggedInUser: false,
    env: {
      ...project.env,
      ...processes.env,
      ...offline,
      COPILOT_OFFLINE: "true",
      // Otherwise tools get what the machine's login shell sets, PATH included.
      COPILOT_DISABLE_LOGIN_SHELL_ENV: "true",
    },
  });
  try {
    await client.start();
  } catch (error) {
    await client.forceStop();
    await processes[Symbol.asyncDispose]();
    throw error;
  }
  return new Copilot(client, processes, project, model);
}

export class Copilot {
  readonly #client: SdkClient;
  readonly #processes: MarkedProcesses;
  readonly #project: Project;
  readonly #model: CopilotModel;

  constructor(client: SdkClient, processes: MarkedProcesses, project: Project, model: CopilotModel) {
    this.#client = client;
    this.#processes = processes;
    this.#project = project;
    this.#model = model;
  }

  /** Starts a session in which every tool is approved. */
  async createSession({ wire = "chat-completions" }: CopilotSessionOptions = {}): Promise<CopilotSession> {
    const transcript = new Transcript<CopilotEvent>();
    const { url, v1, models } = this.#model;
    const providers: Record<WireName, object> = {
      "chat-completions": { type: "openai", wireApi: "completions", baseUrl: v1, apiKey: "none" },
      responses: { type: "openai", wireApi: "responses", baseUrl: v1, apiKey: "none" },
      messages: { type: "anthropic", baseUrl: url, apiKey: "none" },
    };
    const session = await this.#client.createSession({
      model: models[0],
      provider: providers[wire],
      workingDirectory: this.#project.dir,
      enableConfigDiscovery: true,
      streaming: true,
      tools: [],
      onPermissionRequest: () => ({ kind: "approve-once" }),
      onEvent: (event: CopilotEvent) => transcript.add(event),
    });
    return new CopilotSession(session, transcript);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const errors = await within(STOP_DEADLINE, this.#client.stop());
    if (errors === undefined) await this.#client.forceStop();
    await this.#processes[Symbol.asyncDispose]();
    if (errors === undefined) {
      throw new Error(`The Copilot runtime did not stop within ${STOP_DEADLINE} ms and was killed`);
    }
    if (errors.length > 0) throw new AggregateError(errors, "The Copilot runtime did not stop cleanly");
  }
}

class CopilotSession {
  readonly #session: SdkSession;
  readonly #transcript: Transcript<CopilotEvent>;

  constructor(session: SdkSession, transcript: Transcript<CopilotEvent>) {
    this.#session = session;
    this.#transcript = transcript;
  }

  /** The text of the last reply, once the session is idle again. */
  async sendAndWait(prompt: string, deadline = 60_000): Promise<string> {
    const reply = await this.#session.sendAndWait({ prompt }, deadline);
    return String(reply?.data.content ?? "");
  }

  /** Sends and does not wait. */
  async send(prompt: string): Promise<void> {
    await this.#session.send({ prompt });
  }

  /** The first event, past or future, of this type. */
  async waitFor(type: string): Promise<CopilotEvent> {
    return await this.#transcript.waitFor(`event ${type}`, (event) => event.type === type);
  }

  async disconnect(): Promise<void> {
    await this.#session.disconnect();
    this.#transcript.close("the session was disconnected");
  }
}

// The part of the SDK that is used here, declared by hand: the SDK's types are missing where it is not installed.
interface CopilotSdk {
  readonly CopilotClient: new (options: Record<string, unknown>) => SdkClient;
}

interface SdkClient {
  start(): Promise<void>;
  stop(): Promise<Error[]>;
  forceStop(): Promise<void>;
  createSession(config: Record<string, unknown>): Promise<SdkSession>;
}

interface SdkSession {
  send(message: { prompt: string }): Promise<string>;
  sendAndWait(message: { prompt: string }, deadline: number): Promise<CopilotEvent | undefined>;
  disconnect(): Promise<void>;
}
