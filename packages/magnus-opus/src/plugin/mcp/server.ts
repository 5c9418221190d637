/** An MCP server as OpenCode takes it. Any other form it refuses, or ignores without a word. */
export type McpServer =
  | {
      readonly type: "local";
      readonly command: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
      readonly enabled?: boolean;
    }
  | {
      readonly type: "remote";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly enabled?: boolean;
    };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Something that a server lacks. */
export interface McpProblem {
  readonly server: string;
  /** The file it is from, if it is from one. */
  readonly at?: string;
  readonly message: string;
}

export interface Servers {
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly problems: readonly McpProblem[];
}
