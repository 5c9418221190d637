// The part of the Copilot SDK that is used here, in our own words: it may not be installed, and then its types are absent.

export interface CopilotSdk {
  readonly CopilotClient: new (options: Readonly<Record<string, unknown>>) => CopilotClient;
}

/** Speaks with one runtime, which serves many sessions and ends when we do. */
export interface CopilotClient {
  start(): Promise<void>;
  /** The errors that it met on the way. */
  stop(): Promise<readonly Error[]>;
  forceStop(): Promise<void>;
  createSession(config: Readonly<Record<string, unknown>>): Promise<SdkSession>;
  resumeSession(id: string, config: Readonly<Record<string, unknown>>): Promise<SdkSession>;
  ping(): Promise<unknown>;
  getSessionMetadata(id: string): Promise<object | undefined>;
}

export interface SdkSession {
  readonly sessionId: string;
  readonly rpc: { readonly name: { set(name: { readonly name: string }): Promise<unknown> } };
  /** The id of the message, which its event has too. */
  send(message: { readonly prompt: string }): Promise<string>;
  on(listener: (event: SdkEvent) => void): () => void;
  /** All that was kept of the session: no pieces of text, and no usage. */
  getEvents(): Promise<readonly SdkEvent[]>;
  /** Adds a line to what is kept of the session. The model does not see it. */
  log(message: string): Promise<void>;
  abort(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface SdkEvent {
  readonly type: string;
  /** Of a subagent. */
  readonly agentId?: string;
  readonly data: EventData;
}

/** The type of the event says which fields there are. */
export interface EventData {
  readonly messageId?: string;
  readonly message?: string;
  readonly content?: string;
  /** Of a message that Copilot sends in the name of the user, as when a skill is loaded. */
  readonly source?: string;
  readonly deltaContent?: string;
  readonly toolRequests?: readonly unknown[];
  readonly parentToolCallId?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly mcpServerName?: string;
  readonly mcpToolName?: string;
  readonly arguments?: unknown;
  readonly success?: boolean;
  readonly result?: { readonly content?: string };
  readonly error?: { readonly message?: string };
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly errorType?: string;
  readonly statusCode?: number;
}

export interface CopilotPermission {
  /** `shell`, `write`, `read`, `mcp`, `url`, …, and `hook` for a call that a hook wants to be asked about. */
  readonly kind: string;
  readonly toolCallId?: string;
  readonly fullCommandText?: string;
  readonly fileName?: string;
  readonly path?: string;
  readonly url?: string;
  readonly serverName?: string;
  readonly toolName?: string;
  readonly intention?: string;
  readonly toolArgs?: Readonly<Record<string, unknown>>;
}

export type PermissionDecision =
  | { readonly kind: "approve-once" }
  | { readonly kind: "reject"; readonly feedback: string };
