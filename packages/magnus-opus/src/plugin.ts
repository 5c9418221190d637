// Magnus Opus inside OpenCode. Nothing is written, and nobody is asked over a network, before a run starts.
import { defineWorkflow, type WorkflowPlugin } from "@atomic/workflows/plugin";
import type { Hooks, OpencodeConfig, PluginContext } from "@atomic/workflows/plugin/opencode-config";
import { packageRoot } from "./package-root.ts";
import { adaptWorkflow } from "./plugin/adapt-workflow.ts";
import { unableAgents } from "./plugin/agents/unable-agents.ts";
import { onMessage } from "./plugin/hooks/chat-message.ts";
import { setParameters } from "./plugin/hooks/chat-params.ts";
import { beforeCommand } from "./plugin/hooks/command-before.ts";
import { hear, heard, noticeEnd } from "./plugin/hooks/event.ts";
import { hide } from "./plugin/hooks/hide.ts";
import type {
  ChatMessage,
  ChatParams,
  CommandBefore,
  OpencodeEvent,
  ShellEnv,
  ToolAfter,
  ToolBefore,
} from "./plugin/hooks/opencode-hooks.ts";
import { markShell } from "./plugin/hooks/shell-env.ts";
import { afterTool } from "./plugin/hooks/tool-after.ts";
import { beforeTool } from "./plugin/hooks/tool-before.ts";
import { defineTool, toolHook } from "./plugin/hooks/tool-definition.ts";
import { Magnus } from "./plugin/live/magnus.ts";
import { tools } from "./plugin/tools/tools.ts";

const instances = new WeakMap<PluginContext, Magnus>();

/** The only export: OpenCode takes every other one for a plugin, too. */
const plugin: WorkflowPlugin = defineWorkflow({
  id: "magnus-opus",
  root: packageRoot,
  adapt: (workflow, context) => adaptWorkflow(workflow, instances.get(context)!),
  hooks: (context) => {
    const magnus = new Magnus(context);
    instances.set(context, magnus);
    return hooksOf(magnus);
  },
});
export default plugin;

function hooksOf(magnus: Magnus): Hooks {
  const told = (what: string, act: () => Promise<void>): Promise<void> =>
    act().catch((error: unknown) => magnus.opencode.tell(`${what} failed: ${error}`));
  return {
    config: (config: OpencodeConfig) => {
      const { settings } = magnus;
      const names = tools.map(({ name }) => name);
      hide(config, names, settings.skills);
      settings.unable = unableAgents(config, settings);
    },
    tool: Object.fromEntries(tools.map((tool) => [tool.name, toolHook(magnus, tool)])),
    "tool.definition": async ({ toolID }: { toolID: string }, output: object) => defineTool(toolID, output),
    "tool.execute.before": (input: ToolBefore["input"], { args }: ToolBefore["output"]) =>
      beforeTool(magnus, input, args),
    "tool.execute.after": (input: ToolAfter["input"], output: ToolAfter["output"]) =>
      told("to look at what a tool did", () => afterTool(magnus, input, output)),
    "chat.message": (input: ChatMessage["input"], { message }: ChatMessage["output"]) =>
      told("to notice a message", () => onMessage(magnus, input, message)),
    "chat.params": async (input: ChatParams["input"], output: ChatParams["output"]) =>
      setParameters(magnus.settings, input, output),
    "command.execute.before": (input: CommandBefore["input"], output: CommandBefore["output"]) =>
      beforeCommand(magnus, input, output),
    "shell.env": async (input: ShellEnv["input"], output: ShellEnv["output"]) => markShell(magnus, input, output),
    event: async ({ event }: { event: OpencodeEvent }) => {
      noticeEnd(magnus, event);
      if (heard.has(event.type)) await told("to hear an event", () => magnus.events.take(() => hear(magnus, event)));
    },
    dispose: () => magnus.runs.close(),
  };
}
