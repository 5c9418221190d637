// Hugo inside OpenCode: the same commands as in a terminal, as tools for a model. OpenCode loads this file at every
// start, so nothing is read, written or loaded before it is needed.

import type { HugoHooks, HugoPluginContext, ToolContext, ToolDefinition } from "./plugin/opencode.ts";
import { AskedCalls, addRules, type Settings, settingsFor } from "./plugin/permission-rules.ts";
import { Reload } from "./plugin/reload.ts";
import { askingTools, type HugoTool, tools } from "./plugin/tools.ts";

interface Plugin {
  readonly id: string;
  readonly server: (context: HugoPluginContext) => Promise<HugoHooks>;
}

/** The only export: OpenCode takes every other one for a plugin, too. */
const plugin: Plugin = { id: "hugo-pm", server: async (context) => hooksFor(context) };
export default plugin;

function hooksFor(context: HugoPluginContext): HugoHooks {
  const asked = new AskedCalls();
  const reload = new Reload(context);
  const inTurn = queue();
  let settings: Settings = settingsFor(askingTools, undefined);
  const execute = async (tool: HugoTool, given: unknown, call: ToolContext): Promise<string> => {
    const { runTool } = await import("./plugin/run-tool.ts");
    const run = (): Promise<string> => runTool(tool, given, call, { settings, asked, reload });
    // Two changes at once would lock each other out while the user reads a question.
    return await (tool.asks ? inTurn(run) : run());
  };
  return {
    config: async (config) => {
      settings = settingsFor(askingTools, config.permission);
      addRules(config, askingTools, settings);
    },
    event: async ({ event }) => {
      asked.notice(event);
      await reload.notice(event);
    },
    tool: Object.fromEntries(tools.map((tool) => [tool.name, definition(tool, execute)])),
    "tool.definition": async ({ toolID }, output) => {
      const tool = tools.find(({ name }) => name === toolID);
      if (tool === undefined) return;
      const { definitionOf } = await import("./plugin/tool-arguments.ts");
      Object.assign(output, await definitionOf(tool));
    },
  };
}

/** What the model is told of it comes with `tool.definition`, when there is a model. */
function definition(
  tool: HugoTool,
  execute: (tool: HugoTool, given: unknown, call: ToolContext) => Promise<string>,
): ToolDefinition {
  return { description: tool.name, args: {}, execute: (given, call) => execute(tool, given, call) };
}

/** One after the other. */
function queue(): <Value>(act: () => Promise<Value>) => Promise<Value> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
}
