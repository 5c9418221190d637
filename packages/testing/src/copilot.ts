// The real Copilot SDK, and the real runtime it starts, talking to the scripted model over any of its wires.
import { loadHeavyHost, offline } from "./heavy.ts";
import { type MarkedProcesses, markedProcesses } from "./marked-processes.ts";
import type { WireName } from "./model/wire.ts";
import type { Project } from "./project.ts";
import { Transcript, type TranscriptWait } from "./transcript.ts";
import { within } from "./waiting.ts";

/** An event of a session: `type` says what `data` holds. */
export interface CopilotEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A skill or an agent, as the runtime lists it. */
export interface CopilotListing {
  readonly name: string;
  readonly description: string;
  readonly path?: string;
  readonly argumentHint?: string;
  readonly userInvocable?: boolean;
}

/** A tool that runs in this process. */
export interface CopilotTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments. */
  readonly parameters: object;
  readonly handler: (args: Record<string, unknown>) => unknown;
}

interface PermissionRequest {
  /** `shell`, `write`, `read`, … */
  readonly kind: string;
  readonly [field: string]: unknown;
}

type PermissionDecision = { readonly kind: "approve-once" } | { readonly kind: "reject"; readonly feedback?: string };

export interface CopilotSessionOptions {
  /** How the model is spoken to; chat completions if not said. */
  readonly wire?: WireName;
  readonly tools?: readonly CopilotTool[];
  /** Asked before a tool that could do harm; without it everything is approved. */
  readonly onPermission?: (request: PermissionRequest) => PermissionDecision;
  /** Further session options of the SDK, put on top of ours. */
  readonly sdk?: Readonly<Record<string, unknown>>;
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
      // Else tools get what the machine's login shell sets, PATH included.
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

  async createSession(options: CopilotSessionOptions = {}): Promise<CopilotSession> {
    const transcript = new Transcript<CopilotEvent>();
    return new CopilotSession(await this.#client.createSession(this.#config(options, transcript)), transcript);
  }

  /** Continues an earlier session; its options are not remembered. */
  async resumeSession(id: string, options: CopilotSessionOptions = {}): Promise<CopilotSession> {
    const transcript = new Transcript<CopilotEvent>();
    return new CopilotSession(await this.#client.resumeSession(id, this.#config(options, transcript)), transcript);
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

  #config(options: CopilotSessionOptions, transcript: Transcript<CopilotEvent>): Record<string, unknown> {
    const { url, v1, models } = this.#model;
    const providers: Record<WireName, object> = {
      "chat-completions": { type: "openai", wireApi: "completions", baseUrl: v1, apiKey: "none" },
      responses: { type: "openai", wireApi: "responses", baseUrl: v1, apiKey: "none" },
      messages: { type: "anthropic", baseUrl: url, apiKey: "none" },
    };
    return {
      model: models[0],
      provider: providers[options.wire ?? "chat-completions"],
      workingDirectory: this.#project.dir,
      enableConfigDiscovery: true,
      // Without it a resumed session asks for whole replies, and a hanging one could not be seen to hang.
      streaming: true,
      tools: options.tools ?? [],
      onPermissionRequest: options.onPermission ?? (() => ({ kind: "approve-once" })),
      onEvent: (event: CopilotEvent) => transcript.add(event),
      ...options.sdk,
    };
  }
}

class CopilotSession {
  readonly #session: SdkSession;
  readonly #transcript: Transcript<CopilotEvent>;

  constructor(session: SdkSession, transcript: Transcript<CopilotEvent>) {
    this.#session = session;
    this.#transcript = transcript;
  }

  get id(): string {
    return this.#session.sessionId;
  }

  /** Every event so far. */
  get events(): readonly CopilotEvent[] {
    return this.#transcript.entries;
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

  /** The first event, past or future, of this type (and that matches). */
  async waitFor(
    type: string,
    matches: (event: CopilotEvent) => boolean = () => true,
    options?: TranscriptWait,
  ): Promise<CopilotEvent> {
    return await this.#transcript.waitFor(`event ${type}`, (event) => event.type === type && matches(event), options);
  }

  async skills(): Promise<readonly CopilotListing[]> {
    return (await this.#session.rpc.skills.list()).skills;
  }

  async agents(): Promise<readonly CopilotListing[]> {
    return (await this.#session.rpc.agent.list()).agents;
  }

  /** What `/name input` would send to the model, which is not asked; `""` if it sends nothing. */
  async invokeCommand(name: string, input = ""): Promise<string> {
    return (await this.#session.rpc.commands.invoke({ name, input })).prompt ?? "";
  }

  async abort(): Promise<void> {
    await this.#session.abort();
  }

  /** Lets go of the session; it can be resumed. */
  async disconnect(): Promise<void> {
    await this.#session.disconnect();
    this.#transcript.close("the session was disconnected");
  }
}

// The part of the SDK that is used here, in our own words: its types are absent where it is not installed.
interface CopilotSdk {
  readonly CopilotClient: new (options: Record<string, unknown>) => SdkClient;
}

interface SdkClient {
  start(): Promise<void>;
  stop(): Promise<Error[]>;
  forceStop(): Promise<void>;
  createSession(config: Record<string, unknown>): Promise<SdkSession>;
  resumeSession(id: string, config: Record<string, unknown>): Promise<SdkSession>;
}

interface SdkSession {
  readonly sessionId: string;
  readonly rpc: {
    readonly skills: { list(): Promise<{ readonly skills: readonly CopilotListing[] }> };
    readonly agent: { list(): Promise<{ readonly agents: readonly CopilotListing[] }> };
    readonly commands: { invoke(command: { name: string; input: string }): Promise<{ readonly prompt?: string }> };
  };
  send(message: { prompt: string }): Promise<string>;
  sendAndWait(message: { prompt: string }, deadline: number): Promise<CopilotEvent | undefined>;
  abort(): Promise<void>;
  disconnect(): Promise<void>;
}
