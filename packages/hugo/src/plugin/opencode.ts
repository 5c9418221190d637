// The parts of OpenCode's plugin interface that Hugo uses. OpenCode's own types would be a run-time dependency.
import type { InstanceClient } from "@atomic/workflows/internal/plugin/reload-instance";

/** What a `config` hook receives: every file merged, with the changes of other plugins. */
export interface HookConfig {
  permission?: unknown;
  agent?: Readonly<Record<string, unknown>>;
}

/** What OpenCode hands to a plugin. */
export interface HugoPluginContext {
  readonly directory: string;
  readonly client: HugoPluginClient;
}

/** It does not throw: what went wrong is in `error`. */
export interface HugoPluginClient extends InstanceClient {
  readonly app: InstanceClient["app"] & {
    log(request: { body: { service: string; level: "error"; message: string } }): Promise<unknown>;
  };
  readonly tui: {
    showToast(request: { body: { title: string; message: string; variant: "error" } }): Promise<unknown>;
  };
}

/** What OpenCode hands to a tool. */
export interface ToolContext {
  readonly callID?: string;
  readonly directory: string;
  readonly abort: AbortSignal;
  ask(request: ToolPermissionRequest): Promise<void>;
}

export interface ToolPermissionRequest {
  readonly permission: string;
  readonly patterns: readonly string[];
  /** What is allowed from then on if the user says "always". */
  readonly always: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface InstanceEvent {
  readonly type: string;
  readonly properties?: unknown;
}

export interface ToolDefinition {
  readonly description: string;
  readonly args: Readonly<Record<string, never>>;
  execute(given: unknown, context: ToolContext): Promise<string>;
}

export interface HugoHooks {
  readonly config: (config: HookConfig) => Promise<void>;
  readonly event: (input: { readonly event: InstanceEvent }) => Promise<void>;
  readonly tool: Readonly<Record<string, ToolDefinition>>;
  readonly "tool.definition": (
    input: { readonly toolID: string },
    output: { description: string; jsonSchema?: object },
  ) => Promise<void>;
}
