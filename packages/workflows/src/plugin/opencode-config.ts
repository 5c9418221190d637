// The parts of OpenCode's plugin interface that a workflow uses. OpenCode's own types would make it a runtime dependency of
// every workflow package.
import type { Action, Permission } from "../permission/rules.ts";

export interface AgentConfig {
  readonly description?: string;
  readonly mode?: "subagent" | "primary" | "all";
  readonly model?: string;
  readonly variant?: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly steps?: number;
  readonly color?: string;
  readonly hidden?: boolean;
  readonly disable?: boolean;
  readonly prompt?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly permission?: Permission;
}

export interface CommandConfig {
  readonly template: string;
  readonly description?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly variant?: string;
  readonly subtask?: boolean;
}

interface LocalMcpConfig {
  readonly type: "local";
  readonly command: readonly string[];
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
  readonly timeout?: number;
}

interface RemoteMcpConfig {
  readonly type: "remote";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: Readonly<Record<string, unknown>> | false;
  readonly enabled?: boolean;
  readonly timeout?: number;
}

/** An MCP server as OpenCode expects it. It refuses any other form, or ignores it silently. */
export type McpConfig = LocalMcpConfig | RemoteMcpConfig;

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What a `config` hook gets: all config files merged, and not checked by us. */
export interface OpencodeConfig {
  agent?: Entries;
  command?: Entries;
  mcp?: Entries;
  skills?: { readonly paths?: readonly string[]; readonly [key: string]: unknown };
  permission?: Action | Permission;
  [key: string]: unknown;
}

/** What OpenCode passes to a plugin. `@opencode-ai/plugin` has the complete type. */
export interface PluginContext {
  readonly directory: string;
  readonly worktree: string;
  readonly client: PluginClient;
  readonly [key: string]: unknown;
}

export interface PluginClient {
  readonly app: {
    log(request: { body: { service: string; level: LogLevel; message: string; extra?: object } }): Promise<unknown>;
  };
  readonly tui: {
    showToast(request: {
      body: { title?: string; message: string; variant: "error" | "info" | "warning" };
    }): Promise<unknown>;
  };
}

export type LogLevel = "info" | "warn" | "error";

/** Hooks by OpenCode's names: `tool`, `event`, `tool.execute.before`, … */
export interface Hooks {
  config?: (config: OpencodeConfig) => unknown;
  event?: (input: { readonly event: { readonly type: string; readonly [key: string]: unknown } }) => unknown;
  [name: string]: unknown;
}
