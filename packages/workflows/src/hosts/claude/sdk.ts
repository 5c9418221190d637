// The types of the Claude Agent SDK that are used here. They are our own because the SDK may not be installed.

export interface ClaudeSdk {
  query(request: { prompt: AsyncIterable<UserMessage>; options: Readonly<Record<string, unknown>> }): ClaudeQuery;
  getSessionMessages(
    id: string,
    options: { readonly dir: string; readonly sessionStore?: TranscriptStore },
  ): Promise<readonly TranscriptMessage[]>;
}

export interface ClaudeQuery extends AsyncIterable<SdkMessage> {
  /** Stops the turn, as Escape does in Claude. */
  interrupt(): Promise<unknown>;
}

/** The program that the SDK starts. */
export interface ClaudeProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Kills it, after the SDK has asked it to end and waited a while. */
  readonly signal: AbortSignal;
}

/** A prompt. Claude's transcript has it under this `uuid`. */
export interface UserMessage {
  readonly type: "user";
  readonly uuid: string;
  readonly session_id: string;
  readonly parent_tool_use_id: null;
  readonly message: { readonly role: "user"; readonly content: string };
}

export interface TranscriptStore {
  load(key: { readonly projectKey: string; readonly sessionId: string }): Promise<unknown[] | null>;
  append(): Promise<void>;
}

/** One message of a session's transcript. */
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
  /** Set on messages to and from a subagent. */
  readonly parent_tool_use_id?: string | null;
  readonly message?: ApiMessage;
  readonly event?: {
    readonly type: string;
    readonly delta?: { readonly type?: string; readonly text?: string };
    readonly usage?: ApiUsage;
  };
  /** `system`, `api_retry` */
  readonly error?: string;
  readonly retry_delay_ms?: number;
  readonly rate_limit_info?: { readonly status: string; readonly resetsAt?: number };
}

/** A message in Anthropic's API. */
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

export interface ApiUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
}

/** The end of a turn. */
export interface ResultMessage extends SdkMessage {
  readonly is_error: boolean;
  /** The last message, or the error. */
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  /** What the session has used since it began. */
  readonly modelUsage?: Readonly<Record<string, ModelUsage>>;
  /** The same for this turn alone. */
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
