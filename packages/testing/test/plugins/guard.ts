/** An OpenCode plugin in plain TypeScript: it forbids one command and adds an agent and a tool. */
interface ToolCall {
  readonly tool: string;
}

interface ToolArgs {
  readonly args: { readonly command?: string };
}

interface Config {
  agent?: Record<string, object>;
}

export default {
  id: "guard",
  server: async (_context: unknown, options?: { readonly forbidden?: string }) => ({
    config: async (config: Config): Promise<void> => {
      config.agent = { guardian: { mode: "primary", description: "Added by the plugin" }, ...config.agent };
    },
    "tool.execute.before": async ({ tool }: ToolCall, { args }: ToolArgs): Promise<void> => {
      const forbidden = options?.forbidden ?? "rm";
      if (tool === "bash" && args.command?.startsWith(forbidden))
        throw new Error(`The gate is closed for ${forbidden}.`);
    },
    tool: {
      answer: { description: "The answer", args: {}, execute: async (): Promise<string> => "forty-two" },
    },
  }),
};
