// The parts of OpenCode that a run uses. Its client does not throw; it returns failures in `error`.
import type { PluginClient, PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";

/** A rule as OpenCode has resolved it: the agent's rules, then the session's. The last match wins. */
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
  /** OpenCode's. */
  readonly version?: string;
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

/** OpenCode, as a plugin in one folder sees it. It does not answer until it has started. */
export class OpencodeApi {
  readonly #client: Client;
  #shown = "";
  #models: Promise<ReadonlySet<string>> | undefined;

  constructor(context: PluginContext) {
    this.#client = context.client as Client;
  }

  /** Undefined if the session does not exist (anymore). */
  async session(id: string): Promise<SessionInfo | undefined> {
    const { data, error, response } = await this.#client.session.get({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`the session ${id}`, error);
    return data;
  }

  async children(id: string): Promise<readonly SessionInfo[]> {
    const { data, error, response } = await this.#client.session.children({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`the child sessions of ${id}`, error);
    return data ?? [];
  }

  async messages(id: string): Promise<readonly MessageInfo[]> {
    const { data, error, response } = await this.#client.session.messages({ path: { id } });
    if (error !== undefined && response?.status !== 404) throw failed(`the messages in ${id}`, error);
    return (data ?? []).map(({ info }) => info);
  }

  /** The sessions that are working right now. */
  async busySessions(): Promise<ReadonlySet<string>> {
    const { data, error } = await this.#client.session.status();
    if (error !== undefined) throw failed("the list of busy sessions", error);
    return new Set(Object.keys(data ?? {}));
  }

  /** The connected models as `provider/model`. Asked once. */
  async models(): Promise<ReadonlySet<string>> {
    this.#models ??= this.#client.config.providers().then(({ data, error }) => {
      if (error !== undefined) throw failed("the models", error);
      return new Set(
        (data?.providers ?? []).flatMap(({ id, models }) => Object.keys(models).map((name) => `${id}/${name}`)),
      );
    });
    return await this.#models;
  }

  /** An agent's rules in a session; the last match wins. Empty if they cannot be understood. */
  async rules(agent: string, session: string): Promise<readonly ResolvedRule[]> {
    const { data, error } = await this.#client.app.agents();
    if (error !== undefined) throw failed("the agents", error);
    const own = data?.find(({ name }) => name === agent)?.permission;
    return Array.isArray(own) ? [...own, ...((await this.session(session))?.permission ?? [])] : [];
  }

  /** Shows a toast, once for each message in a row. Never awaited. */
  show(message: string, variant: "info" | "warning"): void {
    if (message === this.#shown) return;
    this.#shown = message;
    const toast = { title: "Magnus Opus", message: message.slice(0, 300), variant } as const;
    // Without a screen there is nothing to show.
    void this.#client.tui.showToast({ body: toast }).catch(() => undefined);
  }

  /** Writes to OpenCode's log and shows a toast. Never awaited. */
  notify(message: string): void {
    const body = { service: "magnus-opus", level: "error", message: `magnus-opus: ${message}` } as const;
    const toast = { title: "Magnus Opus", message, variant: "error" } as const;
    // There is no other way to report a failure.
    void this.#client.app.log({ body }).catch(() => undefined);
    void this.#client.tui.showToast({ body: toast }).catch(() => undefined);
  }
}

function failed(what: string, error: unknown): Error {
  return new Error(`OpenCode failed to return ${what}: ${JSON.stringify(error)}`);
}
