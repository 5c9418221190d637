// Magnus Opus inside OpenCode. Before a run starts, nothing is written and no network is used.
import { defineWorkflow, type WorkflowPlugin } from "@atomic/workflows/internal/plugin/define-workflow";
import type { OpencodeConfig, PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import { packageRoot } from "./package-root.ts";
import { hasLeftTasks } from "./plugin/background/tasks-folder.ts";
import type {
  ChatMessage,
  ChatParams,
  CommandBefore,
  HookEvent,
  ShellEnv,
  ToolAfter,
  ToolBefore,
} from "./plugin/hooks/opencode-hooks.ts";
import { MagnusSettings } from "./plugin/live/settings.ts";
import type { SessionHooks, ToolCallContext } from "./plugin/session-hooks.ts";
import { adaptWorkflow } from "./plugin/setup/adapt-workflow.ts";
import { allowTools, hideFromOthers, unableAgents } from "./plugin/setup/finish-config.ts";
import { isTaken, nameAgents } from "./plugin/setup/name-agents.ts";
import { isCommandTaken, nameCommands, renamedCommands } from "./plugin/setup/name-commands.ts";
import { backgroundToolNames, toolNames } from "./plugin/tools/tool-names.ts";
import { workplaceOf } from "./sessions/workplace.ts";
import { words } from "./words/template.ts";

const settingsOf = new WeakMap<PluginContext, MagnusSettings>();

/** The only export, because OpenCode treats every export as a plugin. */
const plugin: WorkflowPlugin = defineWorkflow({
  id: "magnus-opus",
  root: packageRoot,
  adapt: (workflow, context, config) => {
    const settings = settingsOf.get(context)!;
    const adapted = adaptWorkflow(workflow, { settings, workplace: workplaceOf(context) });
    const named = nameAgents(adapted, settings, (name) => isTaken(config, name));
    return nameCommands(named, settings, (name) => isCommandTaken(config, name));
  },
  hooks: (context) => {
    const settings = new MagnusSettings(context);
    settingsOf.set(context, settings);
    const workplace = workplaceOf(context);
    let ready: SessionHooks | undefined;
    let loading: Promise<SessionHooks> | undefined;
    // A call that cannot be checked is refused: what is thrown here reaches OpenCode.
    const sessionHooks = async (): Promise<SessionHooks> => {
      loading ??= import("./plugin/session-hooks.ts").then(({ SessionHooks: Hooks }) => {
        ready = new Hooks(context, settings);
        return ready;
      });
      return await loading;
    };
    let isTold = false;
    /** While OpenCode starts, it has no screen to show anything on. */
    const tellNames = (): void => {
      const said = isTold ? [] : renamedCommands(settings.commandNames);
      isTold = true;
      if (said.length === 0) return;
      const toast = { title: "Magnus Opus", message: said.join(" ").replaceAll("`", ""), variant: "info" } as const;
      // Without a screen there is nothing to show.
      void context.client.tui.showToast({ body: toast }).catch(() => undefined);
    };
    let isFirst = true;
    /** An earlier process may have left background tasks. OpenCode answers their questions once it reports events. */
    const restoreTasks = async (): Promise<void> => {
      const isNow = isFirst && hasLeftTasks(workplace);
      isFirst = false;
      if (isNow) await (await sessionHooks()).restoreTasks();
    };
    return {
      config: (config: OpencodeConfig) => {
        hideFromOthers(config, toolNames, settings.skills);
        allowTools(config, settings.config.background?.agents ?? [], backgroundToolNames);
        settings.unable = unableAgents(config, settings);
        const { instructions } = config;
        if (Array.isArray(instructions)) settings.instructions = instructions.map(String);
      },
      tool: Object.fromEntries(
        toolNames.map((name) => [
          name,
          {
            description: words(`tools/${name}`),
            // `tool.definition` adds them: here OpenCode expects a schema from its own library.
            args: {},
            execute: async (args: unknown, call: ToolCallContext) =>
              await (await sessionHooks()).runTool(name, args, call),
          },
        ]),
      ),
      "tool.definition": async ({ toolID }: { toolID: string }, output: object) => {
        const isOurs = toolNames.some((name) => name === toolID);
        if (isOurs) Object.assign(output, { jsonSchema: (await sessionHooks()).schemaOf(toolID) });
      },
      "tool.execute.before": async (input: ToolBefore["input"], output: ToolBefore["output"]) =>
        await (await sessionHooks()).beforeTool(input, output),
      "tool.execute.after": async (input: ToolAfter["input"], output: ToolAfter["output"]) =>
        await (await sessionHooks()).afterTool(input, output),
      "chat.message": async (input: ChatMessage["input"], output: ChatMessage["output"]) => {
        await restoreTasks();
        await (await sessionHooks()).onMessage(input, output);
      },
      "chat.params": async (input: ChatParams["input"], output: ChatParams["output"]) =>
        (await sessionHooks()).setParameters(input, output),
      "command.execute.before": async (input: CommandBefore["input"], output: CommandBefore["output"]) =>
        await (await sessionHooks()).beforeCommand(input, output),
      "shell.env": async (input: ShellEnv["input"], output: ShellEnv["output"]) =>
        (await sessionHooks()).markShell(input, output),
      event: async ({ event }: { event: HookEvent }) => {
        // Before the first message there is no session of ours that an event could be about.
        if (event.type === "session.created") tellNames();
        const handled = ready?.onEvent(event);
        await restoreTasks();
        await handled;
      },
      dispose: async () => await (await loading)?.close(),
    };
  },
});
export default plugin;
