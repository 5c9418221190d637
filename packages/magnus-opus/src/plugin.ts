// Magnus Opus inside OpenCode. Before a run starts, nothing is written and no network is used.
import { defineWorkflow, type WorkflowPlugin } from "@atomic/workflows/internal/plugin/define-workflow";
import type { OpencodeConfig, PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { isOnPath } from "./on-path.ts";
import { packageRoot } from "./package-root.ts";
import type { Call } from "./plugin/approval/ask-person.ts";
import { backgroundOf, hasLeftTasks, readyBackgroundOf, usedBackgroundOf } from "./plugin/background/loaded.ts";
import { beforeCommand } from "./plugin/hooks/command-before.ts";
import { closeEndedCall, handledEvents, onEvent } from "./plugin/hooks/event.ts";
import { onMessage, setParameters } from "./plugin/hooks/messages.ts";
import type {
  ChatMessage,
  ChatParams,
  CommandBefore,
  HookEvent,
  ShellEnv,
  ToolAfter,
  ToolBefore,
} from "./plugin/hooks/opencode-hooks.ts";
import { afterTool, beforeTool, markShell } from "./plugin/hooks/tool-calls.ts";
import { Magnus } from "./plugin/live/magnus.ts";
import { adaptWorkflow } from "./plugin/setup/adapt-workflow.ts";
import { allowTools, hideFromOthers, unableAgents } from "./plugin/setup/finish-config.ts";
import { backgroundTools } from "./plugin/tools/background-tools.ts";
import { tools } from "./plugin/tools/tools.ts";
import { readyTurnHooksOf, turnHooksOf } from "./plugin/turn/loaded.ts";
import { offerShell } from "./run/person-commands.ts";
import { words } from "./words/template.ts";

const instances = new WeakMap<PluginContext, Magnus>();

/** What OpenCode passes to a tool. */
interface ToolContext extends Omit<Call, "id" | "session"> {
  readonly sessionID: string;
  readonly callID: string;
}

/** The only export, because OpenCode treats every export as a plugin. */
const plugin: WorkflowPlugin = defineWorkflow({
  id: "magnus-opus",
  root: packageRoot,
  adapt: (workflow, context) => adaptWorkflow(workflow, instances.get(context)!),
  hooks: (context) => {
    const magnus = new Magnus(context);
    offerShell(isOnPath("magnus-opus", process.env.PATH));
    instances.set(context, magnus);
    let isFirst = true;
    /** Whether an earlier process left background tasks; known once OpenCode answers, which the first event shows. */
    const isLeft = (): boolean => {
      const isNow = isFirst && hasLeftTasks(magnus);
      isFirst = false;
      return isNow;
    };
    const orTell = (what: string, act: () => Promise<void>): Promise<void> =>
      act().catch((error: unknown) => magnus.opencode.notify(`${what} failed: ${error}`));
    return {
      config: (config: OpencodeConfig) => {
        const { settings } = magnus;
        const names = tools.map(({ name }) => name);
        hideFromOthers(config, names, settings.skills);
        const own = backgroundTools.map(({ name }) => name);
        allowTools(config, settings.config.background?.agents ?? [], own);
        settings.unable = unableAgents(config, settings);
      },
      tool: Object.fromEntries(
        tools.map((tool) => [
          tool.name,
          {
            description: words(`tools/${tool.name}`),
            // `tool.definition` adds them: here OpenCode expects a schema from its own library.
            args: {},
            execute: async (args: unknown, { sessionID, callID, agent, abort, ask }: ToolContext) => {
              const output = await tool.run(magnus, args, { id: callID, session: sessionID, agent, abort, ask });
              const title = tool.title?.(magnus.runs.known(sessionID)?.state) ?? "";
              return { title, output };
            },
          },
        ]),
      ),
      "tool.definition": async ({ toolID }: { toolID: string }, output: object) => {
        const tool = tools.find(({ name }) => name === toolID);
        if (tool !== undefined) Object.assign(output, { jsonSchema: tool.schema });
      },
      "tool.execute.before": (input: ToolBefore["input"], { args }: ToolBefore["output"]) =>
        beforeTool(magnus, input, args),
      "tool.execute.after": (input: ToolAfter["input"], output: ToolAfter["output"]) =>
        orTell("checking what a tool did", async () => {
          await afterTool(magnus, input, output);
          await readyTurnHooksOf(magnus)?.afterTool(input, output);
        }),
      "chat.message": async (input: ChatMessage["input"], output: ChatMessage["output"]) => {
        const { message, parts } = output;
        // They see what was said before results are added to it.
        await orTell("loading the optional hooks", async () => (await turnHooksOf(magnus)).onMessage(input, output));
        await orTell("handling a message", () => onMessage(magnus, input, message));
        await orTell("handing over background results", async () => {
          if (isLeft()) await backgroundOf(magnus);
          await (await usedBackgroundOf(magnus))?.onMessage(input.sessionID, message, parts);
        });
      },
      "chat.params": async (input: ChatParams["input"], output: ChatParams["output"]) =>
        setParameters(magnus.settings, input, output),
      "command.execute.before": (input: CommandBefore["input"], { parts }: CommandBefore["output"]) =>
        beforeCommand(magnus, input, parts),
      "shell.env": async (input: ShellEnv["input"], output: ShellEnv["output"]) => markShell(magnus, input, output),
      event: async ({ event }: { event: HookEvent }) => {
        closeEndedCall(magnus, event);
        if (isLeft()) await orTell("restoring background tasks", async () => void (await backgroundOf(magnus)));
        readyBackgroundOf(magnus)?.onEvent(event.type, event.properties);
        readyTurnHooksOf(magnus)?.onEvent(event);
        if (handledEvents.has(event.type))
          await orTell("handling an event", () => magnus.events.run(() => onEvent(magnus, event)));
      },
      dispose: async () => {
        readyTurnHooksOf(magnus)?.close();
        await readyBackgroundOf(magnus)?.close();
        await magnus.runs.close();
      },
    };
  },
});
export default plugin;
