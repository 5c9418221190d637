// The types of the Copilot SDK that are used here. They are our own because the SDK may not be installed.

export interface CopilotSdk {
  readonly CopilotClient: new (options: Readonly<Record<string, unknown>>) => CopilotClient;
}

/** Talks to one runtime, which serves many sessions and ends when we do. */
export interface CopilotClient {
  start(): Promise<void>;
  /** Resolves with the errors on the way. */
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
  /** Resolves with the message's id, which its event has too. */
  send(message: { readonly prompt: string }): Promise<string>;
  on(listener: (event: SdkEvent) => void): () => void;
  /** What is stored of the session: no pieces of text, and no usage. */
  getEvents(): Promise<readonly SdkEvent[]>;
  /** Adds a line to the stored session. The model does not see it. */
  log(message: string): Promise<void>;
  abort(): Promise<void>;
  disconnect(): Promise<void>;
}

export interface SdkEvent {
  readonly type: string;
  /** Set on a subagent's events. */
  readonly agentId?: string;
  readonly data: EventData;
}

/** The event's type determines the fields. */
export interface EventData {
  readonly messageId?: string;
  readonly message?: string;
  readonly content?: string;
  /** Set on a message that Copilot sends as the user, such as when it loads a skill. */
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
  /** `shell`, `write`, `read`, `mcp`, `url`, …, and `hook` for a call that a hook asks about. */
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
