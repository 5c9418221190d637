// The part of the Claude Agent SDK that is used here, in our own words: it may not be installed, and then its types are absent.

export interface ClaudeSdk {
  query(request: { prompt: AsyncIterable<UserMessage>; options: Readonly<Record<string, unknown>> }): ClaudeQuery;
  getSessionMessages(id: string, options: TranscriptOptions): Promise<readonly TranscriptMessage[]>;
}

export interface ClaudeQuery extends AsyncIterable<SdkMessage> {
  /** Stops the turn as a person would with Escape. */
  interrupt(): Promise<unknown>;
}

/** What the SDK would start. */
export interface ClaudeProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills it, after the SDK has asked it to end and given it some time. */
  readonly signal: AbortSignal;
}

/** A prompt. Claude writes it down under this `uuid`. */
export interface UserMessage {
  readonly type: "user";
  readonly uuid: string;
  readonly session_id: string;
  readonly parent_tool_use_id: null;
  readonly message: { readonly role: "user"; readonly content: string };
}

interface TranscriptOptions {
  readonly dir: string;
  readonly sessionStore?: TranscriptStore;
}

export interface TranscriptStore {
  load(key: { readonly projectKey: string; readonly sessionId: string }): Promise<unknown[] | null>;
  append(): Promise<void>;
}

/** What Claude has written down of a session. */
export interface TranscriptMessage {
  readonly type: string;
  readonly uuid: string;
  readonly message: ApiMessage;
  readonly parent_tool_use_id: string | null;
}

/** What Claude reports while it works. `type` and `subtype` determine the fields. */
export interface SdkMessage {
  readonly type: string;
  readonly subtype?: string;
  /** Of a message that a subagent has sent or got. */
  readonly parent_tool_use_id?: string | null;
  readonly message?: ApiMessage;
  readonly event?: StreamEvent;
  /** `system`, `api_retry` */
  readonly error?: string;
  readonly retry_delay_ms?: number;
  readonly rate_limit_info?: { readonly status: string; readonly resetsAt?: number };
}

/** As the API of Anthropic has it. */
interface ApiMessage {
  readonly id?: string;
  readonly model?: string;
  readonly content?: string | readonly ContentBlock[];
  readonly stop_reason?: string | null;
  readonly usage?: ApiUsage;
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  /** `tool_use` */
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  /** `tool_result` */
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly ContentBlock[];
}

interface ApiUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
}

interface StreamEvent {
  readonly type: string;
  readonly delta?: { readonly type?: string; readonly text?: string };
  readonly usage?: ApiUsage;
}

/** The end of a turn. */
export interface ResultMessage extends SdkMessage {
  readonly is_error: boolean;
  /** The last message, or the failure. */
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  /** All that a session has used, since it began. */
  readonly modelUsage?: Readonly<Record<string, ModelUsage>>;
  /** The same of this turn alone. */
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
}

interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly costUSD: number;
}

export type ToolDecision =
  | { readonly behavior: "allow"; readonly updatedInput: Readonly<Record<string, unknown>> }
  | { readonly behavior: "deny"; readonly message: string };
