// The parts of OpenCode that a run touches. Its client does not throw: what went wrong is in `error`.
import type { PluginClient, PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";

/** As OpenCode has resolved it: an agent's rules and a session's, of which the last match wins. */
export interface ResolvedRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: string;
}

export interface SessionInfo {
  readonly id: string;
  readonly permission?: readonly ResolvedRule[];
  readonly parentID?: string;
  readonly agent?: string;
}

export interface ModelName {
  readonly providerID: string;
  readonly modelID: string;
}

export interface MessageInfo {
  readonly id: string;
  readonly sessionID: string;
  readonly role: "user" | "assistant";
  readonly agent?: string;
  readonly cost?: number;
  readonly tokens?: {
    readonly input: number;
    readonly output: number;
    readonly reasoning: number;
    readonly cache: { readonly read: number; readonly write: number };
  };
}

interface AgentInfo {
  readonly name: string;
  readonly permission?: readonly ResolvedRule[] | object;
}

interface ProviderInfo {
  readonly id: string;
  readonly models: Readonly<Record<string, unknown>>;
}

type Answer<Data> = Promise<{ readonly data?: Data; readonly error?: unknown; readonly response?: { status: number } }>;
type OfSession = { readonly path: { readonly id: string } };

interface Client extends PluginClient {
  readonly app: PluginClient["app"] & { agents(): Answer<readonly AgentInfo[]> };
  readonly session: {
    get(request: OfSession): Answer<SessionInfo>;
    children(request: OfSession): Answer<readonly SessionInfo[]>;
    messages(request: OfSession): Answer<readonly { readonly info: MessageInfo }[]>;
    /** Idle sessions are not among them. */
    status(): Answer<Readonly<Record<string, { readonly type: string }>>>;
  };
  readonly config: { providers(): Answer<{ readonly providers: readonly ProviderInfo[] }> };
}

/** OpenCode, as a plugin in one folder sees it. Not before it has started: until then it answers nobody. */
export class OpencodeApi {
  readonly #client: Client;
  #models: Promise<ReadonlySet<string>> | undefined;

  constructor(context: PluginContext) {
    this.#client = context.client as Client;
  }

  /** Undefined if there is no such session (any more). */
  async session(id: string): Promise<SessionInfo | undefined> {
    const { data, error, response } = await this.#client.session.get({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`the session ${id}`, error);
    return data;
  }

  async children(id: string): Promise<readonly SessionInfo[]> {
    const { data, error, response } = await this.#client.session.children({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`the sessions below ${id}`, error);
    return data ?? [];
  }

  async messages(id: string): Promise<readonly MessageInfo[]> {
    const { data, error, response } = await this.#client.session.messages({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`the messages of ${id}`, error);
    return (data ?? []).map(({ info }) => info);
  }

  /** Those that work at the moment. */
  async busySessions(): Promise<ReadonlySet<string>> {
    const { data, error } = await this.#client.session.status();
    if (error !== undefined) throw failed("the busy sessions", error);
    return new Set(Object.keys(data ?? {}));
  }

  /** `provider/model` of all that is connected. Asked once. */
  async models(): Promise<ReadonlySet<string>> {
    this.#models ??= this.#client.config.providers().then(({ data, error }) => {
      if (error !== undefined) throw failed("the models", error);
      return new Set(
        (data?.providers ?? []).flatMap(({ id, models }) => Object.keys(models).map((name) => `${id}/${name}`)),
      );
    });
    return await this.#models;
  }

  /** Of an agent in a session, the last that counts at the end. None if they cannot be understood. */
  async rules(agent: string, session: string): Promise<readonly ResolvedRule[]> {
    const { data, error } = await this.#client.app.agents();
    if (error !== undefined) throw failed("the agents", error);
    const own = data?.find(({ name }) => name === agent)?.permission;
    return Array.isArray(own) ? [...own, ...((await this.session(session))?.permission ?? [])] : [];
  }

  /** In OpenCode's log, and for whoever is in front of a screen. Never awaited by what it tells of. */
  notify(message: string): void {
    const body = { service: "magnus-opus", level: "error", message: `magnus-opus: ${message}` } as const;
    const toast = { title: "Magnus Opus", message, variant: "error" } as const;
    // Nobody is left to tell of a failure.
    void this.#client.app.log({ body }).catch(() => undefined);
    void this.#client.tui.showToast({ body: toast }).catch(() => undefined);
  }
}

function failed(what: string, error: unknown): Error {
  return new Error(`OpenCode failed to return ${what}: ${JSON.stringify(error)}`);
}
