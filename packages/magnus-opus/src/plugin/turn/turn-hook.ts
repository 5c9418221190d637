// An optional hook: something that improves a turn, and that a turn can do without.
import type { ContextCollector } from "../../turn/context-collector.ts";
import type { Magnus } from "../live/magnus.ts";
import type { ModelName } from "../live/opencode.ts";

export interface TurnMessage {
  readonly session: string;
  readonly agent: string;
  readonly model: (ModelName & { readonly variant?: string }) | undefined;
  /** What a person typed; empty if the text comes from OpenCode or a plugin. */
  readonly typed: string;
}

export interface MessageChange {
  /** Added to the message for the model; people do not see it. */
  readonly text?: string;
  /** The model's variant. */
  readonly variant?: string;
}

interface ToolCall {
  readonly session: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface ToolResult extends ToolCall {
  readonly metadata: unknown;
  readonly output: string;
}

/** Results are returned, not written in place: one that comes too late is dropped. */
export interface TurnHook {
  onMessage?(message: TurnMessage): MessageChange | undefined | Promise<MessageChange | undefined>;
  beforeTool?(call: ToolCall): void | Promise<void>;
  /** The output to use instead. */
  afterTool?(result: ToolResult): string | undefined | Promise<string | undefined>;
  /** Called for all events and not awaited, so it must be cheap. */
  onEvent?(type: string, properties: EventProperties): void;
  /** The session no longer exists. */
  forget?(session: string): void;
  close?(): void;
}

export type MakeTurnHook = (magnus: Magnus, collector: ContextCollector) => TurnHook;

/** The parts of OpenCode's events that are used here. */
export interface EventProperties {
  readonly sessionID?: string;
  readonly status?: { readonly type?: string };
  readonly reply?: string;
  readonly todos?: readonly { readonly content?: string; readonly status?: string }[];
  readonly info?: {
    readonly id?: string;
    readonly sessionID?: string;
    readonly role?: string;
    readonly providerID?: string;
    readonly modelID?: string;
    readonly tokens?: {
      readonly input: number;
      readonly output: number;
      readonly reasoning: number;
      readonly cache: { readonly read: number; readonly write: number };
    };
  };
}
