// The shapes of the hooks that are used here, as OpenCode calls them.
import type { ModelName } from "../live/opencode.ts";

export interface ToolBefore {
  readonly input: { readonly tool: string; readonly sessionID: string; readonly callID: string };
  readonly output: { readonly args: unknown };
}

export interface ToolAfter {
  readonly input: { readonly tool: string; readonly sessionID: string; readonly args?: unknown };
  readonly output: { readonly metadata?: unknown; output?: unknown };
}

export interface ChatMessage {
  readonly input: { readonly sessionID: string; readonly agent?: string };
  readonly output: {
    readonly message: {
      readonly id?: string;
      readonly agent?: string;
      model?: ModelName & { readonly variant?: string };
    };
    readonly parts: object[];
  };
}

export interface ChatParams {
  readonly input: {
    readonly agent: string;
    readonly sessionID?: string;
    readonly model?: { readonly providerID?: string; readonly api?: { readonly npm?: string; readonly id?: string } };
  };
  readonly output: {
    temperature?: number | undefined;
    topP?: number | undefined;
    maxOutputTokens?: number | undefined;
    options: Record<string, unknown>;
  };
}

export interface CommandBefore {
  readonly input: { readonly command: string; readonly sessionID: string; readonly arguments: string };
  readonly output: { readonly parts: { type: string; text?: string; synthetic?: boolean }[] };
}

export interface ShellEnv {
  readonly input: { readonly sessionID?: string; readonly callID?: string };
  readonly output: { readonly env: Record<string, string> };
}

export interface HookEvent {
  readonly type: string;
  readonly properties?: unknown;
}
